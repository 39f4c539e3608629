// The checker holds rows on a device to the same promises, with watched memory that is carried there and back. The
// device is a pretended one (tests/support/fake_device.h).
#include "algorithms/check/check.h"
#include "algorithms/check/trial.h"
#include "algorithms/direct/direct.h"
#include "algorithms/error.h"
#include "algorithms/im2col/im2col.h"
#include "tests/catch.h"
#include "tests/support/fake_device.h"
#include "tests/support/plan_run.h"
#include "tests/support/verdicts.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

const ConvProblem kLayer({.n = 2, .ci = 3, .hi = 7, .wi = 6, .co = 4, .hf = 3, .wf = 2, .pad_top = 1, .bias = true});

// What is wrong with a row on the device whose calls `spoil` meddles with.
std::string fault_of(const FakeMachine::Spoil& spoil) {
  FakeMachine machine;
  const Algorithm row = machine.on_device(direct_ref(), Unit::cc, spoil);
  return verdict(checked(row, {kLayer}), "worst").fault;
}

float* floats(const void* data) { return static_cast<float*>(const_cast<void*>(data)); }

}  // namespace

TEST_CASE("a right row on a device passes, in every type and layout, and leaves nothing there") {
  FakeMachine machine;
  for (const Algorithm& row : {machine.on_device(direct_ref()), machine.on_device(im2col_ref())})
    for (DType dtype : kDTypes)
      for (Layout layout : kLayouts) {
        const CheckResult result = checked(row, {kLayer, dtype, {layout, FilterLayout::OHWI, layout}});
        INFO(result.reproduce());
        CHECK(result.supported);
        CHECK(result.passed());
      }
  CHECK(machine.device.allocations() == 0);
  CHECK(machine.device.downloads > 0);
}

TEST_CASE("a row on a device is run twice, not with other threads and not on views with gaps") {
  FakeMachine machine;
  const Algorithm row = machine.on_device(direct_ref());
  CHECK(checked(row, {kLayer}).passed());
  // exact, uniform twice, and NaN in x and Inf in w; with stride 1 no element of x is unread
  CHECK(machine.device.run.size() == 5);
}

TEST_CASE("what a row does on a device besides computing y is seen from the host") {
  CHECK(fault_of(nullptr) == "");
  CHECK(fault_of([](const Arguments& a) { floats(a.x.data)[5] = 0; }) == "wrote into x");
  CHECK(fault_of([](const Arguments& a) { floats(a.w.data)[-1] = 0; }) == "wrote into w");
  CHECK(fault_of([](const Arguments& a) { floats(a.bias.data)[0] = 0; }) == "wrote into bias");
  CHECK(fault_of([](const Arguments& a) { floats(a.y.data)[-1] = 0; }) == "wrote outside y");
  CHECK(fault_of([](const Arguments& a) { floats(a.y.data)[elements(a.y.shape)] = 0; }) == "wrote outside y");
  CHECK(fault_of([](const Arguments&) { throw Unsupported("kernel: stumbled"); }) == "threw: kernel: stumbled");
}

TEST_CASE("writing outside the workspace on a device is seen") {
  FakeMachine machine;
  Algorithm row = machine.on_device(im2col_ref());
  row.decide = [decide = row.decide](const Request& request) {
    Decisions d = decide(request);
    const std::int64_t bytes = d.scratch.front().bytes;
    d.execute = [execute = d.execute, bytes](const Arguments& a, const Workspace& w, int threads, Stream stream) {
      execute(a, w, threads, stream);
      w.get<std::byte>("everything")[bytes] = std::byte{0};
    };
    return d;
  };
  CHECK(verdict(checked(row, {kLayer}), "worst").fault == "wrote outside the workspace");
}

TEST_CASE("an output that is left out, or another in a second run, fails on a device") {
  FakeMachine machine;
  const Algorithm lost = machine.on_device(direct_ref(), Unit::cc, [](const Arguments& a) {
    floats(a.y.data)[3] = std::numeric_limits<float>::quiet_NaN();
  });
  CHECK_FALSE(verdict(checked(lost, {kLayer}), "exact").kept);
  int calls = 0;
  const Algorithm moody = machine.on_device(direct_ref(), Unit::cc, [&](const Arguments& a) {
    if (++calls == 3) floats(a.y.data)[3] *= 1 + 1e-7f;
  });
  CHECK_THAT(verdict(checked(moody, {kLayer}), "worst").fault,
             Catch::Matchers::StartsWith("a second run gave y(0,0,0,3) = "));
}

TEST_CASE("a row that finds too little memory on the device is refused in words") {
  FakeMachine machine(6000);
  const Algorithm row = machine.on_device(im2col_ref());
  OracleCache cache;
  const CheckResult result = check(row, {kLayer}, 3, cache);
  CHECK_FALSE(result.supported);
  CHECK_THAT(result.reason, Catch::Matchers::StartsWith("im2col.fakecc: memory: "));
  CHECK(result.verdicts.empty());
  CHECK(machine.device.allocations() == 0);
}

TEST_CASE("a row whose kernels the device cannot launch is refused in words, and has not failed") {
  FakeMachine machine;
  machine.device.lacks = "direct: 73728 bytes of shared memory a block, must be ≤ 65536 on sm_75";
  OracleCache cache;
  const CheckResult result = check(machine.on_device(direct_ref()), {kLayer}, 3, cache);
  CHECK_FALSE(result.supported);
  CHECK(result.reason == "direct.fakecc: " + machine.device.lacks);
  CHECK(result.verdicts.empty());
  CHECK(machine.device.run.empty());
}

TEST_CASE("the worst case alone takes one run") {
  FakeMachine machine;
  OracleCache cache;
  const Algorithm row = machine.on_device(direct_ref());
  const Verdict right = check_worst_case(row.plan({.problem = kLayer}), 1, cache);
  CHECK(right.kept);
  CHECK(right.ratio > 0);
  CHECK(machine.device.run.size() == 1);
  const Algorithm wrong =
      machine.on_device(direct_ref(), Unit::cc, [](const Arguments& a) { floats(a.y.data)[3] += 1; });
  const Verdict verdict = check_worst_case(wrong.plan({.problem = kLayer}), 1, cache);
  CHECK_FALSE(verdict.kept);
  CHECK(verdict.at == Shape{0, 0, 0, 3});
}

TEST_CASE("the tests' own ways to run a plan carry data to a device and back") {
  FakeMachine machine;
  const auto value = [](auto n, auto c, auto h, auto w) {
    return static_cast<double>((n * 5 + c * 3 + h * 2 + w) % 7);
  };
  const Reference reference{kLayer,
                            DType::f32,
                            rounded_values(DType::f32, kLayer.x_shape(), value),
                            rounded_values(DType::f32, kLayer.w_shape(), value),
                            {1, 2, 3, 4}};
  const Algorithm row = machine.on_device(im2col_ref());
  CHECK(computed(*row.plan({.problem = kLayer}), reference) == reference.y);
}
