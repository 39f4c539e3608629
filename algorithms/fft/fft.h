// Convolution by the discrete Fourier transform.
#pragma once

#include "algorithms/interface/algorithm.h"

namespace convlens {

const Algorithm& fft_ref();
const Algorithm& fft_cpu();

}  // namespace convlens
