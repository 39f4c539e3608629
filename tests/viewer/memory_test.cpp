// The Memory panel's numbers are those of the plans, and the largest batch is the largest.
#include "viewer/logic/memory.h"

#include <iterator>
#include <limits>
#include <set>

#include "algorithms/error.h"
#include "algorithms/measure/device.h"
#include "algorithms/measure/ledger.h"
#include "algorithms/problem/layers.h"
#include "kernels/common/pieces.h"
#include "tests/catch.h"
#include "tests/viewer/states.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

bool fits(const ChosenRow& row, std::int64_t batch, std::int64_t limit) {
  Request request = row.request;
  request.problem = request.problem.with_batch(batch);
  request.memory_limit = limit;  // some rows then do the work in smaller pieces
  try {
    const std::shared_ptr<const Plan> plan = row.algorithm->plan(request);
    return request.tensor_bytes() + plan->workspace_bytes() <= limit;
  } catch (const Unsupported&) {
    return false;
  }
}

// A row that counts what it is asked to plan.
struct Counted {
  explicit Counted(const ChosenRow& of) : algorithm(*of.algorithm), row(of) {
    algorithm.decide = [this, decide = of.algorithm->decide](const Request& request) {
      Decisions decisions = decide(request);
      ++plans;
      if (decisions.program) steps += std::ssize(decisions.program->steps);
      return decisions;
    };
    row.algorithm = &algorithm;
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  Algorithm algorithm;
  ChosenRow row;
  std::int64_t plans = 0, steps = 0;  // of their programs
};

}  // namespace

