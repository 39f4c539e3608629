#include "viewer/logic/schedule.h"

#include <algorithm>

namespace convlens::viewer {

namespace {

Schedule schedule_of(const ChosenRow& row) {
  if (!row.plan) return {row.run, nullptr, "cannot run: " + row.support.reason};
  const gpu::Program* program = row.plan->program();
  if (program == nullptr) return {row.run, nullptr, "runs on the CPU, whose threads have no fixed order"};
  const gpu::Launch* last = nullptr;
  for (const gpu::Step& step : program->steps)
    if (const auto* launch = std::get_if<gpu::Launch>(&step);
        launch != nullptr && launch->tiles && launch->writes == "y")
      last = launch;
  if (last != nullptr) return {row.run, last, ""};
  if (gpu::main_launch(*program) == nullptr)
    return {row.run, nullptr, "leaves the work to a library, which keeps its schedule to itself"};
  return {row.run, nullptr, "has no blocks that each compute one tile of y"};
}

// Tiles at the edge may reach beyond y.
void clip(Box& box, const ConvProblem& p) {
  const Shape shape = p.y_shape();
  for (std::size_t axis = 0; axis < 4; ++axis)
    box.extent[axis] = std::clamp<std::int64_t>(shape[axis] - box.first[axis], 0, box.extent[axis]);
}

}  // namespace

std::vector<Schedule> schedules(const Model& model) {
  std::vector<Schedule> all;
  for (const ChosenRow& row : model.rows()) all.push_back(schedule_of(row));
  return all;
}

BlocksOfImage blocks_of_image(const ConvProblem& p, const gpu::Launch& launch, std::int64_t image) {
  BlocksOfImage found;
  found.image = image;
  const std::int64_t count = launch.grid.count(), outputs = p.co() * p.ho() * p.wo();
  found.complete = count <= kMostBlocks;
  if (outputs <= kMostOutputs) found.block_of.assign(static_cast<std::size_t>(outputs), -1);
  for (std::int64_t index = 0; index < std::min(count, kMostBlocks); ++index) {
    const gpu::Dim3& grid = launch.grid;
    ScheduledBlock block{index, launch.tiles({index % grid.x, index / grid.x % grid.y, index / (grid.x * grid.y)}), {}};
    std::erase_if(block.boxes,
                  [&](const Box& box) { return image < box.first[0] || image >= box.first[0] + box.extent[0]; });
    if (block.boxes.empty()) continue;
    for (Box& box : block.boxes) clip(box, p);
    const auto number = static_cast<std::int32_t>(found.blocks.size());
    if (!found.block_of.empty())
      for (const Box& box : block.boxes)
        for (std::int64_t o = box.first[1]; o < box.first[1] + box.extent[1]; ++o)
          for (std::int64_t row = box.first[2]; row < box.first[2] + box.extent[2]; ++row) {
            const auto at =
                found.block_of.begin() + static_cast<std::ptrdiff_t>((o * p.ho() + row) * p.wo() + box.first[3]);
            std::fill(at, at + static_cast<std::ptrdiff_t>(box.extent[3]), number);
          }
    found.blocks.push_back(std::move(block));
  }
  return found;
}

}  // namespace convlens::viewer
