// Small random layers for tests: ragged sizes, asymmetric padding, strides beyond the filter, dilation, groups,
// depthwise, 1×N filters, empty batches and bias. The same (seed, index) gives the same layer on every machine.
#pragma once

#include <algorithm>

#include "algorithms/problem/conv_problem.h"
#include "algorithms/tensor/random.h"

namespace convlens::testing {

// The same padding on all four sides.
inline ConvSpec padded(std::int64_t pad, ConvSpec spec) {
  spec.pad_top = spec.pad_bottom = spec.pad_left = spec.pad_right = pad;
  return spec;
}

// At most `most_multiplications`; `longest` bounds the sides of the image.
inline ConvProblem random_problem(std::uint64_t seed, std::uint64_t index, std::int64_t longest = 12,
                                  std::int64_t most_multiplications = 40000) {
  std::uint64_t counter = index << 20;
  const auto draw = [&](std::int64_t least, std::int64_t most) { return random_integer(seed, counter++, least, most); };
  while (true) {
    ConvSpec s;
    s.n = draw(0, 15) == 0 ? 0 : draw(1, 3);
    s.groups = draw(0, 2) == 0 ? draw(2, 4) : 1;
    s.ci = s.groups * (draw(0, 1) == 0 ? 1 : draw(1, 5));
    s.co = s.groups * draw(1, 5);
    s.hf = draw(1, 4), s.wf = draw(1, 4);
    s.stride_h = draw(1, 4), s.stride_w = draw(1, 4);
    s.dilation_h = draw(0, 2) == 0 ? draw(2, 3) : 1, s.dilation_w = draw(0, 2) == 0 ? draw(2, 3) : 1;
    s.pad_top = draw(0, 2), s.pad_bottom = draw(0, 2), s.pad_left = draw(0, 2), s.pad_right = draw(0, 2);
    s.hi = draw(1, longest), s.wi = draw(1, longest);
    s.bias = draw(0, 1) == 1;
    if (!broken_rules(s).empty()) continue;
    const ConvProblem problem(s);
    if (problem.multiplications() <= most_multiplications) return problem;
  }
}

}  // namespace convlens::testing
