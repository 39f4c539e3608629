// One tensor as a pane: its title and size, and a grid whose colours are its values.
#include <algorithm>
#include <cmath>

#include "viewer/logic/default_sheet.h"
#include "viewer/panels/layouts/layouts.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

// How values become colours. Owns what it reads: it is asked in the background.
struct Colouring {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Values> values;
  const Exhibit* exhibit;
  bool picture;  // values of x are those of a picture

  bool in_colours() const {
    return picture && exhibit->role == Role::input && exhibit->axes[1].extent == 3;
  }
  bool grey() const { return picture && (exhibit->role == Role::input || exhibit->made_of_elements); }

  std::uint32_t operator()(const Coord& cell) const {
    if (exhibit->role == Role::stage) {
      const SourceKind kind = model->stage(*exhibit).map->source(cell).kind;
      if (kind == SourceKind::zero_padding) return palette().padding;
      if (kind == SourceKind::alignment_padding) return palette().alignment;
    }
    if (in_colours()) return true_colour(cell);
    const std::complex<double> value = values->at(*exhibit, cell);
    if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) return palette().wrong;
    if (grey()) return viewer::grey(value.real());
    const double largest = values->largest(*exhibit);
    if (exhibit->complex) return viridis(std::log1p(100 * std::abs(value) / largest) / std::log1p(100.0));
    return diverging(std::copysign(std::sqrt(std::abs(value.real()) / largest), value.real()));
  }

  const char* words() const {
    if (in_colours()) return "in the picture's colours: its channels are red, green and blue";
    if (grey()) return "black is 0, white is 1";
    if (exhibit->complex) return "dark to light by the logarithm of the magnitude";
    return "blue is negative, red positive; strong as the square root of the value over the tensor's largest";
  }

 private:
  std::uint32_t true_colour(Coord cell) const {
    std::uint32_t colour = 0xff000000u;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      cell[1] = static_cast<std::int64_t>(channel);
      const double value = values->at(*exhibit, cell).real();
      if (!std::isfinite(value)) return palette().wrong;
      colour |= static_cast<std::uint32_t>(std::lround(255 * std::clamp(value, 0.0, 1.0))) << (8 * channel);
    }
    return colour;
  }
};

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
  const std::string stored = exhibit.stored ? bytes_text(exhibit.bytes) : bytes_text(exhibit.bytes) + ", never stored";
  std::string tooltip = exhibit.id + "\n" + extents(exhibit, true) + ", " + stored + "\n";
  if (exhibit.role == Role::stage) tooltip += scene.model().stage(exhibit).meaning + "\n";
  draw_title(exhibit.title, {extents(exhibit, false), stored, slice_text(exhibit, sheet, slice)},
             tooltip + colouring.words());
}

// The exact factors with which elements of x (or w) enter the cursor's cell.
std::vector<GridLabel> coefficients(const Scene& scene, const Exhibit& exhibit) {
  constexpr std::size_t kMost = 512;
  std::vector<GridLabel> labels;
  if (scene.links.kind != SourceKind::combination || scene.links.terms.size() > kMost) return labels;
  if (exhibit.role != Role::input && exhibit.role != Role::filter) return labels;
  for (const LinkedTerm& term : scene.links.terms) {
    if ((term.from == kInput) != (exhibit.role == Role::input)) continue;
    const bool positive = term.coefficient.value() >= 0;
    labels.push_back({term.at.first, (positive ? "+" : "") + term.coefficient.text(), positive});
  }
  return labels;
}

}  // namespace

bool begin_pane(const char* id, ImVec2 size) {
  return ImGui::BeginChild(id, {std::max(size.x, 1.0f), std::max(size.y, 1.0f)}, true,
                           ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
}

void draw_title(const std::string& name, const std::vector<std::string>& details, const std::string& tooltip) {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  float left = ImGui::GetContentRegionAvail().x;
  std::string shown = name;
  while (shown.size() > 1 && ImGui::CalcTextSize(shown.c_str()).x > left) {
    do shown.pop_back();
    while (shown.size() > 1 && (static_cast<unsigned char>(shown.back()) & 0xc0) == 0x80);
  }
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
  const auto lit = scene.links.cells.find(exhibit.id);
  return lit == scene.links.cells.end() || lit->second.empty() ? Coord{} : lit->second.front().first;
}

Coord output_of(const Scene& scene) {
  const auto lit = scene.links.cells.find("y");
  return lit == scene.links.cells.end() || lit->second.empty() ? Coord{} : lit->second.front().first;
}

void point_at(Scene& scene, const std::string& tensor, const Coord& at) {
  *scene.pointed = {tensor, at};
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  const Cursor now = scene.model().valid(scene.state.cursor);
  if ((moved.x == 0 && moved.y == 0) || now == Cursor{tensor, at}) return;
  State next = scene.state;
  next.cursor = {tensor, at};
  scene.change(std::move(next), "cursor");
}

void draw_exhibit(Scene& scene, const Exhibit& exhibit, ImVec2 size, double made) {
  if (begin_pane(exhibit.id.c_str(), size)) {
    const Coord slice = slice_of(scene, exhibit);
    const Sheet sheet = default_sheet(exhibit, slice);
    const Colouring colouring{scene.shared_model, scene.values, &exhibit, scene.state.picture != "random"};
    draw_exhibit_title(scene, exhibit, sheet, slice, colouring);

    std::string key = std::to_string(scene.version) + (scene.state.dark ? "d" : "l");
    for (const std::int64_t index : sheet.cell(0, 0)) key += "," + std::to_string(index);
    GridContents contents{sheet, key,
                          [colouring, sheet](std::int64_t row, std::int64_t column) {
                            return colouring(sheet.cell(row, column));
                          },
                          [model = scene.shared_model, values = scene.values, id = &exhibit, sheet](
                              std::int64_t row, std::int64_t column) {
                            const std::complex<double> value = values->at(*id, sheet.cell(row, column));
                            return number_text(id->complex ? std::abs(value) : value.real());
                          }};
    if (const auto lit = scene.links.cells.find(exhibit.id); lit != scene.links.cells.end()) contents.lit = &lit->second;
    contents.lit_key = std::to_string(scene.links_version);
    contents.labels = coefficients(scene, exhibit);
    contents.made = made;
    const Cursor cursor = scene.model().valid(scene.state.cursor);
    if (cursor.tensor == exhibit.id) contents.cursor = cursor.at;

    const GridAnswer answer =
        grid("grid", scene.views[exhibit.id], contents, scene.painter, ImGui::GetContentRegionAvail());
    if (answer.pointed) point_at(scene, exhibit.id, sheet.cell(answer.pointed->row, answer.pointed->column));
  }
  ImGui::EndChild();
}

}  // namespace convlens::viewer