TEST_CASE("the bars are the bytes of the plans, buffer by buffer") {
  for (std::uint64_t k = 0; k < 10; ++k) {
    const ConvProblem p = testing::random_problem(71, k);
    const Model model(testing::state_of(p.spec(), testing::all_runs()));
    const std::vector<MemoryBar> bars = memory_bars(model, kNoLimit);
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
  const std::vector<MemoryBar> bars = memory_bars(model, kNoLimit);
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

TEST_CASE("nothing fits no memory at all, and without a limit the largest batch is as sizes allow") {
  const Model model(testing::state_of({.n = 1}, testing::all_runs()));
  for (const ChosenRow& row : model.rows()) {
    if (!row.plan) continue;
    INFO(row.run);
    CHECK(largest_batch(row, 0) == 0);
    CHECK(largest_batch(row, row.request.tensor_bytes() + row.plan->workspace_bytes()) >= 1);
    const std::int64_t largest = largest_batch(row, kNoLimit);
    CHECK(largest >= 1);
    if (row.plan->program() == nullptr) CHECK(largest > std::int64_t{1} << 32);
  }
}

TEST_CASE("the largest batch of small images is as many as memory holds") {
  // 3312 bytes an image: x 4·11·9 and y 6·10·8 floats, and little besides.
  const Model model(
      testing::state_of({.n = 70000, .ci = 4, .hi = 11, .wi = 9, .co = 6, .hf = 3, .wf = 2}, {"direct.ref"}));
  const std::int64_t largest = largest_batch(model.rows().front(), std::int64_t{8} << 30);
  const std::int64_t image = 4 * (4 * 11 * 9 + 6 * 9 * 8), filter = 4 * 6 * 4 * 3 * 2;
  CHECK(largest == ((std::int64_t{8} << 30) - filter) / image);
}

TEST_CASE("of a row that works image by image the largest batch is as many pieces as a program may have") {
  State state = testing::state_of(testing::padded(1, {.n = 1, .ci = 4, .hi = 9, .wi = 9, .co = 4, .hf = 3, .wf = 3}),
                                  {"winograd.cc:chunk_images=1", "fft.cc:chunk=1", "im2col.cc:batching=image"});
  const Model model(state);
  REQUIRE(model.unknown_runs().empty());
  for (const ChosenRow& row : model.rows()) {
    INFO(row.run << " " << row.support.reason);
    REQUIRE(row.plan);
    CHECK(largest_batch(row, std::int64_t{1} << 40) == gpu::kMostPieces);
  }
  // A slider that moves on does not wait for what it has left.
  for (int most = 0; most < 6; ++most) {
    int asked = 0;
    const std::int64_t seen =
        largest_batch(model.rows().front(), std::int64_t{1} << 40, [&] { return ++asked > most; });
    CHECK(asked <= most + 10);
    CHECK((seen == 0 || fits(model.rows().front(), seen, std::int64_t{1} << 40)));
  }
}

TEST_CASE("of a tiny layer the largest batch is found with few plans, and fits") {
  std::vector<std::string> runs = testing::all_runs();
  runs.insert(runs.end(),
              {"winograd.cc:chunk_images=1", "winograd.tc:chunk_images=3", "fft.cc:chunk=1", "fft.tc:chunk=16",
               "im2col.cc:batching=image", "im2col.ref:batching=image", "im2col.tc:batching=chunk,chunk_images=7"});
  constexpr std::int64_t kLimit = std::int64_t{8} << 30;
  for (const auto& [spec, dtype] :
       {std::pair(ConvSpec{.n = 3, .ci = 4, .hi = 11, .wi = 9, .co = 6, .hf = 3, .wf = 2}, DType::f32),
        std::pair(testing::padded(1, {.hi = 6, .wi = 6, .hf = 3, .wf = 3}), DType::f16),
        std::pair(ConvSpec{}, DType::f32)}) {
    State state = testing::state_of(spec, runs);
    state.dtype = dtype;
    const Model model(state);
    for (const ChosenRow& row : model.rows()) {
      if (!row.plan) continue;
      INFO(row.run << " in " << name(dtype) << ", H_i " << spec.hi);
      Counted counted(row);
      const std::int64_t largest = largest_batch(counted.row, kLimit);
      // Of the largest programs only a few; halving every time would plan some fifty of them.
      CHECK(counted.plans <= 128);
      CHECK(counted.steps <= 4 * 3 * gpu::kMostPieces);
      CHECK(fits(row, largest, kLimit));
      CHECK_FALSE(fits(row, largest + 1, kLimit));
    }
  }
}

TEST_CASE("a row that works in pieces is drawn as it fits, and what is drawn agrees with the largest batch") {
  State state = testing::state_of(
      testing::padded(1, {.n = 10637, .ci = 64, .hi = 56, .wi = 56, .co = 64, .hf = 3, .wf = 3}), {"fft.tc"});
  state.dtype = DType::f16;
  state.layouts = {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC};
  const Model model(state);
  const ChosenRow& row = model.rows().front();
  REQUIRE(row.plan);
  for (const std::int64_t limit : {std::int64_t{7} << 30, std::int64_t{8} << 30, std::int64_t{10} << 30}) {
    const MemoryBar bar = memory_bars(model, limit).front();
    const std::int64_t largest = largest_batch(row, limit);
    INFO("in " << limit << ": " << bar.allocated() << ", at most " << largest);
    CHECK((bar.allocated() <= limit) == bar.over.empty());
    CHECK(bar.over.empty() == (largest >= state.spec.n));
  }
}

TEST_CASE("no two parts of a bar share a colour, and those of the law keep theirs") {
  State state = testing::state_of({.ci = 4, .hi = 9, .wi = 9, .co = 4, .hf = 3, .wf = 3}, testing::all_runs());
  for (const DType dtype : {DType::f32, DType::f16}) {
    state.dtype = dtype;
    for (MemoryBar bar : memory_bars(Model(state), kNoLimit)) {
      for (int more = 0; more < 10; ++more) bar.parts.push_back({"part " + std::to_string(more), "", 1});
      const std::vector<std::size_t> colours = part_colours(bar);
      REQUIRE(colours.size() == bar.parts.size());
      std::set<std::size_t> different;
      for (std::size_t k = bar.tensor_parts; k < colours.size(); ++k) {
        INFO(bar.run << " " << bar.parts[k].name);
        CHECK(different.insert(colours[k]).second);
        if (bar.parts[k].name == "im2win") CHECK(colours[k] == kIm2winColour);
        if (bar.parts[k].name == "im2col") CHECK(colours[k] == kIm2colColour);
      }
    }
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
