// What im2win.ref and mec.ref share: filling the lowered tensor, and multiplying its windows by the filter.
//
// The window of one output pixel is a piece of the lowered tensor, and its values follow each other as the filter's do
// once that is packed in the same order (t counts the taps of the lowered axis, s those of the kept axis):
//
//   window   tensor, slowest to fastest   window      filter
//   NHWC     n, m, k, t, c                s, t, c     o, s, t, c
//   NCHW     n, c, m, k, t                c, s, t     o, c, s, t
//
// Without dilation no gap is left between the taps s. In NHWC the whole window is then *one* contiguous run of
// K = H_f·W_f·C_i values, and an output is one inner product of two rows: im2col's product, though neighbouring windows
// overlap in memory where im2col stores each apart. In NCHW it is C_i runs of H_f·W_f. Dilation on the kept axis
// leaves one run a tap s; groups, in NHWC, one run a pair (s, t), of C_i/groups channels.
#pragma once

#include <array>
#include <vector>

#include "algorithms/im2win/im2win.h"
#include "algorithms/im2win/im2win_map.h"
#include "algorithms/interface/dot.h"
#include "algorithms/interface/fill.h"
#include "algorithms/interface/tensor_maps.h"

namespace convlens {

inline Option window_option() {
  return {"window",
          "Window order",
          "Whether the channel is the fastest axis of the lowered tensor, or outside its rows.",
          {"NHWC", "NCHW"},
          "NHWC"};
}
inline WindowOrder window_order(const Request& request) {
  return request.options.is("window", "NHWC") ? WindowOrder::NHWC : WindowOrder::NCHW;
}

// The axes (n, c, m, k, t) of a lowered tensor from slowest to fastest.
inline std::vector<int> memory_order(WindowOrder order) {
  return order == WindowOrder::NHWC ? std::vector{0, 2, 3, 4, 1} : std::vector{0, 1, 2, 3, 4};
}

// `count` values (or inner loops), `step` elements apart.
struct Loop {
  std::int64_t count = 1, step = 0;
};

// A window: two loops around a contiguous run.
struct Runs {
  std::array<Loop, 2> outer;
  std::int64_t length = 1;
};

// Joins three nested loops, slowest first, into as long a run as the steps allow. The fastest has step 1.
inline Runs contiguous_runs(const std::array<Loop, 3>& loops) {
  Runs runs;
  std::size_t outer = 2;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    if (loop->count == 1) continue;
    if (outer == 2 && loop->step == runs.length)
      runs.length *= loop->count;
    else
      runs.outer[--outer] = *loop;
  }
  return runs;
}

template <class T>
Accumulator<T> window_product(const T* window, const T* filter, const Runs& runs) {
  Accumulator<T> sum = 0;
  for (std::int64_t i = 0; i < runs.outer[0].count; ++i)
    for (std::int64_t j = 0; j < runs.outer[1].count; ++j, filter += runs.length)
      sum += dot(window + i * runs.outer[0].step + j * runs.outer[1].step, filter, runs.length);
  return sum;
}

// The convolution over the lowered tensor that the stage `tensor` describes; fixed when planned, run many times.
template <Lowered kLowered>
struct StripConvolution {
  ConvProblem problem;
  WindowOrder order;
  Stage tensor;  // (n, c, m, k, t), stored
  Stage filter;  // (o, c, u, v), in the order of the windows
  Runs runs;

  StripConvolution(const Request& request, Stage lowered)
      : problem(request.problem), order(window_order(request)), tensor(std::move(lowered)) {
    const StripMap<kLowered> map(problem);
    constexpr bool rows = kLowered == Lowered::rows;
    const int c = 1, s = rows ? 3 : 2, t = rows ? 2 : 3;  // axes of w(o, c, u, v)
    const bool nhwc = order == WindowOrder::NHWC;
    filter = filter_stage(problem, request.dtype, nhwc ? std::vector{s, t, c} : std::vector{c, s, t});

    const Loop channels{problem.ci_per_group(), tensor.axes[1].stride};
    const Loop kept_taps{map.kept.taps, map.kept.dilation * tensor.axes[3].stride};
    const Loop lowered_taps{map.lowered.taps, tensor.axes[4].stride};
    runs = nhwc ? contiguous_runs({kept_taps, lowered_taps, channels})
                : contiguous_runs({channels, kept_taps, lowered_taps});
  }

  Decisions decide(DType dtype) const {
    Decisions d;
    d.stages = {tensor, filter};
    d.executed_flops = problem.flops();
    d.error_model = plain_sum_model(problem, dtype);
    d.execute = [convolution = *this](const Arguments& a, const Workspace& workspace, int threads, Stream) {
      visit(a.y.dtype, [&]<class T>() { convolution.template run<T>(a, workspace, threads); });
    };
    return d;
  }

  template <class T>
  void run(const Arguments& a, const Workspace& workspace, int threads) const {
    const StripMap<kLowered> map(problem);
    T* const cells = workspace.get<T>(tensor.id);
    T* const weights = workspace.get<T>(filter.id);
    fill(FilterMap(problem), filter, whole(filter), a.w.as<T>(), weights, threads);
    fill(map, tensor, whole(tensor), a.x.as<T>(), cells, threads);

    const View<T> y = a.y.as<T>();
    const Bias<T> bias = a.bias.as<T>();
#pragma omp parallel for collapse(3) num_threads(threads)
    for (std::int64_t n = 0; n < problem.n(); ++n)
      for (std::int64_t m = 0; m < map.lowered.outputs; ++m)
        for (std::int64_t j = 0; j < map.kept.outputs; ++j)
          for (std::int64_t o = 0; o < problem.co(); ++o) {
            const std::int64_t c = problem.group_of_output(o) * problem.ci_per_group();
            const T* window = cells + tensor.offset({n, c, m, j * map.kept.stride, 0});
            const Coord at = map.in_image(n, o, m, j);
            y(at[0], at[1], at[2], at[3]) =
                static_cast<T>(bias[o] + window_product(window, weights + o * problem.reduction(), runs));
          }
  }
};

}  // namespace convlens
