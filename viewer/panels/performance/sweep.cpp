// The sweep explorer: one size varied, a curve a row with the spread of its samples, and where curves change places.
// Recorded points are hollow squares, on curves of their own.
#include <algorithm>
#include <cmath>
#include <functional>

#include "viewer/logic/handovers.h"
#include "viewer/panels/performance/performance.h"
#include "viewer/ui/plot.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

// What the points under the pointer are, and from where.
void draw_tooltip(const Plot& plot, const std::vector<SweepCurve>& all, double unit) {
  const ImVec2 at = ImGui::GetIO().MousePos;
  std::string says;
  for (const SweepCurve& curve : all)
    for (std::size_t k = 0; k < curve.values.size(); ++k)
      if (std::hypot(plot.x(curve.values[k]) - at.x, plot.y(curve.median[k] * unit) - at.y) <
          ImGui::GetTextLineHeight() / 2)
        says += (says.empty() ? "" : "\n") + curve.run + ": " + worker::rate_text(curve.median[k]) + ", " +
                (curve.made_on.empty() ? "measured" : "recorded on " + curve.made_on);
  if (!says.empty()) ImGui::SetTooltip("%s", says.c_str());
}

}  // namespace

void draw_sweep(Bench& bench, ImVec2 size) {
  std::vector<SweepCurve> all =
      sweep_curves(bench.compared.sweeps, [&](const worker::Job& job) { return bench.known(job); });
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
  const bool mixed = std::ranges::any_of(all, [](const SweepCurve& curve) { return curve.made_on.empty(); });
  const auto title_of = [&](const SweepCurve& curve) {
    return curve.run + (mixed && !curve.made_on.empty() ? " (recorded)" : "");
  };
  for (const SweepCurve& curve : all) runs.push_back(title_of(curve));
  const double least_x = values.front() / 1.1;
  const double most_x = with_room(least_x, values.back(), runs, size);
  Plot plot("sweep", size,
            {.least = least_x,
             .most = most_x,
             .title = swept_title(bench.shown_state.performance.swept),
             .logarithmic = true,
             .ticks = values},
            {.least = 0, .most = most * unit * 1.1, .title = unit > 1 ? "GFLOPS" : "TFLOPS"});
  if (plot.hovered()) draw_tooltip(plot, all, unit);
  const auto scaled = [&](std::vector<double> rates) {
    for (double& rate : rates) rate *= unit;
    return rates;
  };
  for (const SweepCurve& curve : all) {
    const ImU32 colour = bench.colour_of(curve.run);
    plot.band(curve.values, scaled(curve.low), scaled(curve.high), colour);
    plot.line(curve.values, scaled(curve.median), colour, 2 * bench.scene.scale);
    const bool measured = curve.made_on.empty();
    for (std::size_t k = 0; k < curve.values.size(); ++k)
      plot.point(curve.values[k], curve.median[k] * unit, colour, measured, !measured);
  }
  for (const Handover& handover : handovers(all, values))
    plot.upright(
        handover.value, ImGui::GetColorU32(ImGuiCol_Text),
        (handover.about ? "about " : "") + number_text(handover.value, 2) + ": " + handover.from + " | " + handover.to);
  std::vector<PlotLabel> names;
  for (const SweepCurve& curve : all)
    names.push_back({curve.values.back(), curve.median.back() * unit, bench.colour_of(curve.run), title_of(curve)});
  plot.label_column(std::move(names));
}

}  // namespace convlens::viewer
