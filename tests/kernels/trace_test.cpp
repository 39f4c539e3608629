// Where and when each block of a kernel ran: the note in its text, and what a GPU's blocks write there.
#include "kernels/trace.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "algorithms/check/check.h"
#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/problem/layers.h"
#include "kernels/runtime.h"
#include "kernels/text.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"

using namespace convlens;
using namespace convlens::gpu;
using Catch::Matchers::Contains;

namespace {

// Rows with a kernel of their own; each with a layer that it computes.
std::vector<std::pair<const Algorithm*, Request>> traceable() {
  std::vector<std::pair<const Algorithm*, Request>> all;
  const ConvProblem layer({.n = 3, .ci = 16, .hi = 19, .wi = 21, .co = 24, .hf = 3, .wf = 3});
  for (const Algorithm* row : algorithms()) {
    if (row->unit == Unit::cpu || row->vendor) continue;
    const Request request = complete(
        *row,
        {layer, row->unit == Unit::tc ? DType::f16 : DType::f32, {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC}});
    if (row->supports(request) && main_launch(*row->plan(request)->program()) != nullptr)
      all.emplace_back(row, request);
  }
  return all;
}

const Launch& main_of(const std::shared_ptr<const Plan>& plan) { return *main_launch(*plan->program()); }

Trace made_up() {
  return {.time = "2026-01-02T03:04:05Z",
          .revision = "r",
          .gpu = "a GPU",
          .driver = "1.0",
          .multiprocessors = 2,
          .layer = "cv9",
          .spec = find_layer("cv9").spec,
          .run = "im2win.tc:zigzag=off",
          .dtype = DType::bf16,
          .layouts = {Layout::NHWC, FilterLayout::OHWI, Layout::NCHW},
          .kernel = "im2win_tc",
          .grid = {3, 1, 1},
          .block = {128, 1, 1},
          .blocks = {{0, 10, 1, 1}, {5, 5, 0, 1}, {7, 1'000'000'000'000, 1, 1}}};
}

}  // namespace

TEST_CASE("only a traced kernel has a note in its text, on the line where its function begins") {
  REQUIRE(traceable().size() >= 6);
  for (const auto& [row, request] : traceable()) {
    INFO(row->id);
    const Algorithm own = traced(*row);  // which its plan points to
    const auto plain = row->plan(request), noted = own.plan(request);
    const Kernel &without = main_of(plain).kernel, &with = main_of(noted).kernel;
    CHECK_THAT(source(without), !Contains("BlockNote"));
    const std::string text = source(with);
    CHECK_THAT(text, Contains("{ const BlockNote note;"));
    CHECK(text.find("{ const BlockNote note;") > text.find(with.entry + "("));
    CHECK(noted->run_name() == plain->run_name());
    std::size_t traced_launches = 0;
    for (const Step& step : noted->program()->steps)
      if (const auto* launch = std::get_if<Launch>(&step)) traced_launches += launch->kernel.traced ? 1 : 0;
    CHECK(traced_launches == 1);
  }
}

TEST_CASE("every row's traced kernel compiles") {
  if (testing::no_runtime()) return;
  for (const auto& [row, request] : traceable()) {
    INFO(row->id);
    const Algorithm own = traced(*row);
    const auto plan = own.plan(request);
    const Kernel& kernel = main_of(plan).kernel;
    CHECK_NOTHROW(runtime().compile(kernel, "sm_90a"));
    if (kernel.architectures.has(80)) CHECK_NOTHROW(runtime().compile(kernel, "sm_80"));
  }
}

TEST_CASE("a note goes to the function that is named, or is refused") {
  const std::string text =
      "// a(\n__device__ void a(int) {}\n__global__ void ab() {}\n__global__ void a(int x,\n int y) {\n}\n";
  CHECK_THAT(with_block_note(text, "a"), Contains(" int y) { const BlockNote note;\n}"));
  CHECK_THROWS_AS(with_block_note(text, "b"), BadInput);
  CHECK_THROWS_AS(with_block_note("", "a"), BadInput);
}

TEST_CASE("a trace is read as it was written") {
  const Trace trace = made_up(), again = parse_trace(to_line(trace));
  CHECK(to_line(again) == to_line(trace));
  CHECK(to_line(trace).find('\n') == std::string::npos);
  CHECK((again.spec == trace.spec && again.layouts == trace.layouts && again.dtype == trace.dtype));
  CHECK(again.blocks[2].end_ns == 1'000'000'000'000);
}

TEST_CASE("a trace has the fields of its schema, and no others") {
  std::ifstream file(CONVLENS_SOURCE_DIR "/kernels/trace.schema.json");
  const auto schema = nlohmann::json::parse(file), trace = nlohmann::json::parse(to_line(made_up()));
  CHECK(schema.at("required").size() == trace.size());
  for (const auto& [field, value] : trace.items()) {
    INFO(field);
    CHECK(schema.at("properties").contains(field));
  }
}

TEST_CASE("a trace that contradicts itself is refused in words") {
  const auto wrong = [](const auto& change) {
    Trace trace = made_up();
    change(trace);
    return to_line(trace);
  };
  CHECK_THROWS_WITH(parse_trace(wrong([](Trace& t) { t.blocks.pop_back(); })), Contains("must be the grid's 3"));
  CHECK_THROWS_WITH(parse_trace(wrong([](Trace& t) { t.blocks[0].sm = 2; })), Contains("one of the 2"));
  CHECK_THROWS_WITH(parse_trace(wrong([](Trace& t) { t.blocks[0].end_ns = -1; })), Contains("no sooner"));
  CHECK_THROWS_AS(parse_trace(R"({"trace":2})"), BadInput);
  CHECK_THROWS_WITH(parse_trace("nonsense"), Contains("trace: a line that is no JSON, from its byte 2 on"));
  CHECK_THROWS_WITH(parse_trace(R"({"trace":1,"layout":7})"), Contains("trace: layout: 7, must be an object"));
  CHECK_THROWS_WITH(parse_trace(std::string(100'000, '[')), Contains("nested deeper than 16"));
}

TEST_CASE("each block of a traced kernel runs once, on a multiprocessor that there is, and y stays what it was",
          "[gpu][trace]") {
  if (testing::no_gpu()) return;
  for (const auto& [row, request] : traceable()) {
    INFO(row->id);
    const Trace trace = gpu::trace(*row, request, "", 1);
    CHECK(static_cast<std::int64_t>(trace.blocks.size()) == trace.grid.count());
    CHECK(trace.multiprocessors == testing::first_gpu().facts().multiprocessors);
    std::int64_t first = trace.blocks.front().begin_ns;
    for (const BlockSpan& block : trace.blocks) {
      REQUIRE(block.times == 1);
      REQUIRE(block.begin_ns <= block.end_ns);
      REQUIRE((block.sm >= 0 && block.sm < trace.multiprocessors));
      first = std::min(first, block.begin_ns);
    }
    CHECK(first == 0);
    CHECK(std::ranges::max(trace.blocks, {}, &BlockSpan::end_ns).end_ns < 1'000'000'000);  // a second

    OracleCache oracle;
    const CheckResult result = check(traced(*row), request, 1, oracle);
    for (const Verdict& verdict : result.verdicts) INFO(verdict.line());
    CHECK((result.supported && result.passed()));
  }
}
