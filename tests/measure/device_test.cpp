// Plans on a device: their tensors and workspaces lie there, their data are those of the host, and several are measured
// side by side. The device is a pretended one (tests/support/fake_device.h).
#include "algorithms/measure/device.h"

#include <nlohmann/json.hpp>

#include "algorithms/direct/direct.h"
#include "algorithms/error.h"
#include "algorithms/im2col/im2col.h"
#include "algorithms/measure/record.h"
#include "algorithms/measure/session.h"
#include "algorithms/measure/side_by_side.h"
#include "tests/catch.h"
#include "tests/support/fake_device.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

const ConvProblem kLayer({.n = 2, .ci = 3, .hi = 7, .wi = 6, .co = 4, .hf = 3, .wf = 2, .pad_top = 1, .bias = true});

std::vector<float> values(const void* data, std::int64_t bytes) {
  const auto* const first = static_cast<const float*>(data);
  return {first, first + bytes / 4};
}

}  // namespace

TEST_CASE("a session on a device computes there what a session on the host computes") {
  FakeMachine machine;
  const Algorithm row = machine.on_device(im2col_ref());
  const Layouts layouts{Layout::NHWC, FilterLayout::OHWI, Layout::CHWN};
  Session there(row.plan({.problem = kLayer, .layouts = layouts}), 5);
  Session here(im2col_ref().plan({.problem = kLayer, .layouts = layouts, .threads = 1}), 5);
  there.run();
  here.run();
  CHECK(machine.device.queued == 0);
  CHECK(there.y().place == kFakePlace);
  CHECK(machine.device.owns(there.y().data, there.plan().request().y_bytes()));
  CHECK(values(there.x().data, here.plan().request().x_bytes()) ==
        values(here.x().data, here.plan().request().x_bytes()));
  CHECK(values(there.y().data, here.plan().request().y_bytes()) ==
        values(here.y().data, here.plan().request().y_bytes()));
  CHECK(there.ledger().total() == there.plan().request().tensor_bytes() + there.plan().workspace_bytes());
  CHECK(machine.device.most_used == there.ledger().total());
}

TEST_CASE("a session gives all of the device's memory back, also when it is more than there is") {
  FakeMachine machine(4000);
  const Algorithm row = machine.on_device(im2col_ref());
  const auto plan = row.plan({.problem = kLayer});
  CHECK_THROWS_AS(Session(plan, 1), Unsupported);
  CHECK(machine.device.allocations() == 0);
  { Session smaller(machine.on_device(direct_ref()).plan({.problem = kLayer.with_batch(1)}), 1); }
  CHECK(machine.device.allocations() == 0);
}

TEST_CASE("an empty batch needs no run on a device") {
  FakeMachine machine;
  const Algorithm row = machine.on_device(direct_ref());
  Session session(row.plan({.problem = kLayer.with_batch(0)}), 1);
  session.run();
  CHECK(machine.device.run.empty());
}

TEST_CASE("a row that wants dense views refuses others, and views that are elsewhere") {
  FakeMachine machine;
  const Algorithm row = machine.on_device(direct_ref());
  const auto plan = row.plan({.problem = kLayer});
  const Operands operands({.problem = kLayer, .place = kFakePlace}, 1);
  const auto message = [&](const Arguments& arguments) {
    try {
      plan->run(arguments, {});
    } catch (const BadInput& bad) {
      return std::string(bad.what());
    }
    return std::string();
  };
  CHECK(message(operands.arguments()) == "");
  Arguments odd = operands.arguments();
  odd.y.strides[3] = -1;
  CHECK(message(odd) == "y: strides 120x30x5x-1, must be those of a dense NCHW tensor");
  Arguments elsewhere = operands.arguments();
  elsewhere.w.place = {};
  CHECK(message(elsewhere) == "w: is not in the place the plan was made for");
}

TEST_CASE("plans are measured side by side in one workspace, round by round") {
  FakeMachine machine;
  const Algorithm direct = machine.on_device(direct_ref()), im2col = machine.on_device(im2col_ref());
  OptionSet tile = OptionSet::parse("batching=tile", im2col.options);
  const std::vector plans{im2col.plan({.problem = kLayer}), direct.plan({.problem = kLayer}),
                          im2col.plan({.problem = kLayer, .options = tile})};
  const auto outcomes = measure_side_by_side(plans, 1, {.warmup = 1, .repeats = 2});
  REQUIRE(outcomes.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(outcomes[k].refused == "");
    CHECK(outcomes[k].plan == plans[k]);
    CHECK(outcomes[k].timing.samples_ms.size() == 2);
    CHECK(outcomes[k].timing.min_ms() == 1.0 + static_cast<double>(k));
    std::int64_t bytes = 0;
    for (const Ledger::Line& line : outcomes[k].bytes) bytes += line.bytes;
    CHECK(bytes == plans[k]->request().tensor_bytes() + plans[k]->workspace_bytes());
  }
  CHECK(machine.device.most_used == plans[0]->request().tensor_bytes() + plans[0]->workspace_bytes());
  CHECK(machine.device.prepared ==
        std::vector<std::string>{"im2col.fakecc", "direct.fakecc", "im2col.fakecc:batching=tile"});
  const std::vector<std::string> round{"im2col.fakecc", "direct.fakecc", "im2col.fakecc"};
  std::vector<std::string> four;  // the run before, one for warm-up, two samples
  for (int k = 0; k < 4; ++k) four.insert(four.end(), round.begin(), round.end());
  CHECK(machine.device.run == four);
  CHECK(machine.device.allocations() == 0);
}

