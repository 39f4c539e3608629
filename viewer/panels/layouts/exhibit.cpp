// One tensor as a pane: its title and size, and a grid whose colours are its values.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "algorithms/interface/registry.h"
#include "kernels/fft/fft_parts.h"
#include "viewer/logic/default_sheet.h"
#include "viewer/panels/layouts/colouring.h"
#include "viewer/panels/layouts/layouts.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

std::string extents(const Exhibit& exhibit, bool with_names) {
  std::string text;
  for (const Axis& axis : exhibit.axes)
    text += (text.empty() ? "" : "·") + std::to_string(axis.extent) + (with_names ? " " + axis.symbol : "");
  return text;
}

// "at n 0, c 12": the axes that have no place on the sheet.
std::string slice_text(const Exhibit& exhibit, const Sheet& sheet, const Coord& slice) {
  std::string text;
  for (int axis = 0; axis < static_cast<int>(exhibit.axes.size()); ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    if (std::ranges::find(sheet.down(), axis) != sheet.down().end() ||
        std::ranges::find(sheet.across(), axis) != sheet.across().end() || exhibit.axes[k].extent == 1)
      continue;
    text += (text.empty() ? "at " : ", ") + exhibit.axes[k].name + " " + std::to_string(slice[k]);
  }
  return text;
}

void draw_exhibit_title(const Scene& scene, const Exhibit& exhibit, const Sheet& sheet, const Coord& slice,
                        const Colouring& colouring) {
  std::string stored = bytes_text(exhibit.bytes);
  if (!exhibit.stored) stored += ", never stored";
  if (exhibit.role == Role::stage && exhibit.stored && scene.model().stage(exhibit).passes() > 1)
    stored += " in " + grouped(scene.model().stage(exhibit).passes()) + " passes";
  std::string tooltip = exhibit.id + "\n" + extents(exhibit, true) + ", " + stored + "\n";
  if (exhibit.role == Role::blocks) tooltip += "a group reads its own channels: all other blocks, in sand, are zeros\n";
  if (exhibit.role == Role::stage) {
    const Stage& stage = scene.model().stage(exhibit);
    tooltip += stage.meaning + "\n";
    const ConvSpec& s = scene.model().problem()->spec();
    if (exhibit.made_of_elements && s.pad_top + s.pad_bottom + s.pad_left + s.pad_right > 0)
      tooltip += "sand are the zeros of the layer's padding\n";
    if (gpu::in_parts(*scene.model().rows()[static_cast<std::size_t>(exhibit.row)].plan, stage))
      tooltip += "shown as the numbers that they are, without the power of two that they are stored with\n";
  }
  draw_title(exhibit.title, {extents(exhibit, false), stored, slice_text(exhibit, sheet, slice)},
             tooltip + colouring.words());
}

// The exact factors between the cursor's cell and those that it is made of, or goes into.
std::vector<GridLabel> coefficients(const Scene& scene, const Exhibit& exhibit) {
  std::vector<GridLabel> labels;
  if (const auto found = scene.links.coefficients.find(exhibit.id); found != scene.links.coefficients.end())
    for (const auto& [at, value] : found->second) {
      const bool positive = value.value() >= 0;
      labels.push_back({at, (positive ? "+" : "") + value.text(), positive});
    }
  return labels;
}

// The name, or where that is too wide, so much of its end as fits: "product spectra Ŷ of fft.ref", "Ŷ of fft.ref", and
// without the row "product spectra Ŷ", "Ŷ". Where no more than the last word fits and it is no symbol, the first one is
// more of a name: "im2col" and "filter", where "matrix" would be two of them.
std::string fitting_name(const std::string& name, float width) {
  const auto fits = [&](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x <= width; };
  const std::size_t of = std::min(name.find(" of "), name.size());
  const std::string tensor = name.substr(0, of);
  const std::size_t last = tensor.rfind(' ') + 1;
  const std::string first = tensor.substr(0, tensor.find(' '));
  const bool symbol = static_cast<unsigned char>(tensor[last]) >= 0x80 || last + 1 == tensor.size();
  for (const std::string& row : {name.substr(of), std::string()})
    for (std::size_t word = 0; word < of; word = std::min(tensor.find(' ', word), of - 1) + 1)
      if (fits(tensor.substr(word) + row))
        return word == last && !symbol && fits(first) ? first : tensor.substr(word) + row;
  return tensor.substr(last);
}

}  // namespace

