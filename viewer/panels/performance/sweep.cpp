// The sweep explorer: one size varied, a curve a row with the spread of its samples, and where curves change places.
#include <algorithm>
#include <cmath>
#include <functional>

#include "algorithms/measure/ruler.h"
#include "viewer/logic/handovers.h"
#include "viewer/panels/performance/performance.h"
#include "viewer/ui/plot.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

std::vector<SweepCurve> curves(const Bench& bench) {
  std::vector<SweepCurve> all;
  for (const Sweep& sweep : bench.compared.sweeps) {
    SweepCurve curve{sweep.run, {}, {}, {}, {}};
    for (std::size_t k = 0; k < sweep.jobs.size(); ++k) {
      const Curve* known = bench.known(sweep.jobs[k]);
      if (known == nullptr) continue;
      const Timing timing{.samples_ms = known->line.ms};
      curve.values.push_back(static_cast<double>(sweep.values[k]));
      curve.median.push_back(tflops(known->line.flops, timing.median_ms()));
      curve.low.push_back(tflops(known->line.flops, timing.quantile_ms(0.75)));
      curve.high.push_back(tflops(known->line.flops, timing.quantile_ms(0.25)));
    }
    if (!curve.values.empty()) all.push_back(std::move(curve));
  }
  return all;
}

}  // namespace

void draw_sweep(Bench& bench, ImVec2 size) {
  std::vector<SweepCurve> all = curves(bench);
  std::vector<double> values;
  for (const Sweep& sweep : bench.compared.sweeps)
    for (const std::int64_t value : sweep.values)
      if (std::ranges::find(values, static_cast<double>(value)) == values.end())
        values.push_back(static_cast<double>(value));
  std::ranges::sort(values);
  if (values.empty()) return faint_text("No row computes this layer with another value of what is swept.");
  double most = 0;
  // The names stand in the order of the curves' ends.
  std::ranges::sort(all, std::greater(), [](const SweepCurve& curve) { return curve.median.back(); });
  for (const SweepCurve& curve : all) most = std::max(most, *std::ranges::max_element(curve.high));
  if (all.empty()) {
    const bool measuring = bench.why_not.empty();
    return faint_text(measuring ? "Nothing of this sweep is measured yet."
                                : "Nothing of this sweep is recorded; it is measured where the rows can run.");
  }
  if (!bench.why_not.empty() && std::ranges::all_of(all, [](const SweepCurve& c) { return c.values.size() == 1; }))
    faint_text("Only one value of this sweep is recorded; the others are measured where the rows can run.");
  size.y = std::max(10 * ImGui::GetTextLineHeight(), std::min(size.y, ImGui::GetContentRegionAvail().y));
  if (most <= 0) most = 1;
  const double unit = most < 1 ? 1e3 : 1;
  std::vector<std::string> runs;
  for (const SweepCurve& curve : all) runs.push_back(curve.run);
  const double least_x = values.front() / 1.1;
  const double most_x = with_room(least_x, values.back(), runs, size);
  Plot plot("sweep", size,
            {.least = least_x,
             .most = most_x,
             .title = swept_title(bench.shown_state.performance.swept),
             .logarithmic = true,
             .ticks = values},
            {.least = 0, .most = most * unit * 1.1, .title = unit > 1 ? "GFLOPS" : "TFLOPS"});
  const auto scaled = [&](std::vector<double> rates) {
    for (double& rate : rates) rate *= unit;
    return rates;
  };
  for (const SweepCurve& curve : all) {
    const ImU32 colour = bench.colour_of(curve.run);
    plot.band(curve.values, scaled(curve.low), scaled(curve.high), colour);
    plot.line(curve.values, scaled(curve.median), colour, 2 * bench.scene.scale);
    for (std::size_t k = 0; k < curve.values.size(); ++k)
      plot.point(curve.values[k], curve.median[k] * unit, colour, true);
  }
  for (const Handover& handover : handovers(all, values))
    plot.upright(
        handover.value, ImGui::GetColorU32(ImGuiCol_Text),
        (handover.about ? "about " : "") + number_text(handover.value, 2) + ": " + handover.from + " | " + handover.to);
  std::vector<PlotLabel> names;
  for (const SweepCurve& curve : all)
    names.push_back({curve.values.back(), curve.median.back() * unit, bench.colour_of(curve.run), curve.run});
  plot.label_column(std::move(names));
}

}  // namespace convlens::viewer
