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

struct Mean {
  double sum = 0;
  int count = 0;
  void add(double value) { sum += value, ++count; }
  double get() const { return count > 0 ? sum / count : kNaN; }
};

std::string percent(double share) { return fixed(100 * share, 0) + " %"; }

// The mean over the layers of what `of` makes of a result, where there is one.
double mean(const Results& results, const Ask& ask, const std::function<double(const Result&)>& of) {
  Mean mean;
  for (const std::string& layer : results.layers())
    if (const auto r = ask(layer)) mean.add(of(*r));
  return mean.get();
}

double share_of(double ceiling, const Results& results, const Ask& ask) {
  return mean(results, ask, [&](const Result& r) { return r.best_tflops / ceiling; });
}

// What a result's memory holds besides x, w, bias and y.
double workspace_share(const Results& results, const Ask& ask) {
  return mean(results, ask, [](const Result& r) {
    std::int64_t tensors = 0;
    for (const char* name : {"x", "w", "bias", "y"})
      if (r.bytes.contains(name)) tensors += r.bytes.at(name);
    return 1 - static_cast<double>(tensors) / static_cast<double>(r.ledger_bytes);
  });
}

class Comparison {
 public:
  explicit Comparison(const Results& results) : results_(results) {}

  Ratio of(const std::string& what, double least, double most, const Ask& over, const Ask& under, bool memory) const {
    Ratio r{.of = what, .paper_least = least, .paper_most = most, .least = kNaN, .most = kNaN};
    Mean best, median;
    for (const std::string& layer : results_.layers()) {
      const auto a = over(layer), b = under(layer);
      if (!a || !b) continue;
      const double value = memory ? bytes(*a) / bytes(*b) : a->best_tflops / b->best_tflops;
      best.add(memory ? value : std::log(value));
      median.add(memory ? value : std::log(a->median_tflops / b->median_tflops));
      if (!(value >= r.least)) r.least = value, r.least_layer = layer;
      if (!(value <= r.most)) r.most = value, r.most_layer = layer;
    }
    r.best = memory ? best.get() : std::exp(best.get());
    r.median = memory ? median.get() : std::exp(median.get());
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
  return "; im2win TC reaches " + percent(share_of(c.f16_tflops, results, im2win)) + " of this GPU's " +
         fixed(c.f16_tflops, 0) + " TFLOPS in f16, " + rival_name + " " +
         percent(share_of(c.*ceiling, results, rival)) +
         (ceiling == &Ceilings::f16_tflops ? "" : " of its " + fixed(c.*ceiling, 0) + " in f32") +
         ", in the mean of the layers";
}

// What the stored tensor alone costs: written once and read once, at the rate of copies.
std::string tensor_time(const Results& results, const Ask& im2win) {
  if (!results.ceilings()) return "";
  const double share = mean(results, im2win, [&](const Result& r) {
    const auto tensor = r.bytes.find("im2win");
    const double bytes = tensor == r.bytes.end() ? 0 : static_cast<double>(tensor->second);
    return 2e-9 * bytes / results.ceilings()->copy_tbytes / r.median_ms;
  });
  return "; writing and reading Î takes at least " + percent(share) + " of im2win TC's time";
}

std::string whose_memory(const Results& results, const Ask& im2win, const std::string& rival_name, const Ask& rival) {
  return "; besides input, filter and output there are " + percent(workspace_share(results, im2win)) +
         " of im2win TC's memory and " + percent(workspace_share(results, rival)) + " of " + rival_name +
         "'s, in the mean of the layers";
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