bool begin_pane(const char* id, ImVec2 size, bool framed) {
  return ImGui::BeginChild(id, {std::max(size.x, 1.0f), std::max(size.y, 1.0f)}, framed,
                           ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
}

void draw_title(const std::string& name, const std::vector<std::string>& details, const std::string& tooltip) {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  float left = ImGui::GetContentRegionAvail().x;
  const std::string shown = fitting_name(name, left);
  left -= ImGui::CalcTextSize(shown.c_str()).x;
  ImGui::BeginGroup();
  ImGui::TextUnformatted(shown.c_str());
  for (const std::string& detail : details) {
    const float width = ImGui::CalcTextSize(detail.c_str()).x + gap;
    if (detail.empty() || width > left) continue;
    ImGui::SameLine();
    ImGui::TextDisabled("%s", detail.c_str());
    left -= width;
  }
  ImGui::EndGroup();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tooltip.c_str());
}

Coord slice_of(const Scene& scene, const Exhibit& exhibit) {
  const auto used = scene.links.used.find(exhibit.id);
  if (used != scene.links.used.end() && !used->second.empty()) return used->second.front().first;
  const auto lit = scene.links.cells.find(exhibit.id);
  if (lit != scene.links.cells.end() && !lit->second.empty()) return lit->second.front().first;
  Coord slice{};
  for (std::size_t axis = 0; axis < exhibit.axes.size(); ++axis)
    if (exhibit.axes[axis].name == "n") slice[axis] = scene.links.image;
  return slice;
}

Coord output_of(const Scene& scene) {
  const auto lit = scene.links.cells.find("y");
  return lit == scene.links.cells.end() || lit->second.empty() ? Coord{} : lit->second.front().first;
}

void point_at(Scene& scene, const std::string& tensor, const Coord& at) {
  // What lies under a pointer that rests has not been pointed at: the drawing has moved, in a window of another size.
  // Unless the hand has moved it: by the wheel, or by a double click.
  const ImGuiIO& io = ImGui::GetIO();
  const bool zoomed = io.MouseWheel != 0 || ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  if (io.MouseDelta.x == 0 && io.MouseDelta.y == 0 && !zoomed) return;
  *scene.pointed = {tensor, at};
  if (scene.state.cursor == Cursor{tensor, at}) return;
  State next = scene.state;
  next.cursor = {tensor, at};
  scene.change(std::move(next), "cursor");
}

