// Rows that are wrong on purpose, to see that the checker notices: direct.ref with something done to its inputs, its
// outputs or its memory.
#pragma once

#include <functional>
#include <string>

#include "algorithms/direct/direct.h"
#include "algorithms/interface/algorithm.h"
#include "algorithms/tensor/tensor.h"

namespace convlens::testing {

// One run of a spoilt row.
struct Spoiling {
  const ConvProblem& problem;
  const Arguments& arguments;
  const Workspace& workspace;  // 64 bytes called "scratch"
  int threads;
  std::function<void(const Arguments&)> compute;  // the right result
};

inline Algorithm spoilt(const std::string& id, const std::function<void(const Spoiling&)>& spoil) {
  Algorithm row = direct_ref();
  row.id = "spoilt." + id;
  row.family = "spoilt";
  row.decide = [spoil](const Request& request) {
    Decisions d = direct_ref().decide(request);
    d.scratch = {{"scratch", 64}};
    d.execute = [=, problem = request.problem, right = d.execute](const Arguments& a, const Workspace& workspace,
                                                                  int threads, Stream stream) {
      spoil({problem, a, workspace, threads, [&](const Arguments& of) { right(of, workspace, threads, stream); }});
    };
    return d;
  };
  return row;
}

// Computes the right result and then changes y.
inline Algorithm spoilt_output(const std::string& id, const std::function<void(const TensorView& y)>& change) {
  return spoilt(id, [change](const Spoiling& s) {
    s.compute(s.arguments);
    change(s.arguments.y);
  });
}

// Computes the right result of a changed copy of x and w.
inline Algorithm spoilt_inputs(const std::string& id,
                               const std::function<void(const TensorView& x, const TensorView& w)>& change) {
  return spoilt(id, [change](const Spoiling& s) {
    Tensor x = converted(s.arguments.x, s.arguments.x.dtype, Layout::NCHW);
    Tensor w = converted(s.arguments.w, s.arguments.w.dtype, FilterLayout::OIHW);
    change(x.view(), w.view());
    Arguments arguments = s.arguments;
    arguments.x = x.view();
    arguments.w = w.view();
    s.compute(arguments);
  });
}

inline void set(const TensorView& view, const Shape& at, double value) {
  visit(view.dtype, [&]<class T>() { view.as<T>()(at[0], at[1], at[2], at[3]) = static_cast<T>(value); });
}
inline double get(const ConstTensorView& view, const Shape& at) { return element(view, at[0], at[1], at[2], at[3]); }

// Calls visit(at) for every coordinate.
template <class Visit>
void for_each(const Shape& shape, const Visit& visit) {
  for (std::int64_t n = 0; n < shape[0]; ++n)
    for (std::int64_t c = 0; c < shape[1]; ++c)
      for (std::int64_t h = 0; h < shape[2]; ++h)
        for (std::int64_t w = 0; w < shape[3]; ++w) visit(Shape{n, c, h, w});
}

}  // namespace convlens::testing
