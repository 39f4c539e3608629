// What a set of elements costs to read, by the layout of the tensor that they lie in: contiguous runs, cache lines of
// 64 bytes (CPU) and sectors of 32 bytes (NVIDIA GPU).
#pragma once

#include <span>
#include <vector>

#include "algorithms/interface/index_map.h"
#include "algorithms/problem/conv_problem.h"
#include "algorithms/tensor/layout.h"

namespace convlens::viewer {

struct Run {
  std::int64_t first = 0, bytes = 0;  // byte address in the tensor, and length
  bool operator==(const Run&) const = default;
};

struct Traffic {
  std::vector<Run> runs;  // ascending, merged
  std::int64_t bytes = 0, lines = 0, sectors = 0;
};

// Of `boxes` (n, c, h, w) of a dense tensor of `shape`, its elements `element_bytes` wide, its first at a multiple
// of 64.
Traffic traffic_of(std::span<const Box> boxes, const Shape& shape, Layout layout, std::int64_t element_bytes);

// Where a run is marked on a bar that is `width` pixels long and shows `bytes` of memory: at least `least` pixels of
// it, and never beyond its end, which the last bytes of a large tensor are less than a pixel away from.
struct RunMark {
  float begin = 0, end = 0;  // pixels from the bar's beginning
};
RunMark mark_of(const Run& run, std::int64_t bytes, float width, float least);

// What a warp reads at once where 32 threads compute neighbouring outputs, row by row from `output` on: the element
// under the filter's first tap, in the group's first channel. Elements on padding are not read; outputs that are not
// there neither.
std::int64_t outputs_of_warp(const ConvProblem& problem, const Coord& output);  // 32, or as many as are left
std::vector<Box> warp_boxes(const ConvProblem& problem, const Coord& output);

// The element whose offset in a dense tensor that is.
Coord coordinate_at(const Shape& shape, Layout layout, std::int64_t offset);

}  // namespace convlens::viewer
