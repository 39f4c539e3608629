// The duplication heat map: every input pixel coloured by how often each algorithm stores it.
#include <algorithm>
#include <cmath>

#include "viewer/logic/copies.h"
#include "viewer/panels/layouts/layouts.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

struct Heat {
  std::vector<std::pair<const Exhibit*, Copies>> maps;
  std::vector<std::string> without;  // rows that make nothing from the input
  std::int64_t most = 1;
};

Heat heat_of(const Model& model) {
  Heat heat;
  for (std::size_t r = 0; r < model.rows().size(); ++r) {
    bool found = false;
    for (const Exhibit& exhibit : model.exhibits()) {
      if (exhibit.row != static_cast<int>(r)) continue;
      std::optional<Copies> copies = copies_of(model, exhibit);
      if (!copies) continue;
      heat.most = std::max(heat.most, copies->most);
      heat.maps.emplace_back(&exhibit, std::move(*copies));
      found = true;
    }
    if (!found && model.rows()[r].plan) heat.without.push_back(model.rows()[r].run);
  }
  return heat;
}

// "574 164 copies + 0 zeros = 2.19 MiB".
std::string total_text(const Copies& copies) {
  const std::string bytes = bytes_text(copies.bytes);
  if (copies.elements == 0) return bytes + "; its cells mix pixels, so they are not copies";
  return grouped(copies.elements) + " copies + " + grouped(copies.zeros) + " zeros = " + bytes;
}

Sheet image_sheet(const Copies& copies) {
  return Sheet({{"h", "H_i", copies.height, copies.height, copies.width}, {"w", "W_i", copies.width, copies.width, 1}},
               {0}, {1}, {});
}

void draw_map(Scene& scene, const std::shared_ptr<const Heat>& heat, std::size_t index, ImVec2 size) {
  const auto& [exhibit, copies] = heat->maps[index];
  if (begin_pane(exhibit->id.c_str(), size)) {
    const std::string most = "up to " + std::to_string(copies.most) + " times";
    draw_title(exhibit->title, {most, total_text(copies)},
               exhibit->id + "\n" + most + " a pixel\n" + total_text(copies) +
                   (exhibit->stored ? "" : "\nnever stored: it exists through its map alone"));
    const Sheet sheet = image_sheet(copies);
    GridContents contents{
        sheet, "copies" + std::to_string(scene.version),
        [heat, index](std::int64_t row, std::int64_t column) {
          const std::int64_t count = heat->maps[index].second.at(row, column);
          return viridis(static_cast<double>(count) / static_cast<double>(heat->most));
        },
        [heat, index](std::int64_t row, std::int64_t column) {
          return std::to_string(heat->maps[index].second.at(row, column));
        }};
    // The window of the cursor, on the image.
    std::vector<Box> lit;
    if (const auto x = scene.links.cells.find("x"); x != scene.links.cells.end())
      for (const Box& box : x->second) lit.push_back({{box.first[2], box.first[3]}, {box.extent[2], box.extent[3], 1, 1, 1, 1}});
    contents.lit = &lit;
    contents.lit_key = std::to_string(scene.links_version);
    const GridAnswer answer = grid("grid", scene.views["copies " + exhibit->id], contents, scene.painter,
                                   ImGui::GetContentRegionAvail());
    if (answer.pointed) {
      const Coord slice = slice_of(scene, *scene.model().find("x"));
      point_at(scene, "x", {slice[0], slice[1], answer.pointed->row, answer.pointed->column});
      ImGui::SetTooltip("stored %lld times", static_cast<long long>(copies.at(answer.pointed->row, answer.pointed->column)));
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
  ImGui::TextDisabled("%lld times, the same for all", static_cast<long long>(most));
}

void draw(Scene& scene) {
  const auto* latest = scene.kept.get<Later<std::shared_ptr<const Heat>>>("copies").get(
      std::to_string(scene.version), scene.painter,
      [model = scene.shared_model]() -> std::shared_ptr<const Heat> {
        // The model lives as long as what points into it.
        struct Both {
          std::shared_ptr<const Model> model;
          Heat heat;
        };
        const auto both = std::make_shared<Both>(Both{model, heat_of(*model)});
        return {both, &both->heat};
      });
  if (latest == nullptr) return ImGui::TextDisabled("counting ...");
  const std::shared_ptr<const Heat> heat = *latest;
  draw_legend(heat->most);
  if (!heat->without.empty()) {
    std::string rows;
    for (const std::string& run : heat->without) rows += (rows.empty() ? "" : ", ") + run;
    ImGui::TextDisabled("Nothing is copied by %s: every pixel is in x alone.", rows.c_str());
  }
  if (heat->maps.empty()) return;
  const ImVec2 space = ImGui::GetContentRegionAvail(), gap = ImGui::GetStyle().ItemSpacing;
  const auto count = static_cast<float>(heat->maps.size());
  const float columns = std::clamp(std::round(std::sqrt(count * space.x / space.y)), 1.0f, count);
  const float rows = std::ceil(count / columns);
  const ImVec2 size{std::floor((space.x - gap.x * (columns - 1)) / columns),
                    std::floor((space.y - gap.y * (rows - 1)) / rows)};
  for (std::size_t k = 0; k < heat->maps.size(); ++k) {
    if (k % static_cast<std::size_t>(columns) != 0) ImGui::SameLine();
    draw_map(scene, heat, k, size);
  }
}

nlohmann::ordered_json data(const Scene& scene) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& [exhibit, copies] : heat_of(scene.model()).maps)
    for (std::int64_t h = 0; h < copies.height; ++h)
      for (std::int64_t w = 0; w < copies.width; ++w)
        rows.push_back({{"tensor", exhibit->id}, {"h", h}, {"w", w}, {"copies", copies.at(h, w)}});
  return rows;
}

}  // namespace

Arrangement copies_arrangement() {
  return {"copies", "Copies", "How often each algorithm stores every pixel of the input", draw, data};
}

}  // namespace convlens::viewer
