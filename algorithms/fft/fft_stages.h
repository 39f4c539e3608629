// The stages of convolution by FFT: input spectra, filter spectra, and their products summed over channels.
#pragma once

#include <vector>

#include "algorithms/fft/transform.h"
#include "algorithms/interface/stage.h"
#include "algorithms/problem/conv_problem.h"

namespace convlens::fft {

// Complex numbers of the accumulator's type; see fft_map.h for what each cell is. Columns of a spectrum are contiguous.
std::vector<Stage> stages(const ConvProblem& problem, DType dtype, const Lengths& lengths);

}  // namespace convlens::fft
