#include "cli/paper/claims.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "algorithms/check/oracle.h"
#include "algorithms/measure/placed_buffer.h"
#include "algorithms/winograd/winograd.h"
#include "cli/numbers.h"

namespace convlens::cli::paper {

namespace {

// One number a layer, and how many of them a claim is right about.
struct Count {
  std::vector<double> values;
  int right = 0;

  void add(double value, bool holds) { values.push_back(value), right += holds ? 1 : 0; }
  double mean() const {
    double sum = 0;
    for (const double value : values) sum += std::log(value);
    return std::exp(sum / static_cast<double>(values.size()));
  }
  double least() const { return *std::ranges::min_element(values); }
  double most() const { return *std::ranges::max_element(values); }
  std::string verdict() const {
    const auto all = static_cast<int>(values.size());
    if (right == all) return all == 1 ? "holds" : "holds on all " + std::to_string(all) + " layers";
    if (right == 0) return "does not hold";
    return "holds on " + std::to_string(right) + " of " + std::to_string(all) + " layers";
  }
};

Claim speedup(const Results& results, const std::string& contender) {
  Claim claim{
      "Lowering to a matrix product yields \"5x to 20x speedups … compared to naive implementations\": " + contender,
      "", "not measured here"};
  Count count;
  for (const std::string& layer : results.layers())
    if (const auto gemm = results.find(layer, contender), naive = results.find(layer, "naive"); gemm && naive) {
      const double ratio = gemm->best_tflops / naive->best_tflops;
      count.add(ratio, ratio >= 5 && ratio <= 20);
    }
  if (count.values.empty()) return claim;
  claim.decided = "TFLOPS ÷ those of one thread an output: " + fixed(count.mean(), 1) + "× in the geometric mean, " +
                  fixed(count.least(), 1) + " to " + fixed(count.most(), 1);
  claim.verdict = count.verdict();
  if (const auto faster = std::ranges::count_if(count.values, [](double ratio) { return ratio > 20; }); faster > 0)
    claim.verdict += "; beyond 20x on " + std::to_string(faster);
  return claim;
}

Claim idle(const Results& results) {
  Claim claim{"Nested loops \"leave over 90% of a GPU's floating-point units idle\"", "", "not measured here"};
  if (!results.ceilings()) return claim;
  Count count;
  for (const std::string& layer : results.layers())
    if (const auto naive = results.find(layer, "naive")) {
      const double used = naive->best_tflops / results.ceilings()->f32_tflops;
      count.add(100 * used, used < 0.1);
    }
  if (count.values.empty()) return claim;
  claim.decided = "one thread an output, in f32, uses " + fixed(count.mean(), 1) +
                  " % of the rate of a large matrix product in the geometric mean, " + fixed(count.least(), 1) +
                  " to " + fixed(count.most(), 1) + " %; tensor cores, which it cannot use, are not counted";
  claim.verdict = count.verdict();
  return claim;
}

Claim boundaries() {
  const ErrorsByPlace e = winograd_errors();
  const auto digits = [](double value) { return significant(value, 2); };
  const bool holds = e.meeting > std::max({e.inside, e.corners, e.padding});
  return {"Transforms' \"differences are largest exactly where the padding and the tile boundaries meet\"",
          "mean |error| of F(4×4, 3×3) in f32, at tiles' corners: " + digits(e.meeting) + " along the padding, " +
              digits(e.corners) + " elsewhere; between the corners: " + digits(e.padding) + " along the padding, " +
              digits(e.inside) + " elsewhere; |y| itself is " + digits(e.mean_y_padding) + " along the padding and " +
              digits(e.mean_y_inside) + " elsewhere",
          holds ? "holds" : "does not hold"};
}

}  // namespace

ErrorsByPlace winograd_errors() {
  constexpr std::int64_t kTile = 4;
  const ConvProblem p({.n = 2,
                       .ci = 32,
                       .hi = 24,
                       .wi = 24,
                       .co = 32,
                       .hf = 3,
                       .wf = 3,
                       .pad_top = 1,
                       .pad_bottom = 1,
                       .pad_left = 1,
                       .pad_right = 1});
  const Inputs inputs = make_inputs(p, DType::f32, {});
  const Answer right = oracle(p, inputs);
  const auto plan = winograd_cpu().plan({p, DType::f32, {}, OptionSet::parse("m=4", winograd_cpu().options)});
  Tensor y(DType::f32, Layout::NCHW, p.y_shape());
  const PlacedBuffer memory(Place{}, plan->workspace_bytes());
  plan->run({inputs.x.view(), inputs.w.view(), {}, y.view()}, memory.span());

  struct Mean {
    double error = 0, y = 0;
    std::int64_t count = 0;
  };
  Mean means[2][2];  // [at the image's edge][at a tile's corner]
  const View<const float> computed = ConstTensorView(y.view()).as<float>();
  std::size_t k = 0;
  for (std::int64_t n = 0; n < p.n(); ++n)
    for (std::int64_t o = 0; o < p.co(); ++o)
      for (std::int64_t h = 0; h < p.ho(); ++h)
        for (std::int64_t w = 0; w < p.wo(); ++w, ++k) {
          const auto ends = [](std::int64_t at) { return at % kTile == 0 || at % kTile == kTile - 1; };
          const bool edge_h = h == 0 || h == p.ho() - 1, edge_w = w == 0 || w == p.wo() - 1;
          Mean& mean = means[edge_h || edge_w ? 1 : 0][ends(h) && ends(w) ? 1 : 0];
          mean.error += std::abs(computed(n, o, h, w) - right.y[k]);
          mean.y += std::abs(right.y[k]);
          ++mean.count;
        }
  const auto error = [](const Mean& m) { return m.error / static_cast<double>(m.count); };
  const auto size = [](const Mean& a, const Mean& b) { return (a.y + b.y) / static_cast<double>(a.count + b.count); };
  return {error(means[0][0]),
          error(means[0][1]),
          error(means[1][0]),
          error(means[1][1]),
          size(means[0][0], means[0][1]),
          size(means[1][0], means[1][1])};
}

std::vector<Claim> claims(const Results& results) {
  return {speedup(results, "im2col+cuBLAS CC, full batch"), speedup(results, "im2col+cuBLAS TC, full batch"),
          idle(results), boundaries()};
}

}  // namespace convlens::cli::paper
