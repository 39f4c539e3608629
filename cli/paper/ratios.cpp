#include "cli/paper/ratios.h"

#include <cmath>
#include <functional>
#include <limits>

#include "cli/numbers.h"

namespace convlens::cli::paper {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kTolerance = 0.15;  // the paper's figures have two digits, and its GPU is another

using Ask = std::function<std::optional<Result>(const std::string& layer)>;

// One number a layer: their geometric mean, the least and the most.
struct Spread {
  double logs = 0, least = kNaN, most = kNaN;
  int count = 0;
  std::string least_layer{}, most_layer{};

  void add(const std::string& layer, double value) {
    logs += std::log(value), ++count;
    if (!(value >= least)) least = value, least_layer = layer;
    if (!(value <= most)) most = value, most_layer = layer;
  }
  double mean() const { return count > 0 ? std::exp(logs / count) : kNaN; }
};

std::string percent(double share) { return fixed(100 * share, 0) + " %"; }

// What `of` makes of each layer's result, where there is one and it is no NaN.
Spread spread(const Results& results, const Ask& ask, const std::function<double(const Result&)>& of) {
  Spread spread;
  for (const std::string& layer : results.layers())
    if (const auto r = ask(layer))
      if (const double value = of(*r); !std::isnan(value)) spread.add(layer, value);
  return spread;
}

Spread share_of(double ceiling, const Results& results, const Ask& ask) {
  return spread(results, ask, [&](const Result& r) { return r.best_tflops / ceiling; });
}

// "18 % (4 on cv7 to 31 on cv5)"
std::string percents(const Spread& s) {
  if (s.count < 2) return percent(s.mean());
  return percent(s.mean()) + " (" + fixed(100 * s.least, 0) + " on " + s.least_layer + " to " + fixed(100 * s.most, 0) +
         " on " + s.most_layer + ")";
}

// How many times x, w, bias and y a result's memory is, in the mean.
double times_tensors(const Results& results, const Ask& ask) {
  return spread(results, ask,
                [](const Result& r) {
                  std::int64_t tensors = 0;
                  for (const char* name : {"x", "w", "bias", "y"})
                    if (r.bytes.contains(name)) tensors += r.bytes.at(name);
                  return static_cast<double>(r.ledger_bytes) / static_cast<double>(tensors);
                })
      .mean();
}

class Comparison {
 public:
  explicit Comparison(const Results& results) : results_(results) {}

  Ratio of(const std::string& what, double least, double most, const Ask& over, const Ask& under, bool memory) const {
    Ratio r{.of = what, .paper_least = least, .paper_most = most, .least = kNaN, .most = kNaN};
    Spread best, median;
    for (const std::string& layer : results_.layers()) {
      const auto a = over(layer), b = under(layer);
      if (!a || !b) continue;
      best.add(layer, memory ? bytes(*a) / bytes(*b) : a->best_tflops / b->best_tflops);
      median.add(layer, memory ? bytes(*a) / bytes(*b) : a->median_tflops / b->median_tflops);
    }
    r.best = best.mean(), r.median = median.mean();
    r.least = best.least, r.least_layer = best.least_layer;
    r.most = best.most, r.most_layer = best.most_layer;
    r.verdict = verdict(r, memory);
    return r;
  }

 private:
  static double bytes(const Result& r) { return static_cast<double>(r.ledger_bytes); }

  std::string verdict(const Ratio& r, bool memory) const {
    if (std::isnan(r.best)) return "not measured here";
    const bool above = r.best > r.paper_most * (1 + kTolerance), below = r.best < r.paper_least * (1 - kTolerance);
    std::string text = std::isnan(r.paper_least) ? "the paper has no such ratio"
                       : above || below          ? "does not agree"
                                                 : "agrees";
    if (above) text += memory ? ": more memory than in the paper" : ": more than in the paper";
    if (below) text += memory ? ": less memory than in the paper" : ": less than in the paper";
    if (r.least != r.most)
      text +=
          ", from " + fixed(r.least, 2) + " on " + r.least_layer + " to " + fixed(r.most, 2) + " on " + r.most_layer;
    return text;
  }

