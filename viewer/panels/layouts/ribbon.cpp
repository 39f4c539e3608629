// The address ribbon: memory in order, and what of it a window, or a warp, touches, in each layout.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "viewer/logic/traffic.h"
#include "viewer/panels/layouts/layouts.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

constexpr std::int64_t kLine = 64;
constexpr int kGap = 2;  // pixels between lines

struct Reader {
  const char* id;
  std::string name;
  std::vector<Box> boxes;
};

std::vector<Reader> readers(const Scene& scene) {
  const ConvProblem& p = *scene.model().problem();
  const Coord output = output_of(scene);
  const std::string at = "(" + std::to_string(output[0]) + ", " + std::to_string(output[1]) + ", " +
                         std::to_string(output[2]) + ", " + std::to_string(output[3]) + ")";
  const std::int64_t outputs = outputs_of_warp(p, output);
  const std::string warp = outputs == 1 ? "A warp with one output, y" + at
                                        : "A warp: " + std::to_string(outputs) + " outputs from y" + at + " on";
  return {{"window", "The window of y" + at + ", all its channels", window_of_output(p, output)},
          {"warp", warp + ", one tap, one channel", warp_boxes(p, output)}};
}

Traffic traffic_in(const Scene& scene, const Reader& reader, Layout layout) {
  return traffic_of(reader.boxes, scene.model().problem()->x_shape(), layout, size_of(scene.state.dtype));
}

std::vector<std::string> counts(const Traffic& t) {
  const auto loaded = static_cast<double>(t.sectors * 32);
  const auto number = [](std::size_t count, const char* what) {
    return counted(static_cast<std::int64_t>(count), what);
  };
  std::vector<std::string> all{number(t.runs.size(), "run"), number(static_cast<std::size_t>(t.lines), "line"),
                               number(static_cast<std::size_t>(t.sectors), "sector")};
  if (loaded > 0)
    all.push_back(number_text(100 * static_cast<double>(t.bytes) / loaded, 3) + " % of what is loaded is used");
  return all;
}

// All of x from its first byte to its last; where the runs are, at least two pixels wide. Pointing moves the cursor.
void draw_whole(Scene& scene, const Traffic& traffic, Layout layout, float height) {
  const Exhibit& x = *scene.model().find("x");
  const Shape shape = scene.model().problem()->x_shape();
  const ImVec2 first = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::InvisibleButton("whole", {std::max(1.0f, width), height});
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(first, {first.x + width, first.y + height}, ImGui::GetColorU32(ImGuiCol_FrameBg));
  const double scale = width / static_cast<double>(std::max<std::int64_t>(1, x.bytes));
  float drawn = -1e9f;  // up to where marks have been drawn: runs nearer than a pixel are one mark
  for (const Run& run : traffic.runs) {
    const RunMark mark = mark_of(run, x.bytes, width, 2);
    if (mark.end < drawn + 1) continue;
    draw.AddRectFilled({first.x + mark.begin, first.y}, {first.x + mark.end, first.y + height}, palette().lit);
    drawn = mark.end;
  }
  if (!ImGui::IsItemHovered()) return;
  const std::int64_t size = size_of(scene.state.dtype);
  const auto offset = static_cast<std::int64_t>((ImGui::GetIO().MousePos.x - first.x) / scale) / size;
  const Coord at = coordinate_at(shape, layout, std::clamp<std::int64_t>(offset, 0, elements(shape) - 1));
  point_at(scene, "x", at);
  ImGui::SetTooltip("byte %s: x(%lld, %lld, %lld, %lld)", grouped(offset * size).c_str(), static_cast<long long>(at[0]),
                    static_cast<long long>(at[1]), static_cast<long long>(at[2]), static_cast<long long>(at[3]));
}

float room_for_lines(const Scene& scene) { return ImGui::GetContentRegionAvail().x - 90 * scene.scale; }

// How wide a line is drawn for so many of them to have room, within what can be seen and what is still a line.
float width_of_line(const Scene& scene, std::int64_t lines) {
  const float fit = room_for_lines(scene) / static_cast<float>(std::max<std::int64_t>(1, lines)) - kGap;
  return std::round(std::clamp(fit, std::max(4.0f, 7 * scene.scale), 28 * scene.scale));
}

