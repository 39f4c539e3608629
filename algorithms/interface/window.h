// The sliding window's arithmetic along one axis, shared by the index maps of all lowerings.
//
// Along one axis, tap t of output o reads input element i = o·stride + t·dilation − pad. The three queries of a map
// need this relation solved for each of its unknowns.
#pragma once

#include <cstdint>

#include "algorithms/problem/conv_problem.h"

namespace convlens {

struct WindowAxis {
  std::int64_t size = 0;     // input elements, without padding
  std::int64_t outputs = 0;  // output elements
  std::int64_t taps = 0;     // filter elements
  std::int64_t stride = 1, dilation = 1, pad = 0;

  static WindowAxis rows(const ConvProblem& p) {
    return {p.hi(), p.ho(), p.hf(), p.spec().stride_h, p.spec().dilation_h, p.spec().pad_top};
  }
  static WindowAxis columns(const ConvProblem& p) {
    return {p.wi(), p.wo(), p.wf(), p.spec().stride_w, p.spec().dilation_w, p.spec().pad_left};
  }

  std::int64_t input(std::int64_t output, std::int64_t tap) const { return output * stride + tap * dilation - pad; }
  bool inside(std::int64_t input) const { return input >= 0 && input < size; }

  // The padded input elements that windows touch: (outputs − 1)·stride + (taps − 1)·dilation + 1.
  std::int64_t span() const { return (outputs - 1) * stride + (taps - 1) * dilation + 1; }

  // Calls visit(output, tap) for every pair that reads `input`; at most one pair a tap.
  template <class Visit>
  void readers(std::int64_t input, Visit&& visit) const {
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t start = input + pad - tap * dilation;
      if (start >= 0 && start % stride == 0 && start / stride < outputs) visit(start / stride, tap);
    }
  }
};

}  // namespace convlens
