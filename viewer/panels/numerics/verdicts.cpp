// The table of verdicts: every chosen row in every type, held to its three promises.
#include <algorithm>
#include <cmath>

#include "viewer/panels/numerics/numerics.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

// A promise kept is a full square, one that is broken a cross, and one that was not made an empty square: they can be
// told apart without colours.
void draw_mark(const Verdict& verdict, float side) {
  const ImVec2 a = ImGui::GetCursorScreenPos();
  const float top = a.y + (ImGui::GetTextLineHeight() - side) / 2;
  const ImVec2 first{a.x, top}, last{a.x + side, top + side};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float thick = std::max(1.0f, side / 7);
  if (!verdict.made) {
    list.AddRect(first, last, palette().faint, 0, 0, thick);
  } else if (verdict.kept) {
    list.AddRectFilled(first, last, palette().series[2]);
  } else {
    list.AddLine(first, last, palette().wrong, 2 * thick);
    list.AddLine({first.x, last.y}, {last.x, first.y}, palette().wrong, 2 * thick);
  }
  ImGui::Dummy({side, ImGui::GetTextLineHeight()});
}

void draw_tooltip(const Numerics& cell) {
  ImGui::BeginTooltip();
  ImGui::Text("%s in %s", cell.run.c_str(), std::string(name(cell.dtype)).c_str());
  if (!cell.refused.empty()) ImGui::TextUnformatted(cell.refused.c_str());
  if (cell.computed() && !cell.material->note.empty()) ImGui::TextUnformatted(cell.material->note.c_str());
  if (cell.computed() && cell.material->in_range)
    for (const Verdict& verdict : cell.verdicts) ImGui::TextUnformatted(verdict.line().c_str());
  ImGui::EndTooltip();
}

// The marks, and the largest error beside them, or below where the column is narrow.
float marks_width() { return 3 * 1.4f * 0.6f * ImGui::GetFontSize(); }
bool number_fits(float column, const std::string& text) {
  return marks_width() + std::max(ImGui::CalcTextSize("2.3e+02").x, ImGui::CalcTextSize(text.c_str()).x) < column;
}

// The largest error, and what among the outputs is no number: "0.41, has NaN".
std::string outcome(const Numerics& cell) {
  const Material& material = *cell.material;
  if (!material.in_range && material.overflowed == 0 && cell.not_finite.empty()) return "x is 0";
  const double largest = cell.error[cell.worst];
  if (std::isnan(largest)) return "has " + cell.not_finite;  // no output has an error that could be told
  const std::string text = number_text(largest, 2);
  return cell.not_finite.empty() ? text : text + ", has " + cell.not_finite;
}

void draw_outcome(const Numerics& cell, bool beside) {
  const float side = ImGui::GetFontSize() * 0.6f, gap = side * 0.4f;
  for (std::size_t k = 0; k < cell.verdicts.size(); ++k) {
    if (k > 0) ImGui::SameLine(0, gap);
    draw_mark(cell.verdicts[k], side);
  }
  if (beside) ImGui::SameLine(0, 2 * gap);
  ImGui::TextUnformatted(outcome(cell).c_str());
}

void draw_cell(Scene& scene, const NumericsTable& table, std::size_t run, std::size_t dtype) {
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(dtype));
  const Numerics* cell = table.cells[run][dtype].get();
  const bool front = run == table.run && dtype == table.dtype;
  const bool beside =
      number_fits(ImGui::GetContentRegionAvail().x, cell != nullptr && cell->computed() ? outcome(*cell) : "");
  const float height = beside ? ImGui::GetTextLineHeight() : 2 * ImGui::GetTextLineHeightWithSpacing();
  const ImVec2 at = ImGui::GetCursorPos();
  if (ImGui::Selectable("##cell", front, ImGuiSelectableFlags_AllowItemOverlap, {0, height})) {
    State next = scene.state;
    next.numerics.run = table.runs[run];
    next.numerics.dtype = kDTypes[dtype];
    scene.change(std::move(next), "");
  }
  if (cell != nullptr && ImGui::IsItemHovered()) draw_tooltip(*cell);
  ImGui::SetCursorPos(at);
  if (cell == nullptr) {
    ImGui::TextDisabled("...");
  } else if (!cell->computed()) {
    ImGui::TextDisabled("-");
  } else {
    draw_outcome(*cell, beside);
  }
  ImGui::PopID();
}