namespace {

// What is drawn of an exhibit; of complex values either magnitude or phase.
GridContents contents_of(Scene& scene, const Colouring& colouring, const Sheet& sheet, double made) {
  const Exhibit& exhibit = *colouring.exhibit;
  const std::string kind = colouring.phase ? " phase" : "";
  std::string key = std::to_string(scene.version) + (scene.state.dark ? "d" : "l") + kind;
  for (const std::int64_t index : sheet.cell(0, 0).value_or(Coord{})) key += "," + std::to_string(index);
  GridContents contents{
      sheet, key,
      [colouring, sheet](std::int64_t row, std::int64_t column) { return colouring(sheet.cell(row, column)); },
      [colouring, sheet](std::int64_t row, std::int64_t column) {
        const std::optional<Coord> cell = sheet.cell(row, column);
        if (!cell) return std::string();
        const std::complex<double> value = colouring.values->at(*colouring.exhibit, *cell);
        if (colouring.no_phase(*cell, value)) return std::string("–");
        return std::to_string(std::lround(std::arg(value) * 180 / std::numbers::pi)) + "°";
      }};
  if (!colouring.phase)
    contents.value = [colouring, sheet](std::int64_t row, std::int64_t column) -> std::optional<double> {
      const std::optional<Coord> cell = sheet.cell(row, column);
      if (!cell) return std::nullopt;
      const std::complex<double> value = colouring.values->at(*colouring.exhibit, *cell);
      return colouring.exhibit->complex ? std::abs(value) : value.real();
    };
  // Where a cell costs no more than reading an element, all that share a pixel can be looked at.
  if (exhibit.effort.each <= 2 && exhibit.effort.tile == 0)
    contents.mean = [colouring, sheet](double row, double column, double side) {
      return colouring.mean(sheet, row, column, side);
    };
  if (const auto lit = scene.links.cells.find(exhibit.id); lit != scene.links.cells.end()) contents.lit = &lit->second;
  if (const auto used = scene.links.used.find(exhibit.id); used != scene.links.used.end())
    contents.used = &used->second;
  contents.lit_key = std::to_string(scene.links_version);
  contents.labels = coefficients(scene, exhibit);
  contents.made = made;
  contents.grain = [&exhibit, &sheet](double pixels, double cells) {
    return grain_of(exhibit.effort, pixels, tiles_under(exhibit, sheet, cells));
  };
  const Cursor cursor = scene.model().valid(scene.state.cursor);
  if (cursor.tensor == exhibit.id) contents.cursor = cursor.at;
  return contents;
}

// The grid of an exhibit, in the space that is left.
void draw_grid(Scene& scene, Colouring colouring, const Sheet& sheet, double made) {
  const Exhibit& exhibit = *colouring.exhibit;
  const GridContents first = contents_of(scene, colouring, sheet, made);
  std::vector<GridPart> parts{{&scene.views[exhibit.id], &first}};
  std::optional<GridContents> phase;
  if (exhibit.complex) {
    colouring.phase = true;
    phase.emplace(contents_of(scene, colouring, sheet, made));
    parts.push_back({&scene.views[exhibit.id + " phase"], &*phase});
  }
  const GridAnswer answer = grids("grid", parts, scene.painter, ImGui::GetContentRegionAvail());
  if (!answer.pointed) return;
  if (const std::optional<Coord> cell = sheet.cell(answer.pointed->row, answer.pointed->column))
    point_at(scene, exhibit.id, *cell);
}

// A picture as large as a screen can be painted, if only in coarse grain, or there is none.
std::string why_not_drawn(const Exhibit& exhibit, const Sheet& sheet) {
  constexpr double kScreen = 1 << 20;
  const double cells = static_cast<double>(sheet.rows()) * static_cast<double>(sheet.columns());
  const std::string why = too_much(exhibit.effort);
  if (!why.empty() || grain_of(exhibit.effort, kScreen, tiles_under(exhibit, sheet, cells)) > 0) return why;
  return "its cells take so long to compute that there is no picture of them";
}

// In place of the picture: what stands against it, and, for a row's own tensor, a button for the run that does the same
// in tiles, whose transforms are short.
void draw_refusal(Scene& scene, const Exhibit& exhibit, const std::string& why) {
  faint_text("Not drawn: " + why + ".");
  if (exhibit.row < 0) return;
  const std::string& run = scene.model().rows()[static_cast<std::size_t>(exhibit.row)].run;
  const std::string tiled = in_tiles(run);
  if (tiled.empty() || !ImGui::SmallButton("in tiles")) return;
  State next = scene.state;
  for (std::string& chosen : next.runs)
    if (parse_run(chosen).algorithm == parse_run(run).algorithm) chosen = tiled;
  scene.change(std::move(next), "");
}

}  // namespace

void draw_exhibit(Scene& scene, const Exhibit& exhibit, ImVec2 size, double made, bool framed) {
  if (begin_pane(exhibit.id.c_str(), size, framed)) {
    const Coord slice = slice_of(scene, exhibit);
    const Sheet sheet = default_sheet(exhibit, slice);
    const Colouring colouring{scene.shared_model, scene.values, &exhibit, scene.values->picture(),
                              ImGui::GetColorU32(ImGuiCol_ChildBg)};
    draw_exhibit_title(scene, exhibit, sheet, slice, colouring);
    if (const std::string why = why_not_drawn(exhibit, sheet); !why.empty())
      draw_refusal(scene, exhibit, why);
    else
      draw_grid(scene, colouring, sheet, made);
  }
  ImGui::EndChild();
}

}  // namespace convlens::viewer
