// Cases about sizes beyond 2^31 and 2^64: exact, or refused before anything is allocated.
#include <sys/resource.h>

#include <cstring>

#include "algorithms/error.h"
#include "tests/catch.h"
#include "tests/support/conv_tester.h"
#include "tests/support/draw.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

// The super-resolution layer: 1×32×2800×2800, 4×3×3, padding 1.
ConvProblem super_resolution() {
  return ConvProblem({.ci = 32,
                      .hi = 2800,
                      .wi = 2800,
                      .co = 4,
                      .hf = 3,
                      .wf = 3,
                      .pad_top = 1,
                      .pad_bottom = 1,
                      .pad_left = 1,
                      .pad_right = 1});
}

Request request_for(const Variant& variant, std::optional<std::int64_t> limit = {}) {
  return {super_resolution(), DType::f32, {}, variant.options, Place{}, 0, limit};
}

std::int64_t bytes_of(const Plan& plan, std::string_view buffer) {
  for (const Buffer& b : plan.workspace())
    if (b.name == buffer) return b.bytes;
  return -1;
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

}  // namespace

TEST_CASE(
    "B10: the im2col matrix of a 2800x2800 image is 9031680000 bytes, refused under a limit of 8 GiB before "
    "any is allocated",
    "[cases]") {
  const std::int64_t before = peak_resident_bytes();
  for (const std::string name : {"im2col.ref", "im2col.ref:batching=full"}) {
    const Run run = parse_run(name);
    const Variant im2col{run.algorithm, run.options};
    CHECK(bytes_of(*im2col.row->plan(request_for(im2col)), "im2col") == 9031680000);

    const Support support = im2col.row->supports(request_for(im2col, 8 * kGiB));
    CHECK_FALSE(support);
    CHECK(support.reason.find("9031680000") != std::string::npos);
    CHECK(support.reason.find(std::to_string(8 * kGiB)) != std::string::npos);
    try {
      im2col.row->plan(request_for(im2col, 8 * kGiB));
      FAIL("the plan was made");
    } catch (const Unsupported& refusal) {
      CHECK(refusal.exit() == Exit::unsupported);
      CHECK(refusal.what() == support.reason);
    }
  }
  CHECK(peak_resident_bytes() - before < kGiB / 16);
}

TEST_CASE("B10: direct, implicit GEMM, im2win and im2col by tiles do with less than 8 GiB what im2col cannot",
          "[cases]") {
  for (const std::string name : {"direct.ref", "implicit_gemm.ref", "im2win.ref", "im2col.ref:batching=tile"}) {
    INFO(name);
    const Run run = parse_run(name);
    CHECK(run.algorithm->supports(request_for({run.algorithm, run.options}, 8 * kGiB)).reason == "");
  }
  const Run im2win = parse_run("im2win.ref");
  CHECK(bytes_of(*im2win.algorithm->plan(request_for({im2win.algorithm, im2win.options})), "im2win") == 3012710400);
}

TEST_CASE("B10: 2800x2800 pixels and 32 channels are computed exactly to the last corner", "[large][cases]") {
  const ConvProblem p = super_resolution();
  Tensor x(DType::f32, Layout::NCHW, p.x_shape()), w(DType::f32, FilterLayout::OIHW, p.w_shape()),
      y(DType::f32, Layout::NCHW, p.y_shape());
  fill(x.view(), all(1));
  fill(w.view(), all(1));
  for (const std::string name : {"direct.ref", "implicit_gemm.ref", "im2win.ref", "im2col.ref:batching=tile"}) {
    const Run run = parse_run(name);
    const auto plan = run.algorithm->plan(request_for({run.algorithm, run.options}, 8 * kGiB));
    const HostBuffer workspace(plan->workspace_bytes());
    std::memset(y.view().data, 0xff, static_cast<std::size_t>(y.bytes()));
    if (workspace.bytes() > 0) std::memset(workspace.data(), 0xff, static_cast<std::size_t>(workspace.bytes()));
    plan->run({x.view(), w.view(), {}, y.view()}, {workspace.data(), static_cast<std::size_t>(workspace.bytes())});

    const View<float> out = y.as<float>();
    const auto at_border = [](std::int64_t i) { return i == 0 || i == 2799; };
    for (std::int64_t o = 0; o < 4; ++o) {
      std::int64_t sum = 0, wrong = 0;
      for (std::int64_t row = 0; row < 2800; ++row)
        for (std::int64_t column = 0; column < 2800; ++column) {
          const float right = at_border(row) && at_border(column)   ? 128
                              : at_border(row) || at_border(column) ? 192
                                                                    : 288;
          wrong += out(0, o, row, column) != right;
          sum += static_cast<std::int64_t>(right);
        }
      INFO(name << ", output channel " << o);
      CHECK(wrong == 0);
      CHECK(sum == 2256844928);
    }
  }
}

TEST_CASE("B10: a layer whose bytes overflow 64 bits is refused, not planned with a small wrapped number", "[cases]") {
  const std::int64_t huge = 4194304;
  try {
    ConvProblem({.ci = huge, .hi = huge, .wi = huge, .co = 1, .hf = 3, .wf = 3});
    FAIL("the layer was accepted");
  } catch (const Unsupported& refusal) {
    CHECK(refusal.exit() == Exit::unsupported);
    CHECK(std::string(refusal.what()).find("overflows 64 bits") != std::string::npos);
  }
}

TEST_CASE("B10: tensors that fit 64 bits whose im2col matrix does not", "[cases]") {
  // 2^25 × 2^25 outputs of 2^11 taps each: 2^61 cells, 2^63 bytes of f32.
  const std::int64_t side = std::int64_t{1} << 25;
  const ConvProblem problem({.hi = side + 31, .wi = side + 63, .hf = 32, .wf = 64});
  for (const std::string name : {"im2col.ref", "im2col.ref:batching=full"}) {
    const Run run = parse_run(name);
    const Support support = run.algorithm->supports({problem, DType::f32, {}, run.options});
    CHECK_FALSE(support);
    CHECK(support.reason.find("overflows 64 bits") != std::string::npos);
  }
}

TEST_CASE("B10: every size of a random huge layer is right in 128-bit arithmetic, or refused", "[cases]") {
  int accepted = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Draw draw{seed};
    const auto size = [&](int bits) { return std::int64_t{1} << draw(0, bits) | draw(0, 7); };
    const ConvSpec s{.n = size(16),
                     .ci = size(16),
                     .hi = size(20) + 16,
                     .wi = size(20) + 16,
                     .co = size(16),
                     .hf = draw(1, 15),
                     .wf = draw(1, 15)};
    const Wide ho = s.hi - s.hf + 1, wo = s.wi - s.wf + 1, one = 1;
    const Wide flops = 2 * one * s.n * s.co * ho * wo * s.ci * s.hf * s.wf;
    try {
      const ConvProblem problem(s);
      ++accepted;
      CHECK(problem.flops() == flops);
      CHECK(elements(problem.x_shape()) == one * s.n * s.ci * s.hi * s.wi);
      CHECK(elements(problem.y_shape()) == one * s.n * s.co * ho * wo);
      CHECK(elements(problem.w_shape()) == one * s.co * s.ci * s.hf * s.wf);
    } catch (const Unsupported&) {
      ++refused;
      const Wide limit = Wide{1} << 63;
      CHECK((flops >= limit || 8 * one * s.n * s.ci * s.hi * s.wi >= limit || 8 * one * s.n * s.co * ho * wo >= limit));
    }
  }
  CHECK(accepted > 20);
  CHECK(refused > 20);
}