// The lines that are touched, one after the other, each a column of its elements; the gaps between them left out.
void draw_lines(const Scene& scene, const Traffic& traffic, float column, float height) {
  const std::int64_t size = size_of(scene.state.dtype), slots = kLine / size;
  const float pitch = column + kGap;
  const float slot = std::max(1.0f, std::floor(height / static_cast<float>(slots)));
  const ImVec2 first = ImGui::GetCursorScreenPos();
  const auto most = static_cast<std::int64_t>(room_for_lines(scene) / pitch);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImU32 idle = ImGui::GetColorU32(ImGuiCol_FrameBgActive);
  std::int64_t drawn = -1, last_line = -2;  // the columns drawn so far, less one
  for (const Run& run : traffic.runs)
    for (std::int64_t line = run.first / kLine; line <= (run.first + run.bytes - 1) / kLine && drawn < most; ++line) {
      if (line != last_line) ++drawn;
      const float x = first.x + static_cast<float>(drawn) * pitch;
      if (line != last_line && drawn < most)
        for (std::int64_t k = 0; k < slots; ++k) {
          // A hair between the two sectors.
          const float y = first.y + static_cast<float>(k) * slot + (k >= slots / 2 ? 1.0f : 0.0f);
          draw.AddRectFilled({x, y}, {x + column, y + std::max(1.0f, slot - 1)}, idle);
        }
      last_line = line;
      if (drawn >= most) break;
      const std::int64_t from = std::max(run.first, line * kLine) / size;
      const std::int64_t to = std::min(run.first + run.bytes, (line + 1) * kLine) / size;
      for (std::int64_t k = from - line * slots; k < to - line * slots; ++k) {
        const float y = first.y + static_cast<float>(k) * slot + (k >= slots / 2 ? 1.0f : 0.0f);
        draw.AddRectFilled({x, y}, {x + column, y + std::max(1.0f, slot - 1)}, palette().lit);
      }
    }
  ImGui::Dummy({1, slot * static_cast<float>(slots) + 1});
  if (traffic.lines <= most) return;
  ImGui::SetCursorScreenPos({first.x + static_cast<float>(most) * pitch + 6, first.y});
  ImGui::TextDisabled("+ %s", grouped(traffic.lines - most).c_str());
  ImGui::SetCursorScreenPos(
      {first.x, first.y + slot * static_cast<float>(slots) + 1 + ImGui::GetStyle().ItemSpacing.y});
}

void draw_layout(Scene& scene, const Traffic& traffic, Layout layout, float column, float height) {
  ImGui::PushID(static_cast<int>(layout));
  std::vector<std::string> details = counts(traffic);
  std::string tooltip;
  for (const std::string& detail : details) tooltip += detail + "\n";
  if (layout == scene.state.layouts.x) details.push_back("(the layout of x)");
  draw_title(std::string(name(layout)), details, tooltip + "of a dense x in " + std::string(name(layout)));
  draw_whole(scene, traffic, layout, std::round(height * 0.2f));
  draw_lines(scene, traffic, column, height * 0.8f);
  ImGui::PopID();
}

void draw(Scene& scene) {
  if (scene.model().find("x")->cells() == 0) return faint_text("x has no element: N is 0.");
  // Two readers of three layouts: the height is shared among their six ribbons, after the texts.
  const float text = ImGui::GetTextLineHeightWithSpacing(), spacing = ImGui::GetStyle().ItemSpacing.y;
  ImGui::BeginChild("ribbons");
  const float space = ImGui::GetContentRegionAvail().y - 3 * text - 2 * spacing;
  const float height = std::clamp(space / 6 - text - 3 * spacing, 36 * scene.scale, 110 * scene.scale);
  faint_text(
      "Above: all of x in memory order. Below: each 64-byte line that is touched is a column of two "
      "32-byte sectors, its elements lit where they are read.");
  for (const Reader& reader : readers(scene)) {
    ImGui::PushID(reader.id);
    ImGui::TextUnformatted(reader.name.c_str());
    ImGui::Separator();
    std::vector<Traffic> of_layouts;
    for (const Layout layout : kLayouts) of_layouts.push_back(traffic_in(scene, reader, layout));
    // Lines are as wide in one layout as in another, so that their number is seen.
    const float column = width_of_line(scene, std::ranges::max_element(of_layouts, {}, &Traffic::lines)->lines);
    for (std::size_t k = 0; k < of_layouts.size(); ++k) draw_layout(scene, of_layouts[k], kLayouts[k], column, height);
    ImGui::PopID();
  }
  ImGui::EndChild();
}

nlohmann::ordered_json data(const Scene& scene) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  if (scene.model().find("x")->cells() == 0) return rows;
  for (const Reader& reader : readers(scene))
    for (const Layout layout : kLayouts) {
      const Traffic t = traffic_in(scene, reader, layout);
      rows.push_back({{"reader", reader.id},
                      {"layout", name(layout)},
                      {"bytes", t.bytes},
                      {"runs", t.runs.size()},
                      {"lines", t.lines},
                      {"sectors", t.sectors}});
    }
  return rows;
}

}  // namespace

Arrangement ribbon_arrangement() {
  return {"ribbon", "Addresses", "What a window and a warp touch of the memory, by the layout of x", draw, data};
}

}  // namespace convlens::viewer
