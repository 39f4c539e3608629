// Where the complex numbers of fft.tc's spectra lie in memory. Tensor cores multiply real matrices, so each number is
// put together from real ones, which kernels/fft/fft_store.cuh writes and reads:
//
//   spectra                            in memory                 Re       Im
//   X̂ = a + ib                         planes a | b              a        b
//   Ŵ = c + id, of 4 multiplications   (c, −d) | (d, c)          c        d
//   Ŵ = c + id, of 3                   c | c + d | c − d         c        (c + d) − c
//   Ŷ, of 4                            planes                    Re       Im
//   Ŷ, of 3                            p | q | r                 p − r    p − q
//
// with p = Σ (a + b)·c, q = Σ a·(c + d), r = Σ b·(c − d). X̂ is stored times the power of two of its tile, Ŵ times that
// of its output channel, and Ŷ times both (fft_exponents.cu); no cell's place depends on them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/interface/plan.h"

namespace convlens::gpu {

// A real number in the buffer of a stage, by its offset in numbers of the stage's type, and the factor it counts with.
struct RealNumber {
  std::int64_t offset = 0;
  int factor = 1;
};

struct ComplexParts {
  std::vector<RealNumber> re, im;  // sums of these
};

// Whether a stage's numbers are put together so: those of fft.tc are, each other complex number is one cell.
bool in_parts(const Plan& plan, const Stage& stage);

// Of the number that `cell` of such a stage is, or is an entry of.
ComplexParts parts_of(const Plan& plan, const Stage& stage, const Coord& cell);

// What such a cell holds, where several make a number: "c + d", "p"; "" where it is the number itself.
std::string entry_text(const Plan& plan, const Stage& stage, const Coord& cell);

}  // namespace convlens::gpu
