// The order that happened: on which multiprocessor each block of a kernel ran, and when.
//
// A traced kernel has one line more (common/trace.cuh), put into its text before it is compiled; the texts themselves
// know nothing of it, so that a kernel that is not traced pays nothing. A traced one takes a little longer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/interface/algorithm.h"
#include "kernels/program.h"

namespace convlens::gpu {

// One thread block of a launch. Laid out as in common/trace.cuh.
struct BlockSpan {
  std::int64_t begin_ns = 0, end_ns = 0;  // on the GPU's clock, or from the beginning of the first block
  std::int32_t sm = 0;
  std::int32_t times = 0;  // how often it ran: once
};

// The row with its main kernel traced; what its blocks have noted is read by Runtime::spans. One execution at a time.
Algorithm traced(const Algorithm& row);

// The text with the note at the head of the function `entry`, on the line where that begins. Throws BadInput when there
// is no __global__ function of this name.
std::string with_block_note(const std::string& text, const std::string& entry);

// What is written down of one execution. As a line of JSON (trace.schema.json) it has `trace`, 1, the number of this
// language; then these fields under the names of a result record (algorithms/measure/record.schema.json), the problem
// as `--layer` takes it; and of the blocks, in launch order, the lists `sm`, `begin_ns` and `end_ns`.
struct Trace {
  std::string time, revision, gpu, driver;
  int multiprocessors = 0;
  std::string layer;  // its name, or ""
  ConvSpec spec{};
  std::string run;  // its full name
  DType dtype = DType::f32;
  Layouts layouts{};
  std::string kernel;             // "im2win_cc"
  Dim3 grid, block;               // in blocks, in threads
  std::vector<BlockSpan> blocks;  // in launch order; the first to begin begins at 0
};

// Runs the row's traced program on random data, twice, once to have it loaded, and takes the second down. Throws
// NoDevice without a GPU, and Unsupported when the row has no kernel of its own, or a block did not run just once.
Trace trace(const Algorithm& row, const Request& request, const std::string& layer, std::uint64_t seed);

std::string to_line(const Trace& trace);

// Throws BadInput that says what is wrong with the line.
Trace parse_trace(const std::string& line);

}  // namespace convlens::gpu
