#include "viewer/logic/traffic.h"

#include <algorithm>

namespace convlens::viewer {

namespace {

// How many pieces of `size` bytes, at multiples of it, the runs touch; each counts once.
std::int64_t pieces(const std::vector<Run>& runs, std::int64_t size) {
  std::int64_t count = 0, next = 0;  // `next`: the first piece not yet counted
  for (const Run& run : runs) {
    const std::int64_t first = std::max(next, run.first / size), last = (run.first + run.bytes - 1) / size;
    if (last >= first) count += last - first + 1;
    next = std::max(next, last + 1);
  }
  return count;
}

}  // namespace

Traffic traffic_of(std::span<const Box> boxes, const Shape& shape, Layout layout, std::int64_t element_bytes) {
  const Strides strides = dense_strides(layout, shape);
  const auto order = memory_order(layout);
  const auto fastest = static_cast<std::size_t>(order[3]);
  Traffic traffic;
  for (const Box& box : boxes) {
    // One run along the fastest axis for every index of the other three.
    for (std::int64_t i = 0; i < box.size() / box.extent[fastest]; ++i) {
      std::int64_t rest = i, offset = box.first[fastest];
      for (int k = 2; k >= 0; --k) {
        const auto axis = static_cast<std::size_t>(order[static_cast<std::size_t>(k)]);
        offset += (box.first[axis] + rest % box.extent[axis]) * strides[axis];
        rest /= box.extent[axis];
      }
      traffic.runs.push_back({offset * element_bytes, box.extent[fastest] * element_bytes});
    }
  }
  std::ranges::sort(traffic.runs, {}, &Run::first);
  std::vector<Run> merged;
  for (const Run& run : traffic.runs) {
    if (!merged.empty() && run.first <= merged.back().first + merged.back().bytes)
      merged.back().bytes = std::max(merged.back().bytes, run.first + run.bytes - merged.back().first);
    else
      merged.push_back(run);
  }
  traffic.runs = std::move(merged);
  for (const Run& run : traffic.runs) traffic.bytes += run.bytes;
  traffic.lines = pieces(traffic.runs, 64);
  traffic.sectors = pieces(traffic.runs, 32);
  return traffic;
}

RunMark mark_of(const Run& run, std::int64_t bytes, float width, float least) {
  const double scale = static_cast<double>(width) / static_cast<double>(std::max<std::int64_t>(1, bytes));
  const auto at = [&](std::int64_t byte) { return static_cast<float>(static_cast<double>(byte) * scale); };
  const float begin = std::clamp(at(run.first), 0.0f, std::max(0.0f, width - least));
  return {begin, std::clamp(at(run.first + run.bytes), std::min(width, begin + least), width)};
}

std::int64_t outputs_of_warp(const ConvProblem& p, const Coord& output) {
  constexpr std::int64_t kThreads = 32;
  return std::min(kThreads, p.ho() * p.wo() - (output[2] * p.wo() + output[3]));
}

std::vector<Box> warp_boxes(const ConvProblem& p, const Coord& output) {
  std::vector<Box> boxes;
  const std::int64_t first = output[2] * p.wo() + output[3], count = outputs_of_warp(p, output);
  const std::int64_t channel = p.group_of_output(output[1]) * p.ci_per_group();
  for (std::int64_t k = first; k < first + count; ++k) {
    const std::int64_t h = p.input_row(k / p.wo(), 0), w = p.input_column(k % p.wo(), 0);
    if (h >= 0 && h < p.hi() && w >= 0 && w < p.wi()) boxes.push_back(Box::cell({output[0], channel, h, w}));
  }
  return boxes;
}

Coord coordinate_at(const Shape& shape, Layout layout, std::int64_t offset) {
  Coord at{};
  const auto order = memory_order(layout);
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    const auto k = static_cast<std::size_t>(*axis);
    at[k] = offset % shape[k];
    offset /= shape[k];
  }
  return at;
}

}  // namespace convlens::viewer
