#include "viewer/logic/traces.h"

#include <algorithm>
#include <numeric>

#include "viewer/logic/json_lines.h"
#include "viewer/logic/recorded.h"

namespace convlens::viewer {

namespace {

std::string row_of(const std::string& run) { return run.substr(0, run.find(':')); }

// The blocks by when they began.
std::vector<std::size_t> by_begin(const std::vector<gpu::BlockSpan>& blocks) {
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return blocks[k].begin_ns; });
  return order;
}

// Which place of its multiprocessor each block takes: the first that is free when it begins.
std::vector<std::int32_t> places(const gpu::Trace& trace) {
  std::vector<std::vector<std::int64_t>> free_from(static_cast<std::size_t>(trace.multiprocessors));
  std::vector<std::int32_t> place_of(trace.blocks.size());
  for (const std::size_t k : by_begin(trace.blocks)) {
    const gpu::BlockSpan& block = trace.blocks[k];
    std::vector<std::int64_t>& free = free_from[static_cast<std::size_t>(block.sm)];
    const auto place = std::ranges::find_if(free, [&](std::int64_t from) { return from <= block.begin_ns; });
    place_of[k] = static_cast<std::int32_t>(place - free.begin());
    if (place == free.end())
      free.push_back(block.end_ns);
    else
      *place = block.end_ns;
  }
  return place_of;
}

}  // namespace

const gpu::Trace* Traces::find(const worker::Job& job) const {
  const auto found = std::ranges::find_if(all, [&](const gpu::Trace& t) {
    return t.spec == job.spec && t.run == job.run && t.dtype == job.dtype && t.layouts == job.layouts;
  });
  return found == all.end() ? nullptr : &*found;
}

const gpu::Trace* Traces::closest(const worker::Job& job) const {
  const auto likeness = [&](const gpu::Trace& t) {
    if (row_of(t.run) != row_of(job.run)) return 0;
    ConvSpec same_batch = t.spec;
    same_batch.n = job.spec.n;
    return 1 + 16 * (same_batch == job.spec) + 8 * (t.run == job.run) + 4 * (t.dtype == job.dtype) +
           2 * (t.layouts == job.layouts) + (t.spec.n == job.spec.n);
  };
  const gpu::Trace* best = nullptr;
  for (const gpu::Trace& trace : all)
    if (likeness(trace) > (best == nullptr ? 0 : likeness(*best))) best = &trace;
  return best;
}

Traces read_traces(const std::vector<std::string>& files) {
  Traces traces;
  each_line(files, traces.wrong, [&](const std::string& line) { traces.all.push_back(gpu::parse_trace(line)); });
  return traces;
}

const Traces& shipped_traces() {
  static const Traces traces = read_traces(data_files(".trace"));
  return traces;
}

BlocksOfImage as_happened(const BlocksOfImage& launched, const gpu::Trace& trace) {
  BlocksOfImage found = launched;
  for (ScheduledBlock& block : found.blocks) block.span = trace.blocks.at(static_cast<std::size_t>(block.index));
  std::ranges::stable_sort(found.blocks, {}, [](const ScheduledBlock& block) { return block.span->begin_ns; });

  std::vector<std::int32_t> now_at(launched.blocks.size());  // by their number in launch order
  std::vector<std::int64_t> indices;
  for (const ScheduledBlock& block : launched.blocks) indices.push_back(block.index);
  for (std::size_t k = 0; k < found.blocks.size(); ++k) {
    const auto before = std::ranges::lower_bound(indices, found.blocks[k].index) - indices.begin();
    now_at[static_cast<std::size_t>(before)] = static_cast<std::int32_t>(k);
  }
  for (std::int32_t& number : found.block_of)
    if (number >= 0) number = now_at[static_cast<std::size_t>(number)];
  return found;
}

std::int64_t Timeline::bin_at(std::int64_t ns) const {
  return std::clamp<std::int64_t>(ns * bins / last_ns, 0, bins - 1);
}

Timeline timeline(const gpu::Trace& trace, double bins_a_place) {
  constexpr double kLeastBins = 64, kMostBins = 8192;
  Timeline line{.multiprocessors = trace.multiprocessors, .place_of = places(trace)};
  for (const std::int32_t place : line.place_of) line.places = std::max<std::int64_t>(line.places, place + 1);
  const double wanted = bins_a_place * static_cast<double>(line.multiprocessors * line.places);
  line.bins = static_cast<std::int64_t>(std::clamp(wanted, kLeastBins, kMostBins));
  for (const gpu::BlockSpan& block : trace.blocks) line.last_ns = std::max(line.last_ns, block.end_ns);
  line.block_at.assign(static_cast<std::size_t>(line.multiprocessors * line.places * line.bins), -1);
  for (std::size_t k = 0; k < trace.blocks.size(); ++k) {
    const gpu::BlockSpan& block = trace.blocks[k];
    const auto row = line.block_at.begin() + (block.sm * line.places + line.place_of[k]) * line.bins;
    std::fill(row + line.bin_at(block.begin_ns), row + line.bin_at(block.end_ns) + 1, static_cast<std::int32_t>(k));
  }
  return line;
}

}  // namespace convlens::viewer
