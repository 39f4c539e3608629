// Which thread block computes which part of the output, by the function that the kernel itself uses
// (gpu::Launch::tiles), for the blocks that compute a given image.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/program.h"
#include "kernels/trace.h"
#include "viewer/logic/model.h"

namespace convlens::viewer {

struct Schedule {
  std::string run;
  const gpu::Launch* launch = nullptr;  // null: `why` says why there is nothing to show
  std::string why;
};

// Of every chosen row, in their order.
std::vector<Schedule> schedules(const Model& model);

struct ScheduledBlock {
  std::int64_t index = 0;              // in launch order
  std::vector<Box> boxes;              // (n, o, p, q), those of the image
  std::optional<gpu::BlockSpan> span;  // where and when it ran, of a schedule as it happened (traces.h)
};

// The blocks of one image, in launch order. `complete` is false where the grid has more than kMostBlocks blocks, of
// which the first were asked.
struct BlocksOfImage {
  std::vector<ScheduledBlock> blocks;
  std::vector<std::int32_t> block_of;  // which of `blocks` computes (o, p, q), or −1: o·H_o·W_o + p·W_o + q
  std::int64_t image = 0;
  bool complete = true;
};
inline constexpr std::int64_t kMostBlocks = std::int64_t{1} << 20;
inline constexpr std::int64_t kMostOutputs = std::int64_t{1} << 25;  // of an image; `block_of` is empty beyond

BlocksOfImage blocks_of_image(const ConvProblem& problem, const gpu::Launch& launch, std::int64_t image);

}  // namespace convlens::viewer
