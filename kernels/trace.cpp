#include "kernels/trace.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "algorithms/error.h"
#include "algorithms/measure/device.h"
#include "algorithms/measure/record.h"
#include "algorithms/measure/session.h"
#include "kernels/row.h"
#include "kernels/runtime.h"

namespace convlens::gpu {

static_assert(sizeof(BlockSpan) == 24, "as in common/trace.cuh");

namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

std::string with_block_note(const std::string& text, const std::string& entry) {
  constexpr std::string_view kMark = "__global__";
  const std::string_view all = text;
  std::size_t end = 0;  // of a function's head: its body begins, or there is none
  for (std::size_t mark = 0; (mark = all.find(kMark, end)) != all.npos;) {
    end = std::min(all.find_first_of("{;", mark), all.size());
    const std::size_t name = all.substr(mark, end - mark).find(entry + "(");
    if (name == all.npos || name == 0 || in_name(all[mark + name - 1]) || !all.substr(end).starts_with('{')) continue;
    return text.substr(0, end + 1) + " const BlockNote note;" + text.substr(end + 1);
  }
  throw BadInput("kernel: " + entry + ", must be a __global__ function to be traced");
}

Algorithm traced(const Algorithm& row) {
  return with_programs(row, [](Program& program) {
    const Launch* const main = main_launch(program);
    for (Step& step : program.steps)
      if (auto* launch = std::get_if<Launch>(&step); launch == main && launch != nullptr) launch->kernel.traced = true;
  });
}

namespace {

// Times from the beginning of the first block.
void start_at_zero(std::vector<BlockSpan>& blocks) {
  const std::int64_t first = std::ranges::min(blocks, {}, &BlockSpan::begin_ns).begin_ns;
  for (BlockSpan& block : blocks) block.begin_ns -= first, block.end_ns -= first;
}

}  // namespace

Trace trace(const Algorithm& row, const Request& request, const std::string& layer, std::uint64_t seed) {
  const Algorithm own = traced(row);
  const std::shared_ptr<const Plan> plan = own.plan(request);
  const Program* const program = plan->program();
  const Launch* const launch = program == nullptr ? nullptr : main_launch(*program);
  if (launch == nullptr) throw Unsupported("trace: " + plan->run_name() + " has no kernel of its own");
  const DeviceFacts& facts = device(plan->request().place).facts();

  Session session(plan, seed);
  for (int run = 0; run < 2; ++run) session.run();
  Trace trace{.time = utc_now(),
              .revision = revision(),
              .gpu = facts.name,
              .driver = facts.driver,
              .multiprocessors = facts.multiprocessors,
              .layer = layer,
              .spec = plan->problem().spec(),
              .run = plan->run_name(),
              .dtype = plan->request().dtype,
              .layouts = plan->request().layouts,
              .kernel = launch->kernel.entry,
              .grid = launch->grid,
              .block = launch->block,
              .blocks = runtime().spans(*program)};
  if (trace.blocks.empty() || std::ranges::any_of(trace.blocks, [](const BlockSpan& b) { return b.times != 1; }))
    throw Unsupported("trace: " + plan->run_name() + " left no note of some of its blocks");
  start_at_zero(trace.blocks);
  return trace;
}

}  // namespace convlens::gpu
