// The tester itself: what it must notice, it notices.
#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "tests/support/conv_tester.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

const ConvSpec kLayer{.n = 2, .ci = 3, .hi = 9, .wi = 11, .co = 2, .hf = 3, .wf = 3};

Reference reference_with(const Filler& x, DType dtype) {
  const ConvProblem problem(kLayer);
  return {
      problem, dtype, rounded_values(dtype, problem.x_shape(), x), rounded_values(dtype, problem.w_shape(), WH), {}};
}

bool accepts(const std::string& run, const Reference& reference, std::size_t at, double change) {
  const Run parsed = parse_run(run);
  const auto plan = parsed.algorithm->plan({reference.problem, reference.dtype, {}, parsed.options});
  std::vector<double> y = reference.y;
  y.at(at) = rounded(reference.dtype, y[at] + change);
  return Judge(*plan, reference, 0).complaint(y).empty();
}

}  // namespace

TEST_CASE("the judge lets a sum be off by nothing, and a transform by its limit", "[cases]") {
  for (DType dtype : kDTypes) {
    const Reference r = reference_with(XH, dtype);
    for (const std::string run : {"direct.ref", "im2win.ref", "winograd.ref:m=4", "fft.ref"}) {
      INFO(run << " " << name(dtype));
      CHECK(accepts(run, r, 17, 0));
      CHECK_FALSE(accepts(run, r, 17, 5));
      CHECK_FALSE(accepts(run, r, r.y.size() - 1, std::numeric_limits<double>::quiet_NaN()));
    }
  }
  const Reference f32 = reference_with(XH, DType::f32);
  CHECK_FALSE(accepts("direct.ref", f32, 0, 1e-5));
  CHECK(accepts("fft.ref", f32, 0, 1e-5));
  CHECK_FALSE(accepts("fft.ref", f32, 0, 2e-3));
}

TEST_CASE("the judge misses neither a lost NaN nor one that has spread", "[cases]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Filler x = [=](auto n, auto c, auto h, auto w) { return n + c + h + w == 0 ? nan : XH(n, c, h, w); };
  Reference r = reference_with(x, DType::f32);
  REQUIRE(std::isnan(r.y[0]));
  CHECK(accepts("direct.ref", r, 1, 0));
  CHECK_FALSE(accepts("direct.ref", r, 1, nan));
  CHECK(accepts("winograd.ref", r, 1, nan));                // the same tile of 2×2
  CHECK_FALSE(accepts("winograd.ref", r, 2, nan));          // the next one
  CHECK(accepts("fft.ref", r, 2, nan));                     // the same image
  CHECK_FALSE(accepts("fft.ref", r, r.y.size() - 1, nan));  // the next one

  std::vector<double> lost = r.y;
  lost[0] = 0;
  for (const std::string run : {"direct.ref", "winograd.ref", "fft.ref"}) {
    const auto plan = parse_run(run).algorithm->plan({r.problem});
    CHECK_FALSE(Judge(*plan, r, 0).complaint(lost).empty());
  }
}

TEST_CASE("a byte written beside a tensor or a workspace is seen", "[cases]") {
  const Shape shape{2, 3, 4, 5};
  for (const Arrangement& where : {dense(Layout::NHWC, shape), strided(shape, 1), strided(shape, 2)}) {
    GuardedTensor intact(DType::f32, shape, where), spoilt(DType::f32, shape, where);
    intact.write(rounded_values(DType::f32, shape, XH));
    CHECK(intact.read() == rounded_values(DType::f32, shape, XH));
    CHECK(intact.surroundings_untouched());
    static_cast<float*>(spoilt.view().data)[where.length - where.offset] = 0;  // the first element beyond
    CHECK_FALSE(spoilt.surroundings_untouched());
  }
  const GuardedWorkspace workspace(100);
  CHECK(workspace.guards_untouched());
  workspace.span().data()[100] = std::byte{0};
  CHECK_FALSE(workspace.guards_untouched());
}
