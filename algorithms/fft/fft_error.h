// What convolution by FFT promises about rounding.
//
//   |y − oracle| ≤ (3·log₂P + C_i/groups) · u · Σ_c ‖x_c‖₂·‖w_c‖₂      P = points of the two-dimensional transform
//
// with ‖x_c‖₂ over what the output's tile reads of channel c. One log₂P a transform (input, filter, inverse) and one u
// an addition over channels: by Cauchy–Schwarz a relative error ε of a spectrum changes y by at most ε·‖x_c‖₂·‖w_c‖₂
// (after Higham, "Accuracy and Stability of Numerical Algorithms", 2002, §24.1, with the constant measured here; see
// tests/fft/fft_error_test.cpp). Numbers so small that products underflow lose absolute amounts besides, of the size
// of the smallest subnormal η: η · log₂P · (√P · Σ_c (‖x_c‖₂ + ‖w_c‖₂) + C_i/groups + 1).
//
// Nothing is promised where a spectrum overflows: P · Σ_c ‖x_c‖₁·‖w_c‖₁ must stay below the accumulator's largest
// number (3.4·10³⁸ for f32). No finite f16 input of fewer than 2⁶⁴ multiplications comes near it.
#pragma once

#include "algorithms/fft/fft_map.h"
#include "algorithms/interface/error_model.h"

namespace convlens::fft {

// `spread` says how far a NaN goes: the whole image, or the tile.
ErrorModel error_model(const ConvProblem& problem, DType dtype, const Lengths& lengths, Spread spread);

}  // namespace convlens::fft
