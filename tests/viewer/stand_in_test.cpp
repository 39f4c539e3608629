// Recorded runs in the place of those that cannot be measured: which, and what is said of them.
#include "viewer/logic/stand_in.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/viewer/states.h"

using namespace convlens;
using namespace convlens::viewer;

namespace {

const Curve* stand_in(const State& state) {
  const auto recorded = recorded_state(state, shipped_records());
  return recorded ? shipped_records().find(job_of(*recorded, recorded->performance.run)) : nullptr;
}

}  // namespace

TEST_CASE("a row for GPUs has its record stand in, whatever batch, type, layout and timing are asked for") {
  for (const std::string& timed : time_names())
    for (const DType dtype : kDTypes)
      for (const char* run : {"im2win.cc", "im2win.tc", "direct.tc", "cudnn.best"}) {
        State state = testing::measuring(run);
        state.dtype = dtype;
        state.performance.timed = timed;
        const Curve* curve = stand_in(state);
        INFO(run << " " << timed << " " << name(dtype));
        REQUIRE(curve != nullptr);
        CHECK(curve->job.run == run);
        CHECK(curve->made_on.find("H200") != std::string::npos);
        CHECK(curve->made_on.find("revision ") != std::string::npos);
        CHECK(settings_text(curve->job).find("N = 256") != std::string::npos);
        const State recorded = *recorded_state(state, shipped_records());
        CHECK(asked_differently(state, recorded).find("N = 1") != std::string::npos);
        CHECK((asked_differently(state, recorded).find(timed_title(timed)) != std::string::npos) ==
              (timed != recorded.performance.timed));
      }
}

TEST_CASE(
    "of several timings the nearest stands in: a call for the kernel alone, and as it is asked for where it can") {
  State state = testing::measuring("im2win.cpu", 4);
  CHECK(recorded_state(state, shipped_records()) == state);
  state.performance.timed = "cold";
  CHECK(recorded_state(state, shipped_records())->performance.timed == "call");
  state.performance.timed = "kernel";
  const Curve* curve = stand_in(state);
  REQUIRE(curve != nullptr);
  CHECK(curve->job.kernel_alone);
}

TEST_CASE("only the run that is asked for stands in, of its own layer") {
  CHECK(stand_in(testing::measuring("im2win.cpu:simd=off")) == nullptr);
  State state = testing::measuring("im2win.cc");
  state.spec.ci = 63;
  CHECK(stand_in(state) == nullptr);
  CHECK(stand_in(testing::measuring("gone.cc")) == nullptr);
  CHECK(recorded_layers(shipped_records()).find("cv9") != std::string::npos);
}

TEST_CASE("the table of a recorded run has all that was recorded with it, and names the switches that were not") {
  const State state = *recorded_state(testing::measuring("im2win.tc"), shipped_records());
  const Comparisons compared = *comparisons(state);
  const Contributions all = contributions(compared, Study(), shipped_records());
  std::set<std::string> runs;
  for (const Contribution& bar : all.bars) {
    INFO(bar.job.run << ": " << bar.text);
    REQUIRE(bar.curve != nullptr);
    CHECK(runs.insert(bar.job.run).second);
    CHECK_FALSE(bar.text.empty());
    // What is compared was recorded together.
    CHECK(bar.curve->made_on == all.bars.front().curve->made_on);
  }
  CHECK(all.bars.front().job.run == "im2win.tc");
  CHECK(runs.size() >= 16);
  CHECK(runs.contains("im2win.tc:zigzag=off"));
  CHECK(runs.contains("im2win.tc:tile=64x128,slice=64,async_copy=off,double_buffer=on"));
  CHECK(std::ranges::any_of(all.missing, [](const std::string& name) { return name.ends_with(" = runtime"); }));
  for (const Change& change : compared.changes) CHECK((runs.contains(change.job.run) || !all.missing.empty()));
  CHECK(all.bars.size() + all.missing.size() >= compared.changes.size());
}

