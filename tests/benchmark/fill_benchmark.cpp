// What filling a buffer through its index map costs, against loops written by hand for the same tensor.
//
// Prints one line a (layer, tensor): milliseconds of both and their ratio; exits 1 when a ratio exceeds kBar. The two
// take turns and each counts with its fastest time, so that a busy machine disturbs the ratio little.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/im2col/im2col.h"
#include "algorithms/im2col/im2col_map.h"
#include "algorithms/im2win/im2win.h"
#include "algorithms/im2win/im2win_map.h"
#include "algorithms/interface/fill.h"
#include "algorithms/tensor/random.h"
#include "algorithms/tensor/tensor.h"

namespace {

using namespace convlens;

constexpr double kBar = 2.0;
constexpr int kRepeats = 15;
constexpr int kThreads = 1;

// Each writes its tensor in memory order, with what does not change in an inner loop moved out of it.
void im2col_by_hand(const ConvProblem& p, View<const float> x, float* to) {
  for (std::int64_t n = 0; n < p.n(); ++n)
    for (std::int64_t row = 0; row < p.ho(); ++row)
      for (std::int64_t column = 0; column < p.wo(); ++column)
        for (std::int64_t c = 0; c < p.ci(); ++c)
          for (std::int64_t u = 0; u < p.hf(); ++u) {
            const std::int64_t h = p.input_row(row, u);
            const bool row_inside = h >= 0 && h < p.hi();
            for (std::int64_t v = 0; v < p.wf(); ++v) {
              const std::int64_t w = p.input_column(column, v);
              *to++ = row_inside && w >= 0 && w < p.wi() ? x(n, c, h, w) : 0.0f;
            }
          }
}

void im2win_nhwc_by_hand(const ConvProblem& p, std::int64_t width, View<const float> x, float* to) {
  for (std::int64_t n = 0; n < p.n(); ++n)
    for (std::int64_t m = 0; m < p.ho(); ++m)
      for (std::int64_t k = 0; k < width; ++k) {
        const std::int64_t w = k - p.spec().pad_left;
        for (std::int64_t u = 0; u < p.hf(); ++u) {
          const std::int64_t h = p.input_row(m, u);
          const bool inside = h >= 0 && h < p.hi() && w >= 0 && w < p.wi();
          for (std::int64_t c = 0; c < p.ci(); ++c) *to++ = inside ? x(n, c, h, w) : 0.0f;
        }
      }
}

void im2win_nchw_by_hand(const ConvProblem& p, std::int64_t width, View<const float> x, float* to) {
  for (std::int64_t n = 0; n < p.n(); ++n)
    for (std::int64_t c = 0; c < p.ci(); ++c)
      for (std::int64_t m = 0; m < p.ho(); ++m)
        for (std::int64_t k = 0; k < width; ++k) {
          const std::int64_t w = k - p.spec().pad_left;
          const bool column_inside = w >= 0 && w < p.wi();
          for (std::int64_t u = 0; u < p.hf(); ++u) {
            const std::int64_t h = p.input_row(m, u);
            *to++ = column_inside && h >= 0 && h < p.hi() ? x(n, c, h, w) : 0.0f;
          }
        }
}

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

using Fill = std::function<void(float* to)>;

// Returns whether the two agree and the bar is met.
bool compare(const char* layer, Layout layout, const char* tensor, const Stage& stage, const Fill& by_hand,
             const Fill& by_map) {
  const HostBuffer hand(stage.bytes()), map(stage.bytes());
  float* const a = reinterpret_cast<float*>(hand.data());
  float* const b = reinterpret_cast<float*>(map.data());
  double hand_ms = 1e300, map_ms = 1e300;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    hand_ms = std::min(hand_ms, milliseconds([&] { by_hand(a); }));
    map_ms = std::min(map_ms, milliseconds([&] { by_map(b); }));
  }
  const bool equal = std::memcmp(a, b, static_cast<std::size_t>(stage.bytes())) == 0;
  const double ratio = map_ms / hand_ms;
  std::printf("%-8s %-5s %-12s %10.2f %10.2f %7.2f%s\n", layer, std::string(name(layout)).c_str(), tensor, hand_ms,
              map_ms, ratio, equal ? (ratio <= kBar ? "" : "  above the bar") : "  DIFFERENT VALUES");
  return equal && ratio <= kBar;
}

bool layer(const char* name, const ConvProblem& p, Layout layout) {
  Tensor tensor(DType::f32, layout, p.x_shape());
  fill(tensor.view(), [&](auto n, auto c, auto h, auto w) {
    return random_uniform(1, static_cast<std::uint64_t>(((n * p.ci() + c) * p.hi() + h) * p.wi() + w));
  });
  const View<const float> x = std::as_const(tensor).as<float>();

  bool good = true;
  const Stage matrix = im2col_stage(p, DType::f32);
  good &= compare(
      name, layout, "im2col", matrix, [&](float* to) { im2col_by_hand(p, x, to); },
      [&](float* to) { fill(Im2colMap(p), matrix, whole(matrix), x, to, kThreads); });

  const Im2winMap map(p);
  const std::int64_t width = map.kept.span();
  const Stage nhwc = im2win_stage(p, DType::f32, WindowOrder::NHWC);
  good &= compare(
      name, layout, "im2win NHWC", nhwc, [&](float* to) { im2win_nhwc_by_hand(p, width, x, to); },
      [&](float* to) { fill(map, nhwc, whole(nhwc), x, to, kThreads); });
  const Stage nchw = im2win_stage(p, DType::f32, WindowOrder::NCHW);
  good &= compare(
      name, layout, "im2win NCHW", nchw, [&](float* to) { im2win_nchw_by_hand(p, width, x, to); },
      [&](float* to) { fill(map, nchw, whole(nchw), x, to, kThreads); });
  return good;
}

}  // namespace

int main() {
  std::printf("%-8s %-5s %-12s %10s %10s %7s\n", "layer", "x", "tensor", "hand ms", "map ms", "ratio");
  const ConvProblem cv9({.n = 4, .ci = 64, .hi = 56, .wi = 56, .co = 64, .hf = 3, .wf = 3});
  const ConvProblem padded({.n = 4,
                            .ci = 64,
                            .hi = 56,
                            .wi = 56,
                            .co = 64,
                            .hf = 3,
                            .wf = 3,
                            .pad_top = 1,
                            .pad_bottom = 1,
                            .pad_left = 1,
                            .pad_right = 1});
  const ConvProblem cv4(
      {.n = 1, .ci = 64, .hi = 224, .wi = 224, .co = 64, .hf = 7, .wf = 7, .stride_h = 2, .stride_w = 2});
  bool good = true;
  for (Layout layout : {Layout::NCHW, Layout::NHWC}) {
    good &= layer("cv9", cv9, layout);
    good &= layer("cv9 pad", padded, layout);
    good &= layer("cv4", cv4, layout);
  }
  return good ? 0 : 1;
}
