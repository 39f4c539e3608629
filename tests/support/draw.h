// Random numbers for tests, one after the other: the same seed gives the same test on every machine.
#pragma once

#include "algorithms/problem/conv_problem.h"
#include "algorithms/tensor/random.h"

namespace convlens::testing {

struct Draw {
  std::uint64_t seed = 1;
  std::uint64_t counter = 0;

  // Uniform in {least, …, most}.
  std::int64_t operator()(std::int64_t least, std::int64_t most) {
    return random_integer(seed, counter++, least, most);
  }
  bool coin() { return (*this)(0, 1) == 1; }
};

// A small layer with batch, channels, ragged sizes, padding on each side by itself, and the filter within the
// padded input; stride, dilation and groups are left at 1.
inline ConvSpec drawn_layer(Draw& draw) {
  ConvSpec s;
  s.n = draw(1, 3), s.ci = draw(1, 5), s.co = draw(1, 5);
  s.hf = draw(1, 4), s.wf = draw(1, 4);
  s.hi = draw(s.hf, 12), s.wi = draw(s.wf, 12);
  s.pad_top = draw(0, 2), s.pad_bottom = draw(0, 2), s.pad_left = draw(0, 2), s.pad_right = draw(0, 2);
  return s;
}

}  // namespace convlens::testing
