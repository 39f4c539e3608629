// How many outputs have an error of each size: one line a row, in the type in front, beside what is promised.
#include <algorithm>
#include <cmath>
#include <utility>

#include "viewer/panels/numerics/numerics.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

constexpr int kLeast = Histogram::kLeast, kMost = Histogram::kMost;

ImU32 colour_of_run(std::size_t run) { return palette().series[run % 8]; }

// The plot's area, with one bin more at each side: no error at all, and NaN or Inf.
struct Axes {
  ImVec2 first, last;
  float bin = 0;

  static constexpr int kBins = (kMost - kLeast) * Histogram::kPerDecade + 2;
  float x(double power) const {  // of an error of 10^power
    return first.x + bin * static_cast<float>(1 + (power - kLeast) * Histogram::kPerDecade);
  }
  float y(double part) const { return last.y - (last.y - first.y) * static_cast<float>(part); }
};

void draw_scale(const Axes& axes) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({axes.first.x, axes.last.y}, axes.last, palette().faint);
  const float gap = ImGui::GetFontSize() * 0.4f;
  const std::string least = "0", most = "NaN, Inf";  // of the bins at the sides
  const float end = axes.last.x - ImGui::CalcTextSize(most.c_str()).x;
  list.AddText({axes.first.x, axes.last.y + 5}, palette().faint, least.c_str());
  list.AddText({end, axes.last.y + 5}, palette().faint, most.c_str());
  // From where on a number may stand without touching the one before.
  float free = axes.first.x + ImGui::CalcTextSize(least.c_str()).x + gap;
  for (int power = kLeast; power <= kMost; ++power) {
    const float x = axes.x(power);
    list.AddLine({x, axes.last.y}, {x, axes.last.y + 4}, palette().faint);
    const std::string text = number_text(std::pow(10.0, power), power > 0 ? 5 : 1);
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    if (x - width / 2 < free || x + width / 2 + gap > end) continue;
    list.AddText({x - width / 2, axes.last.y + 5}, palette().faint, text.c_str());
    free = x + width * 0.5f + gap;
  }
}

// The outline of the bins; of the row in front filled.
void draw_line(const Axes& axes, const Histogram& histogram, ImU32 colour, bool front) {
  const std::int64_t most = std::max({histogram.most, histogram.zero, histogram.infinite, std::int64_t{1}});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float before = axes.last.y;
  for (int bin = 0; bin < Axes::kBins; ++bin) {
    const std::int64_t count = bin == 0                 ? histogram.zero
                               : bin + 1 == Axes::kBins ? histogram.infinite
                                                        : histogram.bins[static_cast<std::size_t>(bin - 1)];
    const float x = axes.first.x + axes.bin * static_cast<float>(bin);
    const float y = axes.y(static_cast<double>(count) / static_cast<double>(most));
    if (front && count > 0) list.AddRectFilled({x, y}, {x + axes.bin, axes.last.y}, (colour & 0xffffffu) | 0x50000000u);
    list.AddLine({x, before}, {x, y}, colour, front ? 2.5f : 1.5f);
    list.AddLine({x, y}, {x + axes.bin, y}, colour, front ? 2.5f : 1.5f);
    before = y;
  }
}

struct Promise {
  const char* name;
  double bound;
};

// Promises as dashed lines, the smaller bound first, each with its name beside it in a line of text of its own: where
// no other line is, on the right if it can be.
void draw_promises(const Axes& axes, const std::vector<Promise>& promises) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float dash = ImGui::GetFontSize() / 3;
  std::vector<float> places;
  for (const Promise& promise : promises) {
    const double power = std::clamp(std::log10(promise.bound), double{kLeast}, double{kMost});
    const float x = places.emplace_back(axes.x(power));
    for (float y = axes.first.y; y < axes.last.y; y += 2 * dash)
      list.AddLine({x, y}, {x, std::min(y + dash, axes.last.y)}, palette().faint, 1.5f);
  }
  for (std::size_t k = 0; k < promises.size(); ++k) {
    const float width = ImGui::CalcTextSize(promises[k].name).x;
    const float right = k + 1 < places.size() ? places[k + 1] : axes.last.x;
    const float at = places[k] + 2 * dash + width < right ? places[k] + dash : places[k] - dash - width;
    const float top = axes.first.y + static_cast<float>(k) * ImGui::GetTextLineHeight();
    list.AddRectFilled({at, top}, {at + width, top + ImGui::GetTextLineHeight()}, ImGui::GetColorU32(ImGuiCol_ChildBg));
    list.AddText({at, top}, palette().faint, promises[k].name);
  }
}

