// The schedule: which thread block computes which tile of y, in the order in which blocks are launched, or as it
// happened on a GPU.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "viewer/logic/in_symbols.h"
#include "viewer/logic/schedule.h"
#include "viewer/panels/layouts/layouts.h"
#include "viewer/panels/layouts/scrubber.h"
#include "viewer/panels/layouts/timeline.h"
#include "viewer/ui/fitting.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

constexpr double kBlocksASecond = 12;

// The middles of the tiles around the present block, joined in launch order.
void draw_path(const GridAnswer& at, const Sheet& sheet, const Box& repeats, const BlocksOfImage& blocks,
               std::int64_t now, float scale) {
  constexpr std::int64_t kBefore = 24;
  const auto last_of = [&](Coord at, const Box& box) {
    for (std::size_t axis = 1; axis < 4; ++axis) at[axis] += std::max<std::int64_t>(1, box.extent[axis]) - 1;
    for (std::size_t axis = 4; axis < kMaxRank; ++axis) at[axis] = repeats.extent[axis] - 1;
    return at;
  };
  std::vector<ImVec2> points;
  for (std::int64_t k = std::max<std::int64_t>(0, now - kBefore); k <= now; ++k) {
    const Box& box = blocks.blocks[static_cast<std::size_t>(k)].boxes.front();
    Coord first = box.first;
    first[0] = blocks.image;
    const auto a = sheet.position(first), b = sheet.position(last_of(first, box));
    if (!a || !b) continue;
    const auto middle = [&](double origin, std::int64_t from, std::int64_t to) {
      return static_cast<float>(origin + at.cell * static_cast<double>(from + to + 1) / 2);
    };
    points.push_back({middle(at.x, a->column, b->column), middle(at.y, a->row, b->row)});
  }
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.PushClipRect(at.first, at.last, true);
  // Line by line: a polyline grows thin where it turns sharply.
  for (const auto& [colour, wide] : {std::pair{IM_COL32(0, 0, 0, 160), 4.0f}, {palette().lit, 2.0f}})
    for (std::size_t k = 1; k < points.size(); ++k) draw.AddLine(points[k - 1], points[k], colour, wide * scale);
  draw.PopClipRect();
}

// The axes of y, and two more that repeat rows and columns, so that a long matrix fills a space of `size`. One of few
// cells stays as it is: they are large, and more of them would be taken for more outputs.
std::vector<Axis> repeated_axes(const Exhibit& y, bool matrix, ImVec2 size) {
  std::vector<Axis> axes = y.axes;
  const double rows = static_cast<double>(axes[1].extent);
  const double columns = static_cast<double>(axes[2].extent * axes[3].extent);
  const double ratio = static_cast<double>(size.y) / size.x * columns / rows;
  constexpr double kLarge = 24;  // pixels a cell
  const bool stretched = matrix && std::min(size.x / columns, size.y / rows) < kLarge;
  const std::int64_t down = stretched ? std::max<std::int64_t>(1, std::llround(ratio)) : 1;
  const std::int64_t across = stretched ? std::max<std::int64_t>(1, std::llround(1 / ratio)) : 1;
  axes.push_back({"repeated down", "", down, down, 0});
  axes.push_back({"repeated across", "", across, across, 0});
  return axes;
}

