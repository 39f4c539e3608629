// The Memory panel's numbers are those of the plans, and the largest batch is the largest.
#include "viewer/logic/memory.h"

#include <limits>

#include "algorithms/measure/device.h"
#include "algorithms/measure/ledger.h"
#include "algorithms/problem/layers.h"
#include "tests/catch.h"
#include "tests/viewer/states.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

bool fits(const ChosenRow& row, std::int64_t batch, std::int64_t limit) {
  Request request = row.request;
  request.problem = request.problem.with_batch(batch);
  request.memory_limit = limit;  // some rows then do the work in smaller pieces
  if (!row.algorithm->supports(request)) return false;
  const std::shared_ptr<const Plan> plan = row.algorithm->plan(request);
  return request.tensor_bytes() + plan->workspace_bytes() <= limit;
}

}  // namespace

TEST_CASE("the bars are the bytes of the plans, buffer by buffer") {
  for (std::uint64_t k = 0; k < 10; ++k) {
    const ConvProblem p = testing::random_problem(71, k);
    const Model model(testing::state_of(p.spec(), testing::all_runs()));
    const std::vector<MemoryBar> bars = memory_bars(model);
    REQUIRE(bars.size() == model.rows().size());
    for (std::size_t r = 0; r < bars.size(); ++r) {
      const ChosenRow& row = model.rows()[r];
      INFO(row.run);
      CHECK(bars[r].run == row.run);
      CHECK(bars[r].refused.empty() == static_cast<bool>(row.plan));
      if (!row.plan) continue;
      CHECK(bars[r].allocated() == row.request.tensor_bytes() + row.plan->workspace_bytes());
      std::int64_t sum = 0, planned = 0;
      for (const MemoryPart& part : bars[r].parts) sum += part.bytes;
      for (const Ledger::Line& line : planned_bytes(*row.plan)) planned += line.bytes;
      CHECK(sum == bars[r].allocated());
      CHECK(planned == bars[r].allocated());
      CHECK(bars[r].by_formula() <= bars[r].allocated());
      CHECK(bars[r].peak() == bars[r].allocated());
      std::int64_t stages = row.request.tensor_bytes();
      for (const Stage& stage : row.plan->stages())
        for (const Buffer& buffer : row.plan->workspace())
          if (buffer.name == stage.id) stages += buffer.bytes;
      CHECK(bars[r].by_formula() == stages);
    }
  }
}

TEST_CASE("what only cuDNN could tell is no number, and all others are") {
  const Model model(
      testing::state_of({.ci = 2, .hi = 9, .wi = 9, .co = 2, .hf = 3, .wf = 3}, {"im2win.ref", "cudnn.best"}));
  const std::vector<MemoryBar> bars = memory_bars(model);
  REQUIRE(bars.size() == 2);
  CHECK(bars[0].known);
  CHECK(bars[0].tensor_parts == 3);
  if (bars[1].refused.empty()) CHECK(bars[1].known == why_no_device().empty());
}

TEST_CASE("the largest batch fits, and one image more does not") {
  for (const char* layer : {"cv1", "cv9"}) {
    ConvSpec spec = find_layer(layer).spec;
    spec.n = 3;
    const Model model(testing::state_of(spec, testing::all_runs()));
    for (const ChosenRow& row : model.rows()) {
      if (!row.plan) continue;
      for (const std::int64_t limit : {std::int64_t{64} << 20, std::int64_t{1000000007}, std::int64_t{8} << 30}) {
        const std::int64_t largest = largest_batch(row, limit);
        INFO(row.run << " in " << limit << ": " << largest);
        CHECK((largest == 0 || fits(row, largest, limit)));
        CHECK_FALSE(fits(row, largest + 1, limit));
      }
    }
  }
}

TEST_CASE("nothing fits no memory at all, and no limit is a limit of the sizes") {
  const Model model(testing::state_of({.n = 1}, testing::all_runs()));
  for (const ChosenRow& row : model.rows()) {
    if (!row.plan) continue;
    INFO(row.run);
    CHECK(largest_batch(row, 0) == 0);
    CHECK(largest_batch(row, row.request.tensor_bytes() + row.plan->workspace_bytes()) >= 1);
    CHECK(largest_batch(row, std::numeric_limits<std::int64_t>::max()) == kMostImages);
  }
}

TEST_CASE("the law of copies holds for a square layer without padding, and is not claimed for another") {
  const CopyLaw law =
      copy_law(ConvProblem({.hi = 227, .wi = 227, .co = 96, .hf = 11, .wf = 11, .stride_h = 4, .stride_w = 4}));
  CHECK(law.square);
  CHECK(law.rho == Approx(55.0 * 11 / 227));
  CHECK(law.im2win == Approx(law.rho));
  CHECK(law.im2col == Approx(law.rho * law.rho));
  CHECK_FALSE(copy_law(ConvProblem({.hi = 9, .wi = 7, .hf = 3, .wf = 3})).square);
  CHECK_FALSE(copy_law(ConvProblem(testing::padded(1, {.hi = 9, .wi = 9, .hf = 3, .wf = 3}))).square);
  CHECK(copy_law(ConvProblem(ConvSpec{})).im2col == 1);
}