void draw_plot(const NumericsTable& table, ImVec2 size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float below = ImGui::GetTextLineHeight() + 6;
  Axes axes{{at.x, at.y}, {at.x + size.x, at.y + size.y - below}};
  axes.bin = size.x / static_cast<float>(Axes::kBins);
  ImGui::Dummy(size);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "Errors in u·Σ|x||w|, each row's highest bin at full height.\nThe first bin: no error at all; the "
        "last: outputs that are, or should be, NaN or Inf.");
  draw_scale(axes);
  const Numerics& front = *table.front();
  const double terms = static_cast<double>(table.specimen.problem.reduction());
  const double sums = unit_roundoff(accumulator_of(front.dtype)) / unit_roundoff(front.dtype);
  std::vector<Promise> promises;
  if (front.verdicts.back().made) promises.push_back({"likely", 2 * std::sqrt(terms) * sums + 1});
  if (front.bound > 0 && std::isfinite(front.bound)) promises.push_back({"worst case", front.bound});
  std::ranges::sort(promises, {}, &Promise::bound);
  Axes bars = axes;  // below the promises' names
  bars.first.y = std::min(axes.last.y, axes.first.y + static_cast<float>(promises.size()) * ImGui::GetTextLineHeight());
  for (std::size_t k = 0; k <= table.runs.size(); ++k) {  // the one in front last
    const std::size_t run = k == table.runs.size() ? table.run : k;
    const Numerics* cell = table.cells[run][table.dtype].get();
    if (cell != nullptr && cell->computed()) draw_line(bars, histogram_of(*cell), colour_of_run(run), run == table.run);
  }
  draw_promises(axes, promises);
}

// The rows that have a line: those that are computed in the type in front.
std::vector<std::size_t> drawn_runs(const NumericsTable& table) {
  std::vector<std::size_t> runs;
  for (std::size_t run = 0; run < table.runs.size(); ++run)
    if (const Numerics* cell = table.cells[run][table.dtype].get(); cell != nullptr && cell->computed())
      runs.push_back(run);
  return runs;
}

void draw_names(const NumericsTable& table) {
  const float side = ImGui::GetFontSize() * 0.6f, gap = ImGui::GetStyle().ItemSpacing.x;
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  bool first = true;
  for (const std::size_t run : drawn_runs(table)) {
    const float width = side + gap + ImGui::CalcTextSize(table.runs[run].c_str()).x;
    if (!std::exchange(first, false) && ImGui::GetItemRectMax().x + gap + width < right) ImGui::SameLine();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + side * 0.4f}, {at.x + side, at.y + side * 1.4f},
                                              colour_of_run(run));
    ImGui::Dummy({side, ImGui::GetTextLineHeight()});
    ImGui::SameLine(0, gap / 2);
    ImGui::TextDisabled("%s", table.runs[run].c_str());
  }
}

// How high the names will be.
float names_height(const NumericsTable& table, float width) {
  const float side = ImGui::GetFontSize() * 0.6f, gap = ImGui::GetStyle().ItemSpacing.x;
  float x = 0, lines = 1;
  for (const std::size_t run : drawn_runs(table)) {
    const float needed = side + gap / 2 + ImGui::CalcTextSize(table.runs[run].c_str()).x;
    if (x > 0 && x + gap + needed + gap > width) x = 0, ++lines;
    x += needed + gap;
  }
  return lines * ImGui::GetTextLineHeightWithSpacing();
}

}  // namespace

void draw_error_histogram(Scene&, const NumericsTable& table, ImVec2 size) {
  constexpr auto kStill = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  if (ImGui::BeginChild("histogram", size, true, kStill)) {
    ImGui::Text("Outputs by error, in %s", std::string(name(kDTypes[table.dtype])).c_str());
    if (table.computed()) {
      const ImVec2 space = ImGui::GetContentRegionAvail();
      const float names = names_height(table, space.x) + ImGui::GetStyle().ItemSpacing.y;
      draw_plot(table, {space.x, std::max(2 * ImGui::GetTextLineHeight(), space.y - names)});
      draw_names(table);
    }
  }
  ImGui::EndChild();
}

}  // namespace convlens::viewer