TEST_CASE("the table of a run that is neither measured nor recorded has every switch, and no numbers") {
  const Comparisons compared = *comparisons(testing::measuring("im2win.cpu", 3));
  const Contributions all = contributions(compared, Study(), shipped_records());
  CHECK(all.bars.size() == compared.changes.size());
  CHECK(all.missing.empty());
  for (const Contribution& bar : all.bars) CHECK(bar.curve == nullptr);
}

TEST_CASE("of a run without any record a chosen row is shown before one that nobody chose") {
  State state = testing::measuring("winograd.ref", 256);
  state.dtype = DType::f16;
  state.layouts = {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC};
  state.runs = {"im2win.tc", "winograd.ref"};
  const Curve* closest = closest_record(state, shipped_records());
  REQUIRE(closest != nullptr);
  CHECK(closest->job.run.starts_with("im2win.tc"));
  // Of two the one that is more like what is asked for.
  state.runs = {"im2win.cpu", "im2win.tc"};
  CHECK(closest_record(state, shipped_records())->job.run.starts_with("im2win.tc"));
  state.runs = {"winograd.ref"};
  CHECK(closest_record(state, shipped_records()) != nullptr);
  // The live run's own row comes first.
  state.runs = {"im2win.tc"};
  state.performance.run = "im2win.cpu:simd=off";
  CHECK(closest_record(state, shipped_records())->job.run.starts_with("im2win.cpu"));
  state.spec.ci = 63;
  CHECK(closest_record(state, shipped_records()) == nullptr);
}

TEST_CASE("how many rates of a chart are recorded is said, unless all are and the badge says so") {
  Curve here, there, elsewhere;
  here.add({1}, 0, 1), there.add({1}, 0, 1), elsewhere.add({1}, 0, 1);
  there.made_on = "A", elsewhere.made_on = "B";
  CHECK(recorded_among({&here, &here}, &here).empty());
  CHECK(recorded_among({&here, nullptr, &there, &here}, &here) == "1 of 2 rates recorded, not measured, on A");
  CHECK(recorded_among({&there}, &there).empty());
  CHECK(recorded_among({&there}, nullptr) == "1 of 1 rate recorded, not measured, on A");
  CHECK(recorded_among({&there, &elsewhere}, &there) == "2 of 2 rates recorded, not measured, on A; B");
  CHECK(recorded_among({}, nullptr).empty());
}

TEST_CASE("why nothing is measured is said: no worker, or one that ended") {
  CHECK_FALSE(why_not_measured(Study()).empty());
  Study dead({"/bin/sh", "-c", "exit 3"});
  CHECK(why_not_measured(dead).empty());  // it may still be
  dead.show(job_of(testing::measuring("im2win.cpu"), "im2win.cpu"));
  for (int k = 0; k < 60'000 && why_not_measured(dead).empty(); ++k) {
    dead.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(why_not_measured(dead).find("exit code 3") != std::string::npos);
}

TEST_CASE("recorded runs stand in while the first sample is long in coming") {
  CHECK(records_stand_in(Study()));
  Study hung({"/bin/sh", "-c", "sleep 9"});
  hung.show(job_of(testing::measuring("im2win.cpu"), "im2win.cpu"));
  CHECK_FALSE(records_stand_in(hung));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  hung.poll();
  CHECK(why_not_measured(hung).empty());
  CHECK(records_stand_in(hung));
}

TEST_CASE("samples that are farther apart than their median are said to disagree, without a number") {
  CHECK(spread_text(0.0412) == ", spread 4 %");
  CHECK(spread_text(1) == ", spread 100 %");
  CHECK(spread_text(1040.63) == ", samples disagree widely: other programs run");
  CHECK(spread_text(std::numeric_limits<double>::infinity()) == ", samples disagree widely: other programs run");
  CHECK(spread_text(std::nan("")).empty());
}
