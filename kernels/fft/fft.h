// Convolution by the discrete Fourier transform, on a GPU.
#pragma once

#include "algorithms/interface/algorithm.h"

namespace convlens::gpu {

const Algorithm& fft_cc();
const Algorithm& fft_tc();

}  // namespace convlens::gpu
