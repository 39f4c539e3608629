// The stages of convolution by FFT: input spectra, filter spectra, and their products summed over channels.
#pragma once

#include <vector>

#include "algorithms/fft/transform.h"
#include "algorithms/interface/stage.h"
#include "algorithms/problem/conv_problem.h"

namespace convlens::fft {

// Complex numbers of the accumulator's type; see fft_map.h for what each cell is. Columns of a spectrum are contiguous.
std::vector<Stage> stages(const ConvProblem& problem, DType dtype, const Lengths& lengths);

// What is executed: 2.5·P·log₂P a real transform of P points (half of the customary 5·P·log₂P of a complex one), 8 a
// complex multiply-add, and P_h·(P_w/2 + 1) of those for every pair of channels and every tile. That counts whole
// transforms, also where rows are skipped because they hold only zeros or are not kept. Throws Unsupported when it
// overflows 64 bits.
std::int64_t executed_flops(const ConvProblem& problem, const Lengths& lengths);

}  // namespace convlens::fft
