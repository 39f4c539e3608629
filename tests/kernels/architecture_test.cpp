// On which GPUs a launch is possible: what its instructions and its shared memory need, and what is said otherwise.
#include "kernels/architecture.h"

#include <map>

#include "algorithms/error.h"
#include "algorithms/problem/layers.h"
#include "kernels/im2win/im2win.h"
#include "tests/catch.h"
#include "tests/support/rows.h"

using namespace convlens;
using namespace convlens::gpu;
using namespace convlens::testing;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

Request request_for(const Algorithm& row, const OptionSet& options, const std::string& layer, Layout layout) {
  ConvSpec spec = find_layer(layer).spec;
  spec.n = 256;
  return {.problem = ConvProblem(spec),
          .dtype = row.unit == Unit::tc ? DType::f16 : DType::f32,
          .layouts = {layout, FilterLayout::OHWI, layout},
          .options = options};
}

std::shared_ptr<const Plan> plan_of(const std::string& run, Layout layout = Layout::NHWC) {
  const auto [row, options] = parse_run(run);
  return row->plan(request_for(*row, options, "cv10", layout));
}

std::vector<const Launch*> launches(const Plan& plan) {
  std::vector<const Launch*> all;
  for (const Step& step : plan.program()->steps)
    if (const auto* launch = std::get_if<Launch>(&step)) all.push_back(launch);
  return all;
}

Launch asking_for(std::int64_t bytes) {
  return {.kernel = {.file = "some.cu", .entry = "some", .architectures = {.least = 75}}, .shared_bytes = bytes};
}

}  // namespace

TEST_CASE("a block may have all the shared memory of its architecture, and not a byte more") {
  for (const auto& [architecture, kib] : std::map<std::string, std::int64_t>{{"sm_75", 64},
                                                                             {"sm_80", 163},
                                                                             {"sm_86", 99},
                                                                             {"sm_87", 163},
                                                                             {"sm_89", 99},
                                                                             {"sm_90", 227},
                                                                             {"sm_90a", 227},
                                                                             {"sm_100f", 227},
                                                                             {"sm_120", 99}}) {
    const std::int64_t most = kib << 10;
    CHECK(most_shared_bytes(architecture) == most);
    CHECK(why_not_on(asking_for(most), architecture) == "");
    CHECK(why_not_on(asking_for(most + 1), architecture) == "some: " + std::to_string(most + 1) +
                                                                " bytes of shared memory a block, must be ≤ " +
                                                                std::to_string(most) + " on " + architecture);
  }
  CHECK_FALSE(most_shared_bytes("sm_999"));
  CHECK(why_not_on(asking_for(1), "sm_70") == "some: sm_70, must be sm_75 or later");
}

TEST_CASE("a launch that is refused names the run, one option away, whose every launch fits") {
  const auto plan = plan_of("im2win.tc:async_copy=off");
  const Launch& main = *main_launch(*plan->program());
  CHECK_NOTHROW(check_launch(*plan, main, "sm_80"));
  CHECK_THROWS_AS(check_launch(*plan, main, "sm_75"), Unsupported);
  CHECK_THROWS_WITH(check_launch(*plan, main, "sm_75"),
                    Contains("must be ≤ 65536 on sm_75; im2win.tc:tile=64x128,async_copy=off takes 55296"));
}

TEST_CASE("whatever is refused for its shared memory names a run that fits") {
  int refused = 0;
  for (const Variant& variant : variants_by_pairs(im2win_tc()))
    for (const Layout layout : {Layout::NCHW, Layout::NHWC}) {
      INFO(variant.name());
      const auto plan = plan_of(variant.name(), layout);
      const Launch& main = *main_launch(*plan->program());
      if (!main.kernel.architectures.has(75) || main.shared_bytes <= 64 << 10) continue;
      ++refused;
      std::string line;
      try {
        check_launch(*plan, main, "sm_75");
      } catch (const Unsupported& refusal) {
        line = refusal.what();
      }
      CHECK_THAT(line, Contains("bytes of shared memory a block, must be ≤ 65536 on sm_75"));
      const std::size_t at = line.find("; ");
      REQUIRE(at != std::string::npos);
      const auto nearest = plan_of(line.substr(at + 2, line.find(" takes ") - at - 2), layout);
      for (const Launch* launch : launches(*nearest)) CHECK(why_not_on(*launch, "sm_75") == "");
    }
  CHECK(refused > 10);
}

TEST_CASE("since sm_80 every launch of every row has the shared memory that it asks for") {
  int launched = 0;
  for (const Algorithm* row : gpu_rows())
    for (const Variant& variant : variants(*row))
      for (const char* layer : {"cv1", "cv10"})
        for (const Layout layout : {Layout::NCHW, Layout::NHWC}) {
          const Request request = request_for(*row, variant.options, layer, layout);
          if (row->vendor || !row->supports(request)) continue;
          const auto plan = row->plan(request);
          for (const Launch* launch : launches(*plan))
            for (const char* architecture : {"sm_80", "sm_86", "sm_90a", "sm_120"}) {
              INFO(variant.name() << " on " << layer << " and " << architecture);
              CHECK_THAT(why_not_on(*launch, architecture), Equals("") || Contains(", must be sm_90a"));
              ++launched;
            }
        }
  CHECK(launched > 1000);
}
