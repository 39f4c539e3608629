// implicit_gemm.tc and direct.tc without a GPU: how their blocks share out y, what the copy engine is told, and what
// they refuse.
#include "kernels/direct/direct.h"
#include "kernels/im2col/im2col.h"
#include "kernels/program.h"
#include "tests/catch.h"
#include "tests/kernels/launch_tiles.h"
#include "tests/support/random_problems.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;

Request request(const Algorithm& row, const ConvProblem& problem, const std::string& options = "",
                Layout layout = Layout::NHWC, FilterLayout filter = FilterLayout::OHWI) {
  return complete(row, {problem, DType::f16, {layout, filter, layout}, OptionSet::parse(options, row.options)});
}

ConvSpec like_cv9() { return {.n = 256, .ci = 64, .hi = 56, .wi = 56, .co = 64, .hf = 3, .wf = 3}; }

}  // namespace

TEST_CASE("the tiles of implicit_gemm.tc and direct.tc cover y, each cell once") {
  for (const auto& [row, options] : {std::pair{&gpu::implicit_gemm_tc(), ""},
                                     {&gpu::implicit_gemm_tc(), "instructions=mma"},
                                     {&gpu::direct_tc(), ""},
                                     {&gpu::direct_tc(), "instructions=mma"}})
    for (const Layout layout : kLayouts)
      for (std::uint64_t index = 0; index < 100; ++index) {
        const ConvProblem problem = random_problem(72, index, 40, 200000);
        INFO(row->id << " " << options << " " << name(layout) << " layer " << index);
        const Request wanted = request(*row, problem, options, layout);
        if (!row->supports(wanted)) continue;
        const std::vector<int> times = times_computed(*row->plan(wanted));
        REQUIRE(std::ranges::all_of(times, [](int count) { return count == 1; }));
      }
}

TEST_CASE("the copy engine is told of the windows' stride, padding and dilation") {
  ConvSpec spec = like_cv9();
  spec.stride_h = 2;
  spec.pad_left = 1;
  spec.pad_right = 2;
  spec.dilation_w = 3;
  const auto plan = gpu::implicit_gemm_tc().plan(request(gpu::implicit_gemm_tc(), ConvProblem(spec)));
  const auto map = product(*plan).arguments[1].map;
  REQUIRE(map);
  CHECK(map->extents == std::vector<std::int64_t>{64, 56, 56, 256});
  CHECK(map->strides == std::vector<std::int64_t>{128, 7168, 401408});
  CHECK(map->steps == std::vector<int>{1, 1, 2, 1});
  REQUIRE(map->im2col);
  CHECK(map->im2col->lower == std::vector<int>{-1, 0});
  CHECK(map->im2col->upper == std::vector<int>{2 - 6, -2});
  CHECK_THAT(gpu::text(*map),
             Contains("f16 64 × 56 × 56 × 256, windows of") && Contains("from (-1, 0) to the end + (-4, -2)"));
}

// What CUDA's documentation asks of a tensor map (driver API, tensor map object management), as the first complaint.
std::string complaint(const gpu::TensorMap& map) {
  const std::size_t axes = map.extents.size();
  if (axes < 3 || axes > 5 || map.strides.size() != axes - 1) return "axes";
  std::int64_t inner = map.extents[0] * size_of(map.dtype);
  for (std::size_t k = 0; k + 1 < axes; ++k) {
    if (map.strides[k] % 16 != 0 || map.strides[k] <= 0 || map.strides[k] >= std::int64_t{1} << 40) return "stride";
    if (map.strides[k] < inner) return "strides do not nest";
    inner = map.strides[k] * map.extents[k + 1];
  }
  if (std::ranges::any_of(map.extents,
                          [](std::int64_t extent) { return extent < 1 || extent > std::int64_t{1} << 32; }))
    return "extent";
  if (std::ranges::any_of(map.steps, [](int step) { return step < 1 || step > 8; })) return "step";
  if (map.im2col) {
    const auto outside = [](int corner) { return corner < -128 || corner > 127; };
    if (axes != 4 || map.im2col->lower.size() != 2 || map.im2col->upper.size() != 2) return "corners";
    if (std::ranges::any_of(map.im2col->lower, outside) || std::ranges::any_of(map.im2col->upper, outside))
      return "corner";
    return map.im2col->channels * 2 <= 128 && map.im2col->pixels <= 1024 ? "" : "windows";
  }
  if (map.box.size() != axes) return "box";
  if (std::ranges::any_of(map.box, [](int extent) { return extent < 1 || extent > 256; })) return "box extent";
  return map.box[0] * size_of(map.dtype) <= 128 ? "" : "row of a box";
}

