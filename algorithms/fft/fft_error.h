// What convolution by FFT promises about rounding.
//
//   |y − oracle| ≤ (3·log₂P + C_i/groups) · u · Σ_c ‖x_c‖₂·‖w_c‖₂      P = points of the two-dimensional transform
//
// with ‖x_c‖₂ over what the output's tile reads of channel c. One log₂P a transform (input, filter, inverse) and one u
// an addition over channels: by Cauchy–Schwarz a relative error ε of a spectrum changes y by at most ε·‖x_c‖₂·‖w_c‖₂
// (after Higham, "Accuracy and Stability of Numerical Algorithms", 2002, §24.1).
//
// The constant is measured: over 20000 problems like those of tests/fft/fft_error_test.cpp f32 and f64 stayed below 0.6
// of the bound, and below 0.03 on cv1–cv12. For f32 KissFFT computes its twiddles in f32, off by up to 7u; that is
// included.
//
// Numbers so small that products underflow lose absolute amounts besides, of the size of the smallest subnormal η:
// η · log₂P · (√P · Σ_c (‖x_c‖₂ + ‖w_c‖₂) + C_i/groups + 1). A bias adds u · (|bias| + Σ|x||w|).
//
// Nothing is promised where a spectrum overflows: P · Σ_c ‖x_c‖₁·‖w_c‖₁ must stay below the accumulator's largest
// number, 2¹²⁸ for f32. Finite f16 inputs can't reach it while P²·C_i/groups·H_f·W_f < 2⁹⁶.
//
// Spectra stored in a short type, scaled by an exact power of two for each tile and for each output channel's filter,
// are off by up to u_s each: + 2·u_s·Σ_c ‖x_c‖₂·‖w_c‖₂, or four times that with three multiplications in place of four,
// whose sums a + b and c ± d are larger and cancel. What falls below the type's normal numbers is off by half its
// smallest subnormal η_s: with the largest |x| of the tile scaled to at least 2¹⁵/(4P), and likewise |w|,
//
//   √2 · η_s/2 · 4P·2⁻¹⁵ · Σ_c (max|x| · ‖w_c‖₂ + max|w| · ‖x_c‖₂)
#pragma once

#include <optional>

#include "algorithms/fft/fft_map.h"
#include "algorithms/interface/error_model.h"

namespace convlens::fft {

// Spectra as tensor cores multiply them: the unit roundoff u_s and the smallest subnormal η_s of what they read, how
// many real multiplications a complex one is made of, and how many roundings an addition of theirs is worth.
struct ShortSpectra {
  double roundoff = unit_roundoff(DType::f16), smallest = smallest_subnormal(DType::f16);
  int multiplications = 4;
  double sums = 1;
};

// `spread` says how far a NaN goes: the whole image, or the tile. `phases`: how many products a channel has, where a
// stride is taken by phases; `lengths` are then those of all phases together.
ErrorModel error_model(const ConvProblem& problem, DType dtype, const Lengths& lengths, Spread spread,
                       std::int64_t phases = 1, const std::optional<ShortSpectra>& stored = std::nullopt);

}  // namespace convlens::fft
