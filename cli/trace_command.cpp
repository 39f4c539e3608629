// `convlens trace`: the order that happened, on which multiprocessor of a GPU each block of a row's main kernel ran,
// and when (kernels/trace.h); for people in a few numbers, for the viewer's schedule as a line of JSON.
#include <algorithm>
#include <map>
#include <memory>
#include <span>

#include "algorithms/measure/device.h"
#include "algorithms/output_file.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "kernels/trace.h"

namespace convlens::cli {

namespace {

struct TraceArguments {
  LayerArguments layers;
  RowArguments row;
  StateArgument state;
  std::string output;
};

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1e3; }

// The most blocks that one multiprocessor had at a time.
std::size_t most_at_once(const std::vector<gpu::BlockSpan>& blocks) {
  std::map<int, std::vector<std::pair<std::int64_t, int>>> changes;  // of each: when, +1 or −1
  for (const gpu::BlockSpan& block : blocks) {
    changes[block.sm].emplace_back(block.begin_ns, 1);
    changes[block.sm].emplace_back(block.end_ns, -1);
  }
  int most = 0;
  for (auto& [sm, times] : changes) {
    std::ranges::sort(times);  // at the same time the end comes before the beginning
    int now = 0;
    for (const auto& [time, change] : times) most = std::max(most, now += change);
  }
  return static_cast<std::size_t>(most);
}

std::string summary(const gpu::Trace& trace) {
  std::vector<std::int64_t> lengths;
  std::vector<bool> used(static_cast<std::size_t>(trace.multiprocessors));
  std::int64_t last = 0;
  for (const gpu::BlockSpan& block : trace.blocks) {
    lengths.push_back(block.end_ns - block.begin_ns);
    used[static_cast<std::size_t>(block.sm)] = true;
    last = std::max(last, block.end_ns);
  }
  std::ranges::nth_element(lengths, lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2));
  return trace.run + ": " + trace.kernel + " on " + trace.gpu + "\n" + std::to_string(trace.blocks.size()) +
         " blocks on " + std::to_string(std::ranges::count(used, true)) + " of " +
         std::to_string(trace.multiprocessors) + " multiprocessors, at most " +
         std::to_string(most_at_once(trace.blocks)) + " at a time on one\n" + significant(microseconds(last), 4) +
         " µs from the first block's beginning to the last one's end; a block, median, " +
         significant(microseconds(lengths[lengths.size() / 2]), 4) + " µs\n";
}

void trace(const TraceArguments& arguments, const Globals& globals) {
  if (!arguments.row.algorithm_given()) throw BadInput("ROW: none given, must be a row of `convlens list algorithms`");
  const Run run = only(arguments.row.runs(), "ROW");
  if (run.algorithm->unit == Unit::cpu) throw BadInput("ROW: " + run.algorithm->id + ", must be a row on a GPU");
  const Layer layer = only(arguments.layers.layers(), "layer");
  const DType dtype = arguments.row.dtype_on_gpu(*run.algorithm);
  const Layouts layouts = only(arguments.row.layouts({Layouts{}}), "--layout");
  refuse_same_file({{"--output", arguments.output}}, {{"--state", arguments.state.file()}});
  std::unique_ptr<OutputFile> file;
  if (!arguments.output.empty()) file = std::make_unique<OutputFile>(arguments.output, "--output");
  // What cannot be asked for is said on any machine.
  static_cast<void>(run.algorithm->plan({layer.problem, dtype, layouts, run.options}));
  if (const std::string why = why_not_here(*run.algorithm); !why.empty())
    throw NoDevice(run.algorithm->id + ": " + why);
  const Request request = make_request(layer.problem, dtype, layouts, run.options, {Place::Kind::device, 0}, globals);
  const gpu::Trace made = gpu::trace(*run.algorithm, request, layer.name, 1);
  const std::string line = to_line(made) + "\n";
  if (file) file->write(std::as_bytes(std::span(line))), file->commit();
  print(globals.json ? line : summary(made));
}

}  // namespace

void add_trace(CLI::App& app, const Globals& globals) {
  Command command(app, "trace", "where and when each block of a row's main kernel ran on a GPU",
                  {"convlens trace im2win.tc --layer cv9 --batch 256 --layout NHWC -o trace.jsonl",
                   "convlens trace im2win.tc:zigzag=off --layer cv9 --layout NHWC --json",
                   "convlens trace direct.cc cv12", "convlens trace im2win.cc --state state.json"});
  const auto arguments = std::make_shared<TraceArguments>();
  TraceArguments* a = arguments.get();
  a->row.add_row_to(command);
  a->layers.add_to(command, Amount::one);
  a->state.add_to(command, "layer, type, layouts, and its row if just one has a kernel");
  command.text("-o,--output", a->output, "FILE",
               "written whole or not at all; one line of JSON, which `convlens view` plays in its schedule");
  command.run([arguments, &globals] {
    if (const std::optional<NamedByState> state = arguments->state.read()) {
      arguments->layers.when_left_out(*state);
      arguments->row.when_left_out(*state, OneRow::with_kernel, arguments->layers);
    }
    trace(*arguments, globals);
  });
}

}  // namespace convlens::cli
