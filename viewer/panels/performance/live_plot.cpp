// The live line: samples as dots, their rolling median as steps, the lines of options that were left as ghosts, and
// peers as levels to be compared with.
#include <algorithm>
#include <cmath>

#include "algorithms/problem/parse.h"
#include "viewer/panels/performance/performance.h"
#include "viewer/ui/plot.h"

namespace convlens::viewer {

namespace {

constexpr double kWindowSeconds = 20;  // of the rolling plot
constexpr double kPauseSeconds = 1;    // between samples: other work was done meanwhile
constexpr float kDot = 2;
constexpr std::size_t kMany = 2000;  // samples, whose dots are fainter, so that they do not make one area

ImU32 see_through(ImU32 colour, float alpha) {
  ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
  c.w = alpha;
  return ImGui::ColorConvertFloat4ToU32(c);
}

// How high the plot is: all lines and levels in it since `first`, and room above the latest median for its samples;
// single ones that stick out are left aside.
double highest(const Bench& bench, const Curve* shown, double first) {
  double most = 0;
  const auto see = [&](const Curve& curve) {
    const double median = curve.rate();
    if (std::isfinite(median)) most = std::max(most, 1.4 * median);
    most = std::max(most, 1.1 * curve.highest_median(first));
  };
  if (shown != nullptr) see(*shown);
  for (const auto& ghost : bench.study.ghosts()) see(*ghost);
  for (const worker::Job& job : bench.compared.peers)
    if (const Curve* curve = bench.known(job)) most = std::max(most, 1.4 * curve->rate());
  return most > 0 ? most : 1;
}

void draw_curve(Plot& plot, const Curve& curve, double unit, float scale, bool ghost, const ImU32 colour) {
  std::vector<float> samples(curve.tflops.size()), medians(curve.median.size());
  std::ranges::transform(curve.tflops, samples.begin(), [&](float t) { return t * static_cast<float>(unit); });
  std::ranges::transform(curve.median, medians.begin(), [&](float t) { return t * static_cast<float>(unit); });
  const float alpha = (ghost ? 0.5f : 1) * (samples.size() > kMany ? 0.2f : 0.5f);
  plot.dots(curve.seconds, samples, see_through(colour, alpha), kDot * scale);
  // The median is outlined, to be seen among its own dots.
  const float thickness = (ghost ? 1.0f : 2.0f) * scale;
  plot.steps(curve.seconds, medians, kPauseSeconds, ImGui::GetColorU32(ImGuiCol_ChildBg), thickness + 3 * scale);
  plot.steps(curve.seconds, medians, kPauseSeconds, see_through(colour, ghost ? 0.6f : 1), thickness);
}

// The run, and what else was another when its line was left.
std::string ghost_name(const worker::Job& ghost, const worker::Job& now) {
  std::string says = ghost.run;
  if (ghost.spec != now.spec) says += " on " + (ghost.layer.empty() ? to_text(ghost.spec) : ghost.layer);
  if (ghost.spec.n != now.spec.n && !ghost.layer.empty()) says += " N=" + std::to_string(ghost.spec.n);
  if (ghost.dtype != now.dtype) says += " " + std::string(convlens::name(ghost.dtype));
  if (ghost.layouts != now.layouts) says += " " + std::string(convlens::name(ghost.layouts.x));
  if (ghost.kernel_alone != now.kernel_alone || ghost.cold_cache != now.cold_cache)
    says += ghost.kernel_alone ? ", kernel" : ghost.cold_cache ? ", cold" : ", call";
  return says;
}

// What each line's rate is the median of: the live one's rolls, that of a line that was left is of the whole line.
void draw_tooltip(const Bench& bench, const Curve* shown) {
  std::string says;
  const auto add = [&](const std::string& name, const Curve& curve) {
    says += (says.empty() ? "" : "\n") + name + ": " + worker::rate_text(curve.rate()) + ", " + curve.samples_text();
  };
  if (shown != nullptr && !shown->line.ms.empty()) add(shown->line.run, *shown);
  for (const auto& ghost : bench.study.ghosts()) add(ghost_name(ghost->job, bench.compared.job), *ghost);
  if (!says.empty()) ImGui::SetTooltip("%s", says.c_str());
}

}  // namespace

void draw_live_plot(Bench& bench, ImVec2 size) {
  const Curve* shown = bench.shown();
  const bool rolls = shown != nullptr && shown == bench.study.live();
  const double last = shown == nullptr || shown->seconds.empty() ? kWindowSeconds : shown->seconds.back();
  const double first = rolls ? std::max(0.0, last - kWindowSeconds) : 0;
  const double most = highest(bench, shown, first);
  const double unit = most < 1 ? 1e3 : 1;  // to GFLOPS
  Plot plot("live", size, {.least = first, .most = std::max(last, first + 1e-6), .title = rolls ? "s" : "s of samples"},
            {.least = 0, .most = most * unit, .title = unit > 1 ? "GFLOPS" : "TFLOPS"});
  if (plot.hovered()) draw_tooltip(bench, shown);
  for (const auto& ghost : bench.study.ghosts())
    if (ghost->seconds.back() >= first) draw_curve(plot, *ghost, unit, bench.scene.scale, true, palette().faint);
  if (shown != nullptr) draw_curve(plot, *shown, unit, bench.scene.scale, false, palette().lit);
  // Words and levels above all dots.
  for (const worker::Job& job : bench.compared.peers)
    if (const Curve* curve = bench.known(job); curve != nullptr && job.run != bench.compared.job.run)
      plot.level(curve->rate() * unit, bench.colour_of(job.run),
                 job.run + (curve->made_on.empty() ? "" : " (recorded)"));
  for (const auto& ghost : bench.study.ghosts())
    plot.level(ghost->rate() * unit, palette().faint, ghost_name(ghost->job, bench.compared.job));
  if (shown != nullptr && !shown->median.empty())
    plot.label(first + (last - first) * 0.02, static_cast<double>(shown->median.back()) * unit, palette().lit,
               shown->line.run + "  " + worker::rate_text(shown->rate()), true);
}

}  // namespace convlens::viewer
