// The schedule as it happened: traces that ship, the order of an image's blocks, and multiprocessors over time.
#include "viewer/logic/traces.h"

#include <algorithm>
#include <fstream>

#include "algorithms/interface/registry.h"
#include "algorithms/tensor/random.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/viewer/states.h"
#include "viewer/logic/comparisons.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

State gpu_state() {
  return testing::state_of({.n = 3, .ci = 8, .hi = 30, .wi = 30, .co = 40, .hf = 3, .wf = 3}, {"implicit_gemm.cc"});
}

// A trace of the launch: blocks at random times on one of three multiprocessors, `at_once` places on each.
gpu::Trace random_trace(const gpu::Launch& launch, std::uint64_t seed, std::size_t at_once) {
  gpu::Trace trace;
  trace.multiprocessors = 3;
  trace.kernel = launch.kernel.entry, trace.grid = launch.grid, trace.block = launch.block;
  std::vector<std::int64_t> free(3 * at_once, 0);
  for (std::int64_t k = 0; k < launch.grid.count(); ++k) {
    const auto number = static_cast<std::uint64_t>(k);
    const auto place =
        static_cast<std::size_t>(random_integer(seed, 3 * number, 0, static_cast<std::int64_t>(free.size()) - 1));
    const std::int64_t begin = free[place] + random_integer(seed, 3 * number + 1, 0, 50);
    const std::int64_t end = begin + random_integer(seed, 3 * number + 2, 0, 1000);
    free[place] = end + 1;
    trace.blocks.push_back({begin, end, static_cast<std::int32_t>(place / at_once), 1});
  }
  return trace;
}

worker::Job job_of(const gpu::Trace& trace) {
  worker::Job job;
  job.spec = trace.spec, job.run = trace.run, job.dtype = trace.dtype, job.layouts = trace.layouts;
  return job;
}

}  // namespace

TEST_CASE("the traces that ship are read, and each is of a launch that its row still makes") {
  const Traces& traces = shipped_traces();
  CHECK(traces.wrong.empty());
  REQUIRE(traces.all.size() >= 4);
  for (const gpu::Trace& trace : traces.all) {
    INFO(trace.run << " " << trace.layer);
    const Run run = parse_run(trace.run);
    const auto plan = run.algorithm->plan(
        complete(*run.algorithm, {ConvProblem(trace.spec), trace.dtype, trace.layouts, run.options}));
    const gpu::Launch& launch = *gpu::main_launch(*plan->program());
    CHECK((launch.kernel.entry == trace.kernel && launch.grid == trace.grid && launch.block == trace.block));
    CHECK(traces.find(job_of(trace)) != nullptr);
  }
  worker::Job other = job_of(traces.all[0]);
  other.spec.n = 77;
  CHECK(traces.find(other) == nullptr);
  REQUIRE(traces.closest(other) != nullptr);
  CHECK(parse_run(traces.closest(other)->run).algorithm == parse_run(other.run).algorithm);
  other.run = "direct.cpu";
  CHECK(traces.closest(other) == nullptr);
}

TEST_CASE("lines that are no traces are left out and named") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/some.trace";
  std::ofstream(file) << "nonsense\n" << gpu::to_line(shipped_traces().all.front()) << "\n{\"trace\":9}\n";
  const Traces traces = read_traces({file, folder.path() + "/none.trace"});
  CHECK(traces.all.size() == 1);
  REQUIRE(traces.wrong.size() == 2);
  CHECK(traces.wrong[1].starts_with(file + ":3: "));
}

TEST_CASE("blocks as they happened are those that were launched, each once, by when they began") {
  const State state = gpu_state();
  const Model model(state);
  const Schedule schedule = schedules(model).front();
  REQUIRE(schedule.launch != nullptr);
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const gpu::Trace trace = random_trace(*schedule.launch, seed, 1 + seed % 3);
    const BlocksOfImage launched = blocks_of_image(*model.problem(), *schedule.launch, 1);
    const BlocksOfImage happened = as_happened(launched, trace);
    REQUIRE(happened.blocks.size() == launched.blocks.size());
    CHECK(std::ranges::is_sorted(happened.blocks, {}, [](const ScheduledBlock& b) { return b.span->begin_ns; }));
    for (std::size_t k = 0; k < launched.block_of.size(); ++k) {
      const ScheduledBlock& before = launched.blocks[static_cast<std::size_t>(launched.block_of[k])];
      const ScheduledBlock& now = happened.blocks[static_cast<std::size_t>(happened.block_of[k])];
      REQUIRE(now.index == before.index);
      REQUIRE(now.span->sm == trace.blocks[static_cast<std::size_t>(now.index)].sm);
    }
  }
}

TEST_CASE("on a timeline each block has a place of its own for as long as it ran") {
  const State state = gpu_state();
  const Model model(state);
  const gpu::Launch& launch = *schedules(model).front().launch;
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const std::size_t at_once = 1 + seed % 4;
    const gpu::Trace trace = random_trace(launch, seed, at_once);
    const Timeline line = timeline(trace, 200);
    CHECK(line.places >= 1);
    CHECK(line.places <= static_cast<std::int64_t>(at_once));
    for (std::size_t a = 0; a < trace.blocks.size(); ++a) {
      const gpu::BlockSpan& block = trace.blocks[a];
      REQUIRE((line.place_of[a] >= 0 && line.place_of[a] < line.places));
      CHECK(line.bin_at(block.begin_ns) <= line.bin_at(block.end_ns));
      for (std::size_t b = 0; b < a; ++b) {
        const gpu::BlockSpan& other = trace.blocks[b];
        const bool apart = block.end_ns <= other.begin_ns || other.end_ns <= block.begin_ns;
        CHECK((apart || block.sm != other.sm || line.place_of[a] != line.place_of[b]));
      }
    }
  }
  gpu::Trace nothing;
  nothing.multiprocessors = 2;
  CHECK(timeline(nothing, 3).places == 0);
}
