// The duplication heat map: every input pixel coloured by how often each algorithm stores it.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "viewer/logic/copies.h"
#include "viewer/panels/layouts/layouts.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

// The counts of one version of the model, which it keeps: while the next are counted, these are still drawn.
struct Heat {
  std::shared_ptr<const Model> model;
  int version = 0;
  std::vector<std::pair<const Exhibit*, Copies>> maps;
  std::vector<std::string> without;  // rows that make nothing from the input
  std::int64_t most = 1;
};

Heat heat_of(const std::shared_ptr<const Model>& shared_model, int version) {
  const Model& model = *shared_model;
  Heat heat;
  heat.model = shared_model;
  heat.version = version;
  for (std::size_t r = 0; r < model.rows().size(); ++r) {
    bool found = false;
    for (const Exhibit& exhibit : model.exhibits()) {
      if (exhibit.row != static_cast<int>(r)) continue;
      std::optional<Copies> copies = copies_of(model, exhibit);
      if (!copies) continue;
      if (copies->elements > 0) heat.most = std::max(heat.most, copies->most);
      heat.maps.emplace_back(&exhibit, std::move(*copies));
      found = true;
    }
    if (!found && model.rows()[r].plan) heat.without.push_back(model.rows()[r].run);
  }
  return heat;
}

// "once", "9 times".
std::string times_text(std::int64_t count) { return count == 1 ? "once" : grouped(count) + " times"; }

// How often a pixel is in it.
std::string most_text(const Copies& copies) {
  if (copies.elements == 0) return "goes into up to " + grouped(copies.most) + (copies.most == 1 ? " cell" : " cells");
  return (copies.most == 1 ? "stored " : "stored up to ") + times_text(copies.most);
}

// "574 164 copies + 0 zeros = 2.19 MiB".
std::string total_text(const Copies& copies) {
  const std::string bytes = bytes_text(copies.bytes);
  if (copies.elements == 0) return bytes + ", of mixed pixels; a scale of its own";
  return grouped(copies.elements) + " copies + " + grouped(copies.zeros) + " zeros = " + bytes;
}

Sheet image_sheet(const Copies& copies) {
  return Sheet({{"h", "H_i", copies.height, copies.height, copies.width}, {"w", "W_i", copies.width, copies.width, 1}},
               {0}, {1}, {});
}

void draw_map(Scene& scene, const std::shared_ptr<const Heat>& heat, std::size_t index, ImVec2 size) {
  const auto& [exhibit, copies] = heat->maps[index];
  if (begin_pane(exhibit->id.c_str(), size)) {
    const std::string most = most_text(copies);
    const Stage& stage = heat->model->stage(*exhibit);
    std::string total = total_text(copies);
    if (!exhibit->stored) total += ", never stored";
    if (stage.stored && stage.passes() > 1)
      total += " in " + grouped(stage.passes()) + " passes of " + bytes_text(stage.bytes());
    // The sum has lines of its own where they leave the map most of the pane.
    const ImVec2 space = ImGui::GetContentRegionAvail();
    const float line = ImGui::GetTextLineHeightWithSpacing();
    const bool room = ImGui::CalcTextSize(total.c_str(), nullptr, false, space.x).y + line < 0.3f * space.y;
    draw_title(exhibit->title, {room ? most : bytes_text(copies.bytes), room ? "" : most},
               exhibit->id + "\n" + most + " a pixel\n" + total);
    if (room) faint_text(total);
    const Sheet sheet = image_sheet(copies);
    // Copies of all algorithms on one scale; where pixels are mixed, the tensor's own.
    const double full = static_cast<double>(copies.elements > 0 ? heat->most : copies.most);
    GridContents contents{sheet, "copies" + std::to_string(heat->version),
                          [heat, index, full](std::int64_t row, std::int64_t column) {
                            return viridis(static_cast<double>(heat->maps[index].second.at(row, column)) / full);
                          },
                          [heat, index](std::int64_t row, std::int64_t column) {
                            return std::to_string(heat->maps[index].second.at(row, column));
                          }};
    contents.mean = [heat, index, full](double row, double column, double side) {
      return viridis(heat->maps[index].second.mean(row, column, side) / full);
    };
    // The window of the cursor, on the image.
    std::vector<Box> lit;
    if (const auto x = scene.links.cells.find("x"); x != scene.links.cells.end())
      for (const Box& box : x->second)
        lit.push_back({{box.first[2], box.first[3]}, {box.extent[2], box.extent[3], 1, 1, 1, 1}});
    contents.lit = &lit;
    contents.lit_key = std::to_string(scene.links_version);
    const GridAnswer answer =
        grid("grid", scene.views["copies " + exhibit->id], contents, scene.painter, ImGui::GetContentRegionAvail());
    if (answer.pointed) {
      const Coord slice = slice_of(scene, *scene.model().find("x"));
      point_at(scene, "x", {slice[0], slice[1], answer.pointed->row, answer.pointed->column});
      ImGui::SetTooltip("%lld cells", static_cast<long long>(copies.at(answer.pointed->row, answer.pointed->column)));
    }
  }
  ImGui::EndChild();
}

// The colours and what they mean, from never to `most` times.
void draw_legend(std::int64_t most) {
  const float width = 160 * ImGui::GetFontSize() / 15, height = ImGui::GetTextLineHeight() * 0.7f;
  ImGui::TextDisabled("stored never");
  ImGui::SameLine();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  constexpr int kPieces = 32;
  for (int k = 0; k < kPieces; ++k) {
    const float x = at.x + width * static_cast<float>(k) / kPieces;
    ImGui::GetWindowDrawList()->AddRectFilled({x, at.y + height * 0.2f}, {x + width / kPieces, at.y + height * 1.2f},
                                              viridis(static_cast<double>(k) / (kPieces - 1)));
  }
  ImGui::Dummy({width, height});
  ImGui::SameLine();
  ImGui::TextDisabled("%s", times_text(most).c_str());
}

void draw(Scene& scene) {
  const auto* latest = scene.kept.get<Later<std::shared_ptr<const Heat>>>("copies").get(
      std::to_string(scene.version), scene.painter, [model = scene.shared_model, version = scene.version] {
        return std::make_shared<const Heat>(heat_of(model, version));
      });
  if (latest == nullptr) return ImGui::TextDisabled("counting ...");
  const std::shared_ptr<const Heat> heat = *latest;
  draw_legend(heat->most);
  if (!heat->without.empty()) {
    std::string rows;
    for (const std::string& run : heat->without) rows += (rows.empty() ? "" : ", ") + run;
    faint_text("Nothing is copied by " + rows + ": every pixel is in x alone.");
  }
  if (heat->maps.empty()) return;
  const ImVec2 space = ImGui::GetContentRegionAvail(), gap = ImGui::GetStyle().ItemSpacing;
  const auto count = static_cast<int>(heat->maps.size());
  const int across = best_columns(count, space);
  const auto columns = static_cast<float>(across), rows = static_cast<float>((count + across - 1) / across);
  const ImVec2 size{std::floor((space.x - gap.x * (columns - 1)) / columns),
                    std::floor((space.y - gap.y * (rows - 1)) / rows)};
  for (std::size_t k = 0; k < heat->maps.size(); ++k) {
    if (k % static_cast<std::size_t>(columns) != 0) ImGui::SameLine();
    draw_map(scene, heat, k, size);
  }
}

nlohmann::ordered_json data(const Scene& scene) { return copies_rows(scene.model()); }

}  // namespace

Arrangement copies_arrangement() {
  return {"copies", "Copies", "How often each algorithm stores every pixel of the input", draw, data};
}

}  // namespace convlens::viewer
