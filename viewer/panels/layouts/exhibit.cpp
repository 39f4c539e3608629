// One tensor as a pane: its title and size, and a grid whose colours are its values.
#include <algorithm>
#include <cmath>

#include "viewer/logic/default_sheet.h"
#include "viewer/panels/layouts/layouts.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

std::string bytes_text(std::int64_t bytes) {
  constexpr const char* kUnits[]{"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit < 4) value /= 1024, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.3g %s", value, kUnits[unit]);
  return text;
}

// Which colour a value has: the picture's greys as they are, magnitudes of spectra by their logarithm, all else signed.
std::uint32_t colour_of(const Model& model, const Values& values, const Exhibit& exhibit, bool picture,
                        const Coord& cell) {
  if (exhibit.role == Role::stage) {
    const SourceKind kind = model.stage(exhibit).map->source(cell).kind;
    if (kind == SourceKind::zero_padding) return palette().padding;
    if (kind == SourceKind::alignment_padding) return palette().alignment;
  }
  const std::complex<double> value = values.at(exhibit, cell);
  if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) return palette().wrong;
  if (exhibit.complex) return viridis(std::log1p(std::abs(value)) / 6);
  if (picture && (exhibit.role == Role::input || exhibit.made_of_elements)) return grey(value.real());
  return diverging(std::tanh(value.real()));
}

std::string title(const Exhibit& exhibit) {
  std::string text = exhibit.title + "   ";
  for (std::size_t axis = 0; axis < exhibit.axes.size(); ++axis)
    text += (axis > 0 ? "·" : "") + std::to_string(exhibit.axes[axis].extent);
  return text + "   " + bytes_text(exhibit.bytes) + (exhibit.stored ? "" : "   never stored");
}

}  // namespace

Coord slice_of(const Scene& scene, const Exhibit& exhibit) {
  const auto lit = scene.links.cells.find(exhibit.id);
  return lit == scene.links.cells.end() || lit->second.empty() ? Coord{} : lit->second.front().first;
}

void draw_exhibit(Scene& scene, const Exhibit& exhibit, ImVec2 size) {
  ImGui::BeginChild(exhibit.id.c_str(), size, true, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::TextUnformatted(title(exhibit).c_str());
  if (ImGui::IsItemHovered() && exhibit.role == Role::stage)
    ImGui::SetTooltip("%s\n%s", exhibit.id.c_str(), scene.model().stage(exhibit).meaning.c_str());

  const Coord slice = slice_of(scene, exhibit);
  const Sheet sheet = default_sheet(exhibit, slice);
  std::string key = std::to_string(scene.version) + (scene.state.dark ? "d" : "l");
  for (const std::int64_t index : slice) key += "," + std::to_string(index);
  GridContents contents{sheet,
                        key,
                        [model = scene.shared_model, values = scene.values, id = &exhibit, sheet,
                         picture = scene.state.picture != "random"](std::int64_t row, std::int64_t column) {
                          return colour_of(*model, *values, *id, picture, sheet.cell(row, column));
                        },
                        [&](std::int64_t row, std::int64_t column) {
                          const std::complex<double> value = scene.values->at(exhibit, sheet.cell(row, column));
                          return number_text(exhibit.complex ? std::abs(value) : value.real());
                        },
                        {},
                        std::nullopt};
  if (const auto lit = scene.links.cells.find(exhibit.id); lit != scene.links.cells.end()) contents.lit = lit->second;
  const Cursor cursor = scene.model().valid(scene.state.cursor);
  if (cursor.tensor == exhibit.id) contents.cursor = cursor.at;

  const GridAnswer answer =
      grid("grid", scene.views[exhibit.id], contents, scene.painter, ImGui::GetContentRegionAvail());
  if (answer.pointed) {
    const Coord at = sheet.cell(answer.pointed->row, answer.pointed->column);
    *scene.pointed = {exhibit.id, at};
    const bool moved = ImGui::GetIO().MouseDelta.x != 0 || ImGui::GetIO().MouseDelta.y != 0;
    if (moved && (cursor.tensor != exhibit.id || cursor.at != at)) {
      State next = scene.state;
      next.cursor = {exhibit.id, at};
      scene.change(std::move(next), "cursor");
    }
  }
  ImGui::EndChild();
}

}  // namespace convlens::viewer
