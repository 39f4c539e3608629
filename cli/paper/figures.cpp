#include "cli/paper/figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "cli/paper/notes.h"

namespace convlens::cli::paper {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kGB = 1e9;

using Ask = std::function<std::optional<Result>(const std::string& layer)>;

enum class What : std::uint8_t { tflops, ledger_gb, device_gb };

class Draft {
 public:
  Draft(const Results& results, What what, std::string title, std::string caption)
      : results_(results),
        what_(what),
        figure_{std::move(title), what == What::tflops ? "TFLOPS" : "GB", std::move(caption), {}, results.layers(), {}},
        gaps_(results) {}

  void add(const std::string& name, const Ask& ask) {
    Series series{name, {}, {}};
    for (const std::string& layer : results_.layers()) {
      const auto r = ask(layer);
      series.best.push_back(r ? number(*r, true) : kNaN);
      series.median.push_back(r ? number(*r, false) : kNaN);
      if (r) changes_.add(layer, *r);
    }
    if (std::ranges::any_of(series.best, [](double v) { return !std::isnan(v); }))
      figure_.series.push_back(std::move(series));
  }
  void add(const std::string& contender) {
    add(contender, [&](const std::string& layer) { return results_.find(layer, contender); });
    gaps_.add(contender);
  }
  void add_fastest(const std::string& name, const std::vector<Contender>& of) {
    add(name, [&](const std::string& layer) { return results_.fastest(layer, of); });
  }
  Figure take() {
    for (const auto& notes : {gaps_.notes(), changes_.notes()})
      figure_.notes.insert(figure_.notes.end(), notes.begin(), notes.end());
    return std::move(figure_);
  }

 private:
  double number(const Result& r, bool best) const {
    if (what_ == What::tflops) return best ? r.best_tflops : r.median_tflops;
    if (what_ == What::ledger_gb) return static_cast<double>(r.ledger_bytes) / kGB;
    return r.device_bytes ? static_cast<double>(*r.device_bytes) / kGB : kNaN;
  }

  const Results& results_;
  What what_;
  Figure figure_;
  Gaps gaps_;
  Changes changes_;
};

Figure overall(const Results& results, Unit unit, What what) {
  const bool tc = unit == Unit::tc;
  const std::string cores = tc ? "tensor cores" : "CUDA cores";
  const std::string of = what == What::tflops      ? "TFLOPS"
                         : what == What::ledger_gb ? "memory by the ledger"
                                                   : "memory as the device reports it";
  Draft draft(results, what, "Fig. 2, " + cores + ": " + of,
              (what == What::tflops
                   ? "Direct-equivalent TFLOPS of the fastest run on the layer, "
                   : "Input, filter, output and workspace at their peak, of the run that is fastest on the layer, ") +
                  std::string(tc ? "of cuDNN's and of im2win's four option sets of Fig. 4." : "of cuDNN's."));
  if (tc)
    draft.add_fastest("im2win TC", ablation());
  else
    for (const char* name : {"im2win CC", "im2win CC, fused"}) draft.add(name);
  draft.add_fastest(tc ? "cuDNN TC" : "cuDNN CC", all_of_cudnn(unit));
  draft.add(tc ? "im2col+cuBLAS TC, by image" : "im2col+cuBLAS CC, by image");
  draft.add(tc ? "im2col+cuBLAS TC, full batch" : "im2col+cuBLAS CC, full batch");
  return draft.take();
}

Figure micro(const Results& results, Unit unit, What what) {
  const bool tc = unit == Unit::tc;
  Draft draft(results, what,
              std::string("Fig. 3, ") + (tc ? "tensor cores: " : "CUDA cores: ") +
                  (what == What::tflops ? "TFLOPS" : "memory by the ledger"),
              "cuDNN's algorithms, each forced where it computes the layer, and im2win.");
  if (tc)
    draft.add_fastest("im2win TC", ablation());
  else
    for (const char* name : {"im2win CC", "im2win CC, fused"}) draft.add(name);
  for (const Contender& c : forced(unit)) draft.add(c.name);
  draft.add(tc ? "im2col+cuBLAS TC, by image" : "im2col+cuBLAS CC, by image");
  return draft.take();
}

Figure optimisations(const Results& results) {
  Draft draft(results, What::tflops, "Fig. 4: TFLOPS of the ablation",
              "The baseline has zig-zag, asynchronous copies and double buffers; each of the others lacks one.");
  for (const Contender& c : ablation()) draft.add(c.name);
  draft.add("im2win TC, defaults");
  return draft.take();
}

Figure others(const Results& results) {
  Draft draft(results, What::tflops, "Beyond the paper: TFLOPS of the other rows on tensor cores",
              "This program's rows beside im2win and cuDNN, the same layers in the same run.");
  draft.add_fastest("im2win TC", ablation());
  for (const char* name : {"im2win TC, defaults", "direct TC", "implicit GEMM TC", "Winograd TC", "FFT TC"})
    draft.add(name);
  draft.add_fastest("cuDNN TC", all_of_cudnn(Unit::tc));
  return draft.take();
}

}  // namespace

std::vector<Figure> figures(const Results& results) {
  std::vector<Figure> all;
  for (const Unit unit : {Unit::cc, Unit::tc})
    for (const What what : {What::tflops, What::ledger_gb, What::device_gb})
      all.push_back(overall(results, unit, what));
  for (const Unit unit : {Unit::cc, Unit::tc})
    for (const What what : {What::tflops, What::ledger_gb}) all.push_back(micro(results, unit, what));
  all.push_back(optimisations(results));
  all.push_back(others(results));
  std::erase_if(all, [](const Figure& figure) { return figure.series.empty(); });
  return all;
}

std::vector<BestOfLayer> table_2(const Results& results) {
  std::vector<BestOfLayer> table;
  for (const std::string& layer : results.layers()) {
    const auto fastest = [&](const std::vector<Contender>& of) {
      const auto r = results.fastest(layer, of);
      return r ? r->contender : "–";
    };
    table.push_back({layer, fastest(all_of_cudnn(Unit::cc)), fastest(all_of_cudnn(Unit::tc)), fastest(ablation())});
  }
  return table;
}

}  // namespace convlens::cli::paper