// y as a matrix of channels and pixels, or as an image; one colour a block.
void draw_sheet(Scene& scene, const char* id, const std::string& title, const SharedBlocks& blocks, bool matrix,
                ImVec2 size) {
  if (begin_pane(id, size)) {
    const Exhibit& y = *scene.model().find("y");
    const ConvProblem& p = *scene.model().problem();
    const std::int64_t now =
        std::clamp<std::int64_t>(scene.state.block, 0, static_cast<std::int64_t>(blocks->blocks.size()) - 1);
    const ScheduledBlock& block = blocks->blocks[static_cast<std::size_t>(now)];
    Coord slice = output_of(scene);
    slice[0] = blocks->image;
    if (!matrix) slice[1] = block.boxes.front().first[1];
    const std::vector<Axis> axes = repeated_axes(y, matrix, size);
    const Box repeats{{}, {1, 1, 1, 1, axes[4].extent, axes[5].extent}};
    const Sheet sheet = matrix ? Sheet(axes, {1, 4}, {2, 3, 5}, slice) : Sheet(axes, {2}, {3}, slice);
    wrapped_text(title);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Colour: the launch order, dark to bright; blocks after the present one are darkened");
    const auto number_at = [blocks, sheet, ho = p.ho(), wo = p.wo()](std::int64_t row, std::int64_t column) {
      const Coord at = *sheet.cell(row, column);
      return static_cast<std::int64_t>(blocks->block_of[static_cast<std::size_t>((at[1] * ho + at[2]) * wo + at[3])]);
    };
    GridContents contents{
        sheet,
        "schedule" + std::to_string(scene.version) + "," + std::to_string(now) + "," + std::to_string(slice[0]) + "," +
            std::to_string(slice[1]) + scene.state.order + std::to_string(blocks->blocks.front().span.has_value()) +
            std::to_string(scene.kept.get<std::size_t>("schedule row")),
        [blocks, number_at, now](std::int64_t row, std::int64_t column) {
          return colour_of_block(*blocks, now, number_at(row, column));
        },
        [blocks, number_at, sheet, repeats](std::int64_t row, std::int64_t column) {
          // Once in all the cells that repeat one output.
          const Coord at = *sheet.cell(row, column);
          if (at[4] != repeats.extent[4] / 2 || at[5] != repeats.extent[5] / 2) return std::string();
          const std::int64_t number = number_at(row, column);
          return number < 0 ? std::string("?") : std::to_string(blocks->blocks[static_cast<std::size_t>(number)].index);
        }};
    std::vector<Box> lit = block.boxes;
    for (Box& box : lit) box.extent[4] = repeats.extent[4], box.extent[5] = repeats.extent[5];
    contents.lit = &lit;
    contents.lit_key = std::to_string(now);
    contents.lens = contents.lines = false;
    const GridAnswer answer = grid("grid", scene.views[std::string("schedule ") + id], contents, scene.painter,
                                   ImGui::GetContentRegionAvail());
    draw_path(answer, sheet, repeats, *blocks, now, scene.scale);
    if (answer.pointed) {
      Coord at = *sheet.cell(answer.pointed->row, answer.pointed->column);
      at[4] = at[5] = 0;
      point_at(scene, "y", at);
      const std::int64_t number = number_at(answer.pointed->row, answer.pointed->column);
      if (number >= 0) {
        const std::int64_t index = blocks->blocks[static_cast<std::size_t>(number)].index;
        ImGui::SetTooltip("y(%lld, %lld, %lld, %lld) is computed by block %lld", static_cast<long long>(at[0]),
                          static_cast<long long>(at[1]), static_cast<long long>(at[2]), static_cast<long long>(at[3]),
                          static_cast<long long>(index));
      }
    }
  }
  ImGui::EndChild();
}

// Which of the rows that have a schedule; why the others have none.
const Schedule* choose(Scene& scene, const std::vector<Schedule>& all) {
  std::size_t& chosen = scene.kept.get<std::size_t>("schedule row");
  const auto has = [](const Schedule& s) { return s.launch != nullptr; };
  if (std::ranges::none_of(all, has)) {
    ImGui::TextWrapped("No chosen row states which block computes what. Choose a row for a GPU on the left.");
    for (const Schedule& s : all) faint_text(s.run + " " + in_symbols(s.why));
    return nullptr;
  }
  if (chosen >= all.size() || !has(all[chosen]))
    chosen = static_cast<std::size_t>(std::ranges::find_if(all, has) - all.begin());
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!has(all[k])) continue;
    if (ImGui::RadioButton(all[k].run.c_str(), k == chosen)) chosen = k;
    ImGui::SameLine();
  }
  return &all[chosen];
}

// Which chosen rows are not among those to choose from, in one line: with the reasons, or, where these do not fit, with
// them in its tooltip alone.
void draw_without(const std::vector<Schedule>& all) {
  const std::string title = "Without a schedule:";
  std::vector<std::string> rows, reasons;
  std::string tooltip = title;
  for (const Schedule& s : all) {
    if (s.launch != nullptr) continue;
    rows.push_back(s.run);
    reasons.push_back(s.run + " " + in_symbols(s.why));
    tooltip += "\n" + reasons.back();
  }
  if (rows.empty()) return;
  const float width = ImGui::GetContentRegionAvail().x;
  Fitted line = fitted_list(title, reasons, width);
  if (!line.whole) line = fitted_list(title, rows, width);
  faint_text(line.text);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tooltip.c_str());
}

std::string dim_text(const gpu::Dim3& d) { return grouped(d.x) + " × " + grouped(d.y) + " × " + grouped(d.z); }

