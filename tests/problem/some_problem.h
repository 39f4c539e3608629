// Random layers for tests.
#pragma once

#include "algorithms/problem/conv_problem.h"
#include "algorithms/tensor/random.h"

namespace convlens {

// Number `seed` of a stream of problems, small and legal, with every field in play.
inline ConvProblem some_problem(std::uint64_t seed) {
  for (std::uint64_t counter = 0;;) {
    const auto draw = [&](std::int64_t least, std::int64_t most) {
      return random_integer(seed, counter++, least, most);
    };
    ConvSpec s{.n = draw(0, 2),
               .hi = draw(1, 9),
               .wi = draw(1, 9),
               .hf = draw(1, 4),
               .wf = draw(1, 4),
               .stride_h = draw(1, 5),
               .stride_w = draw(1, 5),
               .pad_top = draw(0, 4),
               .pad_bottom = draw(0, 4),
               .pad_left = draw(0, 4),
               .pad_right = draw(0, 4),
               .dilation_h = draw(1, 3),
               .dilation_w = draw(1, 3),
               .groups = draw(1, 3),
               .bias = draw(0, 1) == 1};
    s.ci = s.groups * draw(1, 2);
    s.co = s.groups * draw(1, 2);
    if (broken_rules(s).empty()) return ConvProblem(s);
  }
}

}  // namespace convlens
