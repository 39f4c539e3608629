// The roofline (Williams, Waterman & Patterson 2009): min(peak, intensity · bandwidth), and of every row two points:
// filled, the direct-equivalent FLOPs over the time; hollow, those that it really executes; square where the time is
// recorded. The abscissa is FLOPs a byte of x, w, bias and y, which must move at least once whatever the algorithm.
#include <algorithm>
#include <cmath>
#include <functional>

#include "viewer/panels/performance/performance.h"
#include "viewer/ui/plot.h"

namespace convlens::viewer {

namespace {

struct RowPoints {
  std::string run;
  double at = 0, tflops = 0;  // direct-equivalent
  double executed_at = 0, executed_tflops = 0;
  bool recorded = false;
  std::string source;  // "recorded on …"
};

std::vector<RowPoints> points(const Bench& bench) {
  std::vector<RowPoints> all;
  for (const worker::Job& job : bench.compared.rows) {
    const Curve* curve = bench.known(job);
    if (curve == nullptr || curve->line.flops <= 0) continue;
    all.push_back({job.run, intensity(curve->line.flops, job), curve->rate(), intensity(curve->line.executed, job),
                   curve->executed_tflops(), !curve->made_on.empty(), source_text(*curve)});
  }
  std::ranges::sort(all, std::greater(), &RowPoints::tflops);  // so that names stand in the order of their points
  return all;
}

constexpr const char* kAbscissa = "FLOPs a byte";

constexpr const char* kPoints = "filled: of the direct sum, hollow: executed";
constexpr const char* kSquares = "; squares: recorded";

// What the kinds of points are: beside the unit where that has room next to the abscissa's name, else in lines of
// their own above the plot, which is so much the lower.
std::string ordinate(double unit, bool squares, ImVec2& size) {
  const std::string points = std::string(kPoints) + (squares ? kSquares : "");
  const std::string name = unit > 1 ? "GFLOPS" : "TFLOPS", all = name + "; " + points;
  const float both = ImGui::CalcTextSize(all.c_str()).x + ImGui::CalcTextSize(kAbscissa).x;
  if (both + 2 * ImGui::GetTextLineHeight() < inside_of(size).x) return all;
  const float top = ImGui::GetCursorPosY();
  faint_text(points);
  size.y = std::max(8 * ImGui::GetTextLineHeight(), size.y - (ImGui::GetCursorPosY() - top));
  return name;
}

// The rows whose points are under the pointer, or, where there are none, what points are.
void draw_tooltip(const Plot& plot, const std::vector<RowPoints>& rows, double unit) {
  const ImVec2 at = ImGui::GetIO().MousePos;
  std::string says;
  for (const RowPoints& row : rows)
    for (const auto& [x, y] : {std::pair(row.at, row.tflops), std::pair(row.executed_at, row.executed_tflops)})
      if (std::hypot(plot.x(x) - at.x, plot.y(y * unit) - at.y) < ImGui::GetTextLineHeight() / 2) {
        says += (says.empty() ? "" : "\n") + row.run + ": " + worker::rate_text(y) + ", " + row.source;
        break;
      }
  if (says.empty())
    says =
        "Filled: FLOPs of the direct sum over the time; hollow: those that are executed.\n"
        "A byte: of x, w, bias and y";
  ImGui::SetTooltip("%s", says.c_str());
}

}  // namespace

void draw_roofline(Bench& bench, ImVec2 size) {
  const bool gpu = bench.compared.run.algorithm->unit != Unit::cpu;
  const auto& here = bench.study.ceilings(gpu);
  // Over a live run that is recorded there is the roof of where it was.
  const Curve* shown = bench.known(bench.compared.job);
  const bool measured = here && (shown == nullptr || shown->made_on.empty());
  const worker::Ceilings most =
      (measured ? here : bench.records.ceilings(bench.compared.job)).value_or(worker::Ceilings{});
  const Roof roof =
      roof_of(most, bench.compared.run.algorithm->unit_for(bench.shown_state.dtype), bench.shown_state.dtype);
  const double peak = roof.tflops;
  const std::vector<RowPoints> rows = points(bench);
  const auto recorded = std::ranges::count(rows, true, &RowPoints::recorded);
  const auto title_of = [&](const RowPoints& row) {
    const bool mixed = recorded != std::ssize(rows);
    return row.run + (row.recorded && mixed ? " (recorded)" : "");
  };
  double least_x = 1e9, most_x = 0, least_y = 1e9, most_y = peak;
  for (const RowPoints& row : rows)
    for (const auto& [px, py] : {std::pair(row.at, row.tflops), std::pair(row.executed_at, row.executed_tflops)}) {
      if (!(px > 0 && py > 0)) continue;
      least_x = std::min(least_x, px), most_x = std::max(most_x, px);
      least_y = std::min(least_y, py), most_y = std::max(most_y, py);
    }
  if (most_x <= 0) least_x = 1, most_x = 100;
  // Where the roof has its ridge; of records that do not know the slope it begins at the layer, which touches it.
  const double ridge = most.tbytes > 0 ? peak / most.tbytes : rows.empty() ? 0 : rows.front().at;
  if (peak > 0 && ridge > 0) least_x = std::min(least_x, ridge), most_x = std::max(most_x, ridge);
  if (most_y <= 0) most_y = 1;
  least_y = std::min(least_y, most_y / 10);
  const double unit = most_y < 1 ? 1e3 : 1;
  least_x /= 2;
  const std::string title = ordinate(unit, recorded > 0, size);
  std::vector<std::string> names;
  for (const RowPoints& row : rows) names.push_back(title_of(row));
  most_x = with_room(least_x, 1.2 * most_x, names, size);
  Plot plot("roofline", size, {.least = least_x, .most = most_x, .title = kAbscissa, .logarithmic = true},
            {.least = least_y / 2 * unit, .most = most_y * 2 * unit, .title = title, .logarithmic = true});
  if (plot.hovered()) draw_tooltip(plot, rows, unit);
  if (peak > 0 && ridge > 0) {
    std::vector<double> xs{ridge, most_x}, ys{peak * unit, peak * unit};
    if (most.tbytes > 0) xs.insert(xs.begin(), least_x), ys.insert(ys.begin(), least_x * most.tbytes * unit);
    plot.line(xs, ys, ImGui::GetColorU32(ImGuiCol_Text), 2 * bench.scene.scale);
  }
  for (const RowPoints& row : rows) {
    const ImU32 colour = bench.colour_of(row.run);
    const std::vector<double> xs{row.at, row.executed_at}, ys{row.tflops * unit, row.executed_tflops * unit};
    plot.point(row.at, row.tflops * unit, colour, true, row.recorded);
    if (!(row.executed_tflops > 0)) continue;  // not known
    plot.line(xs, ys, colour, bench.scene.scale);
    plot.point(row.executed_at, row.executed_tflops * unit, colour, false, row.recorded);
  }
  std::vector<PlotLabel> labels;
  for (const RowPoints& row : rows)
    labels.push_back({row.at, row.tflops * unit, bench.colour_of(row.run), title_of(row)});
  plot.label_column(std::move(labels));
  if (peak > 0 && ridge > 0)
    plot.label(ridge, peak * unit, ImGui::GetColorU32(ImGuiCol_Text),
               worker::rate_text(peak) + " " + roof.says + (measured ? ", measured" : ", recorded"), true);
}

}  // namespace convlens::viewer
