// The order that happened (kernels/trace.h), for the schedule: traces that ship (notebooks/data/*.trace, a trace a
// line), and what they say of the blocks of an image and of the multiprocessors over time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/worker/protocol.h"
#include "kernels/trace.h"
#include "viewer/logic/schedule.h"

namespace convlens::viewer {

struct Traces {
  std::vector<gpu::Trace> all;
  std::vector<std::string> wrong;  // "file:line: what is wrong with it"; such lines are left out

  // Of this very run, layer, type and layouts; null without one.
  const gpu::Trace* find(const worker::Job& job) const;

  // The closest to what is asked for: of the same row, and as much of layer, options, type and layouts as there is;
  // null without any trace of the row.
  const gpu::Trace* closest(const worker::Job& job) const;
};
Traces read_traces(const std::vector<std::string>& files);

// Those that ship, read once.
const Traces& shipped_traces();

// The same blocks in the order in which they began, each with its span. The trace is of the launch that they are of.
BlocksOfImage as_happened(const BlocksOfImage& launched, const gpu::Trace& trace);

// What each multiprocessor had at each time. It has as many places as it had blocks at a time; each block keeps the
// place that it began on.
struct Timeline {
  std::int64_t multiprocessors = 0, places = 0, bins = 0;
  std::int64_t last_ns = 1;                 // when the last block ended
  std::vector<std::int32_t> block_at = {};  // (multiprocessor, place, bin): the block by its launch order, or −1
  std::vector<std::int32_t> place_of = {};  // of each block, in launch order

  std::int32_t block(std::int64_t row, std::int64_t bin) const {
    return block_at[static_cast<std::size_t>(row * bins + bin)];
  }
  std::int64_t bin_at(std::int64_t ns) const;
};

// With so many bins of time for each place of a multiprocessor, in reason.
Timeline timeline(const gpu::Trace& trace, double bins_a_place);

}  // namespace convlens::viewer