void draw_schedule(Scene& scene) {
  const std::vector<Schedule> all = schedules(scene.model());
  const Schedule* schedule = choose(scene, all);
  if (schedule == nullptr) return;
  const std::string says = schedule->launch->kernel.entry + ": a grid of " + dim_text(schedule->launch->grid) +
                           " blocks of " + dim_text(schedule->launch->block) + " threads";
  if (ImGui::CalcTextSize(says.c_str()).x > ImGui::GetContentRegionAvail().x) ImGui::NewLine();
  faint_text(says);
  draw_without(all);
  const std::int64_t image = output_of(scene)[0];
  const SharedTrace trace = draw_order(scene, *schedule);
  const SharedBlocks* latest =
      scene.kept.get<Later<SharedBlocks>>("schedule")
          .get(std::to_string(scene.version) + schedule->run + std::to_string(image) + (trace ? trace->time : ""),
               scene.painter, [model = scene.shared_model, launch = schedule->launch, image, trace]() -> SharedBlocks {
                 const BlocksOfImage launched = blocks_of_image(*model->problem(), *launch, image);
                 return std::make_shared<BlocksOfImage>(trace ? as_happened(launched, *trace) : launched);
               });
  if (latest == nullptr) return faint_text("asking every block ...");
  const SharedBlocks blocks = *latest;
  if (!blocks->blocks.empty() && blocks->blocks.front().span.has_value() != (trace != nullptr))
    return faint_text("asking every block ...");  // of the other order, which is not asked for any more
  if (blocks->blocks.empty() || blocks->block_of.empty())
    return faint_text("An image of y has no or too many elements to be drawn block by block.");
  const auto count = static_cast<std::int64_t>(blocks->blocks.size());
  draw_scrubber(scene, &State::block, count - 1, kBlocksASecond);
  if (scene.state.block >= count)
    wrong_text("block: " + std::to_string(scene.state.block) + ", must be < " + std::to_string(count) +
               "; the last is shown");
  const std::int64_t now = std::clamp<std::int64_t>(scene.state.block, 0, count - 1);
  const ScheduledBlock& present = blocks->blocks[static_cast<std::size_t>(now)];
  ImGui::TextWrapped("block %s, number %s of the %s that compute image %lld%s%s", grouped(present.index).c_str(),
                     grouped(now + 1).c_str(), grouped(count).c_str(), static_cast<long long>(image),
                     present.span ? span_text(*present.span).c_str() : "",
                     blocks->complete ? "" : "; the grid is so large that only its first 2^20 blocks were asked");
  // One above the other, or side by side where there is little height; the multiprocessors under both.
  ImVec2 space = ImGui::GetContentRegionAvail();
  space.y = std::max(space.y, (trace ? 14 : 8) * ImGui::GetTextLineHeightWithSpacing());
  const ImVec2 gap = ImGui::GetStyle().ItemSpacing;
  const float lanes = trace ? std::floor(space.y * 0.45f) : 0;
  space.y -= trace ? lanes + gap.y : 0;
  const bool beside = space.y < 12 * ImGui::GetTextLineHeightWithSpacing() || trace;
  const ImVec2 matrix = beside ? ImVec2{std::floor((space.x - gap.x) * 0.6f), space.y}
                               : ImVec2{space.x, std::floor((space.y - gap.y) * 0.4f)};
  draw_sheet(scene, "matrix", "y as a matrix: output channels o down, pixels (p, q) across", blocks, true, matrix);
  if (beside) ImGui::SameLine();
  const std::int64_t channel = blocks->blocks[static_cast<std::size_t>(now)].boxes.front().first[1];
  draw_sheet(scene, "image",
             "y(" + std::to_string(image) + ", " + std::to_string(channel) + "): rows p down, columns q across", blocks,
             false, {ImGui::GetContentRegionAvail().x, beside ? space.y : space.y - matrix.y - gap.y});
  if (trace) draw_timeline(scene, trace, blocks, now, {ImGui::GetContentRegionAvail().x, lanes});
}

// Where there is little height it scrolls.
void draw(Scene& scene) {
  ImGui::BeginChild("schedule");
  draw_schedule(scene);
  ImGui::EndChild();
}

nlohmann::ordered_json data(const Scene& scene) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const std::vector<Schedule> all = schedules(scene.model());
  if (std::ranges::none_of(all, [](const Schedule& s) { return s.launch != nullptr; })) {
    std::string why;
    for (const Schedule& s : all) why += s.run + " " + s.why + "; ";
    throw Unsupported("schedule: " + why + "choose a row for a GPU, as in --algorithm im2win.cc");
  }
  for (const Schedule& schedule : all) {
    if (schedule.launch == nullptr) {
      rows.push_back({{"run", schedule.run}, {"without", schedule.why}});
      continue;
    }
    const BlocksOfImage blocks = blocks_of_image(*scene.model().problem(), *schedule.launch, output_of(scene)[0]);
    for (const ScheduledBlock& block : blocks.blocks)
      for (const Box& box : block.boxes)
        rows.push_back({{"run", schedule.run},
                        {"block", block.index},
                        {"n", box.first[0]},
                        {"o", box.first[1]},
                        {"p", box.first[2]},
                        {"q", box.first[3]},
                        {"n_count", box.extent[0]},
                        {"o_count", box.extent[1]},
                        {"p_count", box.extent[2]},
                        {"q_count", box.extent[3]}});
  }
  return rows;
}

}  // namespace

Arrangement schedule_arrangement() {
  return {"schedule", "Schedule", "Which thread block computes which tile of y, in launch order", draw, data};
}

}  // namespace convlens::viewer