TEST_CASE("of plans measured side by side, the one that has too little memory or fails is refused, the others go on") {
  const auto needs = im2col_ref().plan({.problem = kLayer});
  FakeMachine machine(needs->request().tensor_bytes() + needs->workspace_bytes() - 1);
  const Algorithm direct = machine.on_device(direct_ref()), im2col = machine.on_device(im2col_ref());
  const Algorithm failing = machine.on_device(direct_ref(), Unit::tc,
                                              [](const Arguments&) { throw Unsupported("kernel: direct, stumbled"); });
  const auto outcomes = measure_side_by_side(
      {im2col.plan({.problem = kLayer}), failing.plan({.problem = kLayer}), direct.plan({.problem = kLayer})}, 1, {});
  CHECK_THAT(outcomes[0].refused,
             Catch::Matchers::StartsWith("im2col.fakecc: workspace, memory: ") && Catch::Matchers::EndsWith(" free"));
  CHECK(outcomes[1].refused == "direct.faketc: kernel: direct, stumbled");
  CHECK(outcomes[2].refused == "");
  CHECK(outcomes[2].timing.samples_ms.size() == 10);
}

TEST_CASE("where not even the tensors fit, every plan is refused") {
  FakeMachine machine(100);
  const Algorithm direct = machine.on_device(direct_ref());
  const auto outcomes = measure_side_by_side({direct.plan({.problem = kLayer})}, 1, {});
  CHECK_THAT(outcomes[0].refused, Catch::Matchers::StartsWith("tensors: memory: "));
}

TEST_CASE("a record of a run on a device says which, what it may do at most, and what its kernel takes") {
  FakeMachine machine;
  const Algorithm row = machine.on_device(direct_ref());
  const auto plan = row.plan({.problem = kLayer});
  const double floor = floor_ms(*plan, machine.device.ceilings());
  CHECK(floor == Approx(static_cast<double>(plan->request().tensor_bytes()) / 4e9));  // memory is what limits it
  Timing timing;
  timing.samples_ms = {2};
  Measurement measurement{.plan = *plan, .layer = "", .timing = timing, .bytes = planned_bytes(*plan)};
  measurement.device = &machine.device.facts();
  measurement.device_libraries = {{"cuBLAS", "13.1"}};
  measurement.kernel = KernelFacts{64, 4096, 0};
  measurement.library_bytes = 1000;
  measurement.notes = {"side by side with 3 others"};
  const auto r = nlohmann::json::parse(to_json(measurement));
  CHECK(r["gpu"] == "Pretended GPU");
  CHECK(r["driver"] == "580.1");
  CHECK(r["cuda"] == "13.0");
  CHECK(r["unit"] == "cc");
  CHECK(r["libraries"]["cuBLAS"] == "13.1");
  CHECK(r["clocks"]["highest_mhz"] == 1980);
  CHECK(r["registers"] == 64);
  CHECK(r["shared_bytes"] == 4096);
  CHECK(r["spill_bytes"] == 0);
  CHECK(r["bytes"]["device"] == 1000);
  CHECK(r["peak_source"] == "device");
  CHECK(r["peak_bytes"] == plan->request().tensor_bytes() + 1000);
  CHECK(r["engine_notes"][0] == "side by side with 3 others");
}

TEST_CASE("the floor on tensor cores is by their own peak, and f64 has none") {
  FakeMachine machine;
  const ConvProblem large({.n = 8, .ci = 256, .hi = 56, .wi = 56, .co = 256, .hf = 3, .wf = 3});
  const Algorithm cc = machine.on_device(direct_ref()), tc = machine.on_device(direct_ref(), Unit::tc);
  const auto floor = [&](const Algorithm& row, DType dtype) {
    return floor_ms(*row.plan({.problem = large, .dtype = dtype}), machine.device.ceilings());
  };
  CHECK(floor(cc, DType::f32) == Approx(static_cast<double>(large.flops()) / 50e9));
  CHECK(floor(tc, DType::f16) == Approx(static_cast<double>(large.flops()) / 700e9));
  CHECK(std::isnan(floor(cc, DType::f64)));
}

TEST_CASE("a row that lacks only its device says so, and is planned all the same") {
  Algorithm row;
  {
    FakeMachine machine;
    row = machine.on_device(direct_ref());
    CHECK(why_not_here(row) == "");
    CHECK(why_not_here(direct_ref()) == "");
  }
  const FindDevices before = provide_devices([] { return FoundDevices{{}, "it was sold"}; });
  CHECK(why_not_here(row) == "it was sold");
  CHECK(why_not_here(direct_ref()) == "");
  CHECK(row.supports({kLayer}));
  try {
    Session(row.plan({.problem = kLayer}), 1);
    FAIL("a session without its device");
  } catch (const NoDevice& none) {
    CHECK(none.what() == std::string("device: gpu0, it was sold"));
  }
  provide_devices(before);
}
