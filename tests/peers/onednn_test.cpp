// The rows of oneDNN: described whether or not their module is there, and held to what a vendor's row promises.
#include <filesystem>
#include <limits>

#include "algorithms/check/check.h"
#include "algorithms/check/fuzz.h"
#include "algorithms/error.h"
#include "algorithms/interface/module.h"
#include "algorithms/interface/registry.h"
#include "algorithms/measure/record.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/support/rows.h"

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;

namespace {

std::vector<const Algorithm*> onednn_rows() {
  std::vector<const Algorithm*> rows = algorithms();
  std::erase_if(rows, [](const Algorithm* row) { return row->family != "onednn"; });
  return rows;
}

bool there() {
  if (module("onednn").missing.empty()) return true;
  WARN("SKIP: " << module("onednn").missing);
  return false;
}

const ConvProblem kLayer(
    {.n = 2, .ci = 32, .hi = 14, .wi = 13, .co = 48, .hf = 3, .wf = 3, .pad_top = 1, .bias = true});

}  // namespace

TEST_CASE("oneDNN's rows are listed and described, and say that another's library computes") {
  REQUIRE(onednn_rows().size() == 3);
  for (const Algorithm* row : onednn_rows()) {
    INFO(row->id);
    CHECK(row->vendor);
    CHECK(row->missing() == module("onednn").missing);
    CHECK(OptionSet::parse("format=blocked", row->options).is("format", "blocked"));
  }
}

TEST_CASE("without its module the program starts, lists oneDNN's rows, and says why they cannot run") {
  // A copy of the program in a folder without modules; its library is found by the path that the build gave it.
  const TemporaryFolder folder;
  const std::string program = folder.path() + "/convlens";
  std::filesystem::copy_file(CONVLENS_BINARY_DIR "/convlens", program);
  const CommandRun list{.arguments = {"list", "algorithms"}, .program = program};
  const CommandResult listed = run_command(list);
  CHECK(listed.exit == 0);
  CHECK_THAT(listed.out, Contains("onednn.direct") && Contains("built without oneDNN: convlens_onednn.so is neither"));

  CommandRun bench = list;
  bench.arguments = shell_words("bench cv12 --algorithm onednn.direct --repeats 1");
  const CommandResult refused = run_command(bench);
  CHECK(refused.exit == 3);
  CHECK_THAT(refused.err, Contains("onednn.direct: built without oneDNN"));
}

TEST_CASE("oneDNN computes what the oracle does, plain and blocked, in every layout that it has") {
  if (!there()) return;
  OracleCache cache;
  int computed = 0;
  for (const Algorithm* row : onednn_rows())
    for (const char* format : {"plain", "blocked"})
      for (DType dtype : kDTypes)
        for (Layout layout : kLayouts) {
          Request request{kLayer, dtype, {layout, FilterLayout::OIHW, layout}};
          request.options = OptionSet::parse(std::string("format=") + format, row->options);
          const CheckResult result = check(*row, request, 5, cache);
          INFO(result.reproduce() << " " << result.reason);
          for (const Verdict& verdict : result.verdicts) {
            INFO(verdict.line());
            CHECK(verdict.kept);
          }
          CHECK(result.verdicts.empty() == !result.supported);
          computed += result.supported;
        }
  CHECK(computed >= 12);  // f32 by direct and auto, plain and blocked, in three layouts
}

TEST_CASE("oneDNN's Winograd computes a layer that it is made for") {
  if (!there()) return;
  const Algorithm& row = find_algorithm("onednn.winograd");
  Request request{ConvProblem({.n = 4, .ci = 64, .hi = 30, .wi = 30, .co = 64, .hf = 3, .wf = 3})};
  request.options = OptionSet::parse("format=blocked", row.options);
  if (const Support support = row.supports(request); !support) {  // a CPU without AVX-512
    CHECK_THAT(support.reason, Contains("has no implementation"));
    return;
  }
  OracleCache cache;
  const CheckResult result = check(row, request, 1, cache);
  CHECK(result.passed());
  const auto plan = row.plan(request);
  CHECK(std::ranges::any_of(plan->notes(), [](const std::string& note) { return note.find("wino") != note.npos; }));
}

TEST_CASE("oneDNN's refusals are one line, and what they propose runs") {
  if (!there()) return;
  for (const Algorithm* row : onednn_rows())
    for (std::uint64_t index = 0; index < 60; ++index) {
      const Request request = random_request(*row, random_problem(77, index), 77, index);
      const Support support = row->supports(request);
      if (support) continue;
      INFO(row->id << ": " << support.reason);
      CHECK_FALSE(support.reason.empty());
      CHECK(support.reason.find('\n') == std::string::npos);
      if (support.nearest) CHECK(row->supports(*support.nearest));
    }
  Request strided{ConvProblem({.hi = 8, .wi = 8, .hf = 3, .wf = 3, .stride_w = 2})};
  CHECK(find_algorithm("onednn.winograd").supports(strided).reason ==
        "onednn.winograd needs a 3x3 filter, stride 1 and dilation 1, got 3x3, stride 1x2 and dilation 1x1");
  CHECK_THAT(find_algorithm("onednn.auto").supports({kLayer, DType::f64}).reason, Contains("dtype: f64"));
}

TEST_CASE("oneDNN is given dense tensors only, and says which is not") {
  if (!there()) return;
  const auto plan = find_algorithm("onednn.direct").plan({kLayer.with_batch(1)});
  Tensor x(DType::f32, Layout::NHWC, plan->problem().x_shape()), w(DType::f32, FilterLayout::OIHW, kLayer.w_shape()),
      y(DType::f32, Layout::NCHW, plan->problem().y_shape()), bias(DType::f32, Layout::NCHW, {kLayer.co(), 1, 1, 1});
  const HostBuffer memory(plan->workspace_bytes());
  const std::span<std::byte> workspace(memory.data(), static_cast<std::size_t>(memory.bytes()));
  const BiasView values{bias.view().data, DType::f32, kLayer.co(), 1, {}};
  CHECK_THROWS_WITH(plan->run({x.view(), w.view(), values, y.view()}, workspace),
                    Contains("x: stride") && Contains("dense"));
}

TEST_CASE("a record of oneDNN names its implementation and that nothing is promised about NaN") {
  if (!there()) return;
  const auto plan = find_algorithm("onednn.auto").plan({kLayer});
  Timing timing;
  timing.samples_ms = {1};
  const std::string record = to_json({.plan = *plan, .layer = "", .timing = timing, .bytes = planned_bytes(*plan)});
  CHECK_THAT(record, Contains("library: oneDNN") && Contains("implementation: ") && Contains("nothing is promised"));
}