TEST_CASE("the copy engine is asked for nothing beyond its documented limits") {
  int maps = 0, of_x = 0;
  for (const Algorithm* row : {&gpu::implicit_gemm_tc(), &gpu::direct_tc()})
    for (std::uint64_t index = 0; index < 400; ++index) {
      ConvSpec spec = random_problem(73, index, 60, 2000000).spec();
      spec.ci *= 16, spec.co *= 3;
      spec.n = std::max<std::int64_t>(spec.n, 1);  // of an empty batch nothing is asked
      const Request wanted = request(*row, ConvProblem(spec));
      if (!row->supports(wanted)) continue;
      const auto plan = row->plan(wanted);
      for (const gpu::Argument& argument : product(*plan).arguments)
        if (argument.map) {
          INFO(row->id << " layer " << index << ": " << gpu::text(*argument.map));
          CHECK(complaint(*argument.map) == "");
          ++maps;
          if (argument.kind == gpu::Argument::Kind::x) ++of_x;
        }
    }
  CHECK(maps > 400);
  CHECK(of_x > 100);
}

TEST_CASE("a filter that the copy engine cannot take is packed") {
  const auto packed = [](ConvSpec spec, FilterLayout layout) {
    const auto plan =
        gpu::implicit_gemm_tc().plan(request(gpu::implicit_gemm_tc(), ConvProblem(spec), "", Layout::NHWC, layout));
    return plan->workspace().empty() ? std::int64_t{0} : plan->workspace()[0].bytes;
  };
  CHECK(packed(like_cv9(), FilterLayout::OHWI) == 0);
  CHECK(packed(like_cv9(), FilterLayout::OIHW) == 64 * 576 * 2);
  ConvSpec few = like_cv9();
  few.ci = 3;
  CHECK(packed(few, FilterLayout::OHWI) == 64 * 32 * 2);  // 27 values, rounded up to 16 bytes
}

TEST_CASE("what TMA cannot fetch is fetched by threads, or refused where TMA is asked for") {
  for (const Algorithm* row : {&gpu::implicit_gemm_tc(), &gpu::direct_tc()}) {
    INFO(row->id);
    ConvSpec odd = like_cv9();
    odd.ci = 20;
    CHECK_FALSE(product(*row->plan(request(*row, ConvProblem(odd)))).arguments[1].map);
    const Support refused = row->supports(request(*row, ConvProblem(odd), "fetch=tma"));
    CHECK_THAT(refused.reason, Contains("ci: 20, must be a multiple of 8 for TMA"));
    REQUIRE(refused.nearest);
    CHECK(row->supports(*refused.nearest).ok);
    CHECK_THAT(row->supports(request(*row, ConvProblem(like_cv9()), "fetch=tma", Layout::NCHW)).reason,
               Contains("layout of x: NCHW, must be NHWC for TMA"));
    CHECK(product(*row->plan(request(*row, ConvProblem(like_cv9()), "fetch=tma"))).arguments[1].map);
  }
}

TEST_CASE("implicit_gemm.tc and direct.tc take Hopper's instructions, or those since sm_80, which know no TMA") {
  for (const Algorithm* row : {&gpu::implicit_gemm_tc(), &gpu::direct_tc()}) {
    INFO(row->id);
    const auto needed = [&](const std::string& options) {
      return product(*row->plan(request(*row, ConvProblem(like_cv9()), options))).kernel.architectures;
    };
    CHECK_FALSE(needed("").has(80));
    CHECK_FALSE(needed("").has(120));
    CHECK_THAT(std::string(needed("").why), Contains("instructions=mma"));
    for (const int architecture : {80, 90, 120}) CHECK(needed("instructions=mma").has(architecture));
    CHECK_FALSE(needed("instructions=mma").has(75));
    const Support refused = row->supports(request(*row, ConvProblem(like_cv9()), "instructions=mma,fetch=tma"));
    CHECK(refused.reason == "fetch: tma, must be auto or threads with instructions=mma");
    REQUIRE(refused.nearest);
    CHECK(row->supports(*refused.nearest).ok);
    CHECK(product(*row->plan(request(*row, ConvProblem(like_cv9()), "instructions=mma"))).shared_bytes <= 99 << 10);
  }
}

TEST_CASE("a window whose patch no block's memory holds is refused") {
  const ConvProblem wide({.n = 1, .ci = 64, .hi = 9, .wi = 3000, .co = 16, .hf = 3, .wf = 3, .dilation_w = 1000});
  CHECK_THAT(gpu::direct_tc().supports(request(gpu::direct_tc(), wide)).reason, Contains("window: 3x2001"));
}