const char* reach_words(Spread spread) {
  return spread == Spread::exact ? "exact" : spread == Spread::tile ? "tile" : "image";
}

// How far the injected element reached, in words.
void draw_reach(const Numerics& cell, const std::string& injection) {
  if (!cell.reach || !cell.material) return;
  const Shape& at = cell.material->at;
  const char* what = injection == "nan" ? "NaN" : injection == "inf" ? "Inf" : "outlier";
  const std::string where = "x(0, 0, " + std::to_string(at[2]) + ", " + std::to_string(at[3]) + ")";
  const Reach& reach = *cell.reach;
  const std::string beyond =
      reach.beyond == 0 ? "no other is spoilt" : counted(reach.beyond, "other is", "others are") + " spoilt too";
  std::string line = std::string("The ") + what + " in " + where + " is read by " + counted(reach.readers, "output") +
                     "; " + beyond + ". Spread seen: " + reach_words(reach.seen) +
                     "; declared: " + reach_words(cell.declared) + ".";
  if (injection == "outlier")
    line += " Spoilt: off by more than " + number_text(kSpoilt) + " times the largest error without the outlier, " +
            number_text(reach.clean, 2) + " u·Σ|x||w|; the largest error of those that do not read it is " +
            number_text(reach.largest, 2) + ".";
  wrapped_text(line);
}

void draw_front(const NumericsTable& table, const std::string& injection) {
  const Numerics* cell = table.front().get();
  if (cell == nullptr || !cell->computed()) return;
  std::string line = cell->run + " in " + std::string(name(cell->dtype));
  if (cell->material->in_range)
    for (const Verdict& verdict : cell->verdicts)
      line += (&verdict == cell->verdicts.data() ? ".  " : ";  ") + verdict.line();
  else
    line += ": x is out of the range of the type, and what comes of it is not judged.";
  wrapped_text(line);
  draw_reach(*cell, injection);
}

// What the scale made of x, in each type that it concerns.
void draw_notes(const NumericsTable& table) {
  for (std::size_t dtype = 0; dtype < kDTypes.size(); ++dtype) {
    const auto computed = std::ranges::find_if(
        table.cells, [&](const auto& row) { return row[dtype] != nullptr && row[dtype]->computed(); });
    if (computed == table.cells.end()) continue;
    if (const std::string& note = (*computed)[dtype]->material->note; !note.empty()) wrapped_text(note);
  }
}

}  // namespace

void draw_verdicts(Scene& scene, const NumericsTable& table) {
  const auto flags = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchProp;
  if (ImGui::BeginTable("verdicts", static_cast<int>(kDTypes.size()) + 1, flags)) {
    ImGui::TableSetupColumn("row", ImGuiTableColumnFlags_WidthStretch, 1.6f);
    for (const DType dtype : kDTypes)
      ImGui::TableSetupColumn(std::string(name(dtype)).c_str(), ImGuiTableColumnFlags_WidthStretch, 1);
    ImGui::TableHeadersRow();
    for (std::size_t run = 0; run < table.runs.size(); ++run) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushID(table.runs[run].c_str());
      ImGui::TextWrapped("%s", table.runs[run].c_str());
      for (std::size_t dtype = 0; dtype < kDTypes.size(); ++dtype) draw_cell(scene, table, run, dtype);
      ImGui::PopID();
    }
    ImGui::EndTable();
  }
  faint_text(
      "Squares: equal on integers; within the worst case; within what is likely (empty: not promised, or not judged; a "
      "cross: broken). The number: the largest error in u·Σ|x||w|, u the roundoff of the type, Inf where only one of "
      "output and oracle is a number; has NaN, has Inf: so are outputs.");
  draw_notes(table);
  // Why rows have no numbers in the type in front; for the other types the tooltips say it.
  for (const auto& row : table.cells)
    if (const Numerics* cell = row[table.dtype].get(); cell != nullptr && !cell->refused.empty())
      faint_text(cell->run + " cannot be run in " + std::string(name(cell->dtype)) + ": " + cell->refused);
  draw_front(table, scene.state.numerics.injection);
}

}  // namespace convlens::viewer