  const Results& results_;
};

// How much of this GPU im2win TC uses, and its rival, on cores whose matrix rate is `ceiling`.
std::string how_far(const Results& results, const Ask& im2win, const std::string& rival_name, const Ask& rival,
                    double Ceilings::*ceiling) {
  if (!results.ceilings()) return "";
  const Ceilings& c = *results.ceilings();
  return "; im2win TC reaches " + percents(share_of(c.f16_tflops, results, im2win)) + " of this GPU's " +
         fixed(c.f16_tflops, 0) + " TFLOPS in f16, " + rival_name + " " +
         percents(share_of(c.*ceiling, results, rival)) +
         (ceiling == &Ceilings::f16_tflops ? "" : " of its " + fixed(c.*ceiling, 0) + " in f32");
}

// What the stored tensor alone costs: written once and read once, at the rate of copies.
std::string tensor_time(const Results& results, const Ask& im2win) {
  if (!results.ceilings()) return "";
  const Spread share = spread(results, im2win, [&](const Result& r) {
    const auto tensor = r.bytes.find("im2win");
    const double bytes = tensor == r.bytes.end() ? kNaN : static_cast<double>(tensor->second);
    return 2e-9 * bytes / results.ceilings()->copy_tbytes / r.median_ms;
  });
  if (share.count == 0) return "";
  return "; at the rate of copies, writing and reading Î once takes " + percents(share) + " of im2win TC's time";
}

std::string whose_memory(const Results& results, const Ask& im2win, const std::string& rival_name, const Ask& rival) {
  return "; im2win TC holds " + fixed(times_tensors(results, im2win), 2) + "× its input, filter and output, " +
         rival_name + " " + fixed(times_tensors(results, rival), 2) + "×";
}

// How many times im2col full batch is as fast as image by image: what launches and short products cost.
std::string batching(const Results& results, const Ask& image, const Ask& full) {
  const Ratio r = Comparison(results).of("", 1, 1, full, image, false);
  if (std::isnan(r.best)) return "";
  return "; im2col itself is " + fixed(r.best, 1) + "× as fast when it lowers the whole batch at once";
}

}  // namespace

std::vector<Ratio> ratios(const Results& results) {
  const auto one = [&](const std::string& name) -> Ask {
    return [&results, name](const std::string& layer) { return results.find(layer, name); };
  };
  const auto best_of = [&](std::vector<Contender> of) -> Ask {
    return [&results, of](const std::string& layer) { return results.fastest(layer, of); };
  };
  const Ask im2win = best_of(ablation()), cudnn = best_of(all_of_cudnn(Unit::tc));
  const Ask image = one("im2col+cuBLAS TC, by image"), full = one("im2col+cuBLAS TC, full batch");
  const Ask own_cc = one("im2win CC");
  const Comparison compare(results);

  std::vector<Ratio> all{
      compare.of("TFLOPS, im2win TC ÷ cuDNN TC", 1.4, 1.4, im2win, cudnn, false),
      compare.of("TFLOPS, im2win TC ÷ im2col+cuBLAS TC by image", 6.4, 6.4, im2win, image, false),
      compare.of("TFLOPS, im2win TC ÷ im2col+cuBLAS TC full batch", kNaN, kNaN, im2win, full, false),
      compare.of("TFLOPS, im2win TC ÷ im2win CC", 2.7, 2.8, im2win, own_cc, false),
      compare.of("memory, im2win TC ÷ cuDNN TC", 0.53, 0.53, im2win, cudnn, true),
      compare.of("memory, im2win TC ÷ im2col+cuBLAS TC by image", 0.35, 0.35, im2win, image, true),
      compare.of("memory, im2win TC ÷ im2col+cuBLAS TC full batch", kNaN, kNaN, im2win, full, true),
  };
  const auto explain = [&](std::size_t k, const std::string& why) {
    if (!std::isnan(all[k].best)) all[k].verdict += why;
  };
  explain(0, how_far(results, im2win, "cuDNN", cudnn, &Ceilings::f16_tflops) + tensor_time(results, im2win));
  explain(1, batching(results, image, full));
  explain(3, how_far(results, im2win, "im2win CC", own_cc, &Ceilings::f32_tflops));
  explain(4, whose_memory(results, im2win, "cuDNN", cudnn));
  explain(5, whose_memory(results, im2win, "im2col", image));
  explain(6, whose_memory(results, im2win, "im2col", full));
  return all;
}

}  // namespace convlens::cli::paper
