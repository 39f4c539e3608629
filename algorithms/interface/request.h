// A request: everything a row needs to know to say whether it can, and to plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "algorithms/interface/option.h"
#include "algorithms/problem/conv_problem.h"
#include "algorithms/tensor/dtype.h"
#include "algorithms/tensor/place.h"

namespace convlens {

// The declared layouts of input, filter and output. The views that a plan is run with may have other strides.
struct Layouts {
  Layout x = Layout::NCHW;
  FilterLayout w = FilterLayout::OIHW;
  Layout y = Layout::NCHW;

  bool operator==(const Layouts&) const = default;
};

struct Request {
  ConvProblem problem;
  DType dtype = DType::f32;
  Layouts layouts{};
  OptionSet options{};
  Place place{};
  int threads = 0;                                // 0: as many as the machine has
  std::optional<std::int64_t> memory_limit = {};  // bytes for input, filter, output and workspace together

  // How many threads a plan for this request uses.
  int resolved_threads() const;

  std::int64_t x_bytes() const { return elements(problem.x_shape()) * size_of(dtype); }
  std::int64_t w_bytes() const { return elements(problem.w_shape()) * size_of(dtype); }
  std::int64_t y_bytes() const { return elements(problem.y_shape()) * size_of(dtype); }
  std::int64_t bias_bytes() const { return problem.bias() ? problem.co() * size_of(dtype) : 0; }
  std::int64_t tensor_bytes() const { return x_bytes() + w_bytes() + y_bytes() + bias_bytes(); }
};

// The answer to "can you?".
struct Support {
  bool ok = true;
  std::string reason;              // one line: the rule that failed and the offending value
  std::optional<Request> nearest;  // the nearest request that would run, where there is one

  explicit operator bool() const { return ok; }
};

}  // namespace convlens
