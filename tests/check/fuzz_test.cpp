#include "algorithms/check/fuzz.h"

#include <algorithm>
#include <map>
#include <string>

#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/support/rows.h"

using namespace convlens;

TEST_CASE("ten thousand random problems are legal, small, and odd in every way", "[fuzz_problems]") {
  constexpr int kProblems = 10'000;
  std::map<std::string, int> seen;
  for (std::uint64_t index = 0; index < kProblems; ++index) {
    const ConvProblem p = random_problem(11, index);
    const ConvSpec& s = p.spec();
    if (!broken_rules(s).empty() || p.multiplications() > 1 << 22) FAIL("problem " << index);
    const bool depthwise = s.groups > 1 && p.ci_per_group() == 1;
    seen["empty batch"] += s.n == 0;
    seen["batch beyond a chunk of 8"] += s.n > 8;
    seen["filter not square"] += s.hf != s.wf;
    seen["filter 1×1"] += s.hf == 1 && s.wf == 1;
    seen["filter 1×N"] += s.hf == 1 && s.wf > 1;
    seen["filter N×1"] += s.hf > 1 && s.wf == 1;
    seen["filter of even height"] += s.hf % 2 == 0;
    seen["stride 1"] += s.stride_h == 1 && s.stride_w == 1;
    seen["stride beyond the filter, down"] += s.stride_h > s.hf;
    seen["stride beyond the filter, across"] += s.stride_w > s.wf;
    seen["stride differs by axis"] += s.stride_h != s.stride_w;
    seen["no padding"] += s.pad_top + s.pad_bottom + s.pad_left + s.pad_right == 0;
    seen["padding ≥ filter, down"] += s.pad_top >= s.hf || s.pad_bottom >= s.hf;
    seen["padding ≥ filter, across"] += s.pad_left >= s.wf || s.pad_right >= s.wf;
    seen["padding differs by side"] += s.pad_top != s.pad_bottom && s.pad_left != s.pad_right;
    seen["dilation"] += s.dilation_h > 1 && s.hf > 1;
    seen["dilation differs by axis"] += s.dilation_h != s.dilation_w && s.hf > 1 && s.wf > 1;
    seen["dilated window wider than the image"] += s.dilation_w > 1 && s.wf > 1 && p.extent_w() > s.wi;
    seen["dilated window higher than the image"] += s.dilation_h > 1 && s.hf > 1 && p.extent_h() > s.hi;
    seen["groups"] += s.groups > 1 && !depthwise;
    seen["depthwise"] += depthwise && p.co_per_group() == 1;
    seen["depthwise with a multiplier"] += depthwise && p.co_per_group() > 1;
    seen["channels not a multiple of 8"] += s.ci % 8 != 0;
    seen["channels a multiple of 8"] += s.ci % 8 == 0 && s.co % 8 == 0;
    seen["one output pixel"] += p.ho() == 1 && p.wo() == 1;
    seen["bias"] += s.bias;
    seen["no bias"] += !s.bias;
    const bool plain = s.stride_h == 1 && s.stride_w == 1 && s.dilation_h == 1 && s.dilation_w == 1;
    seen["what a fast Winograd takes"] += plain && s.hf == 3 && s.wf == 3;
  }
  for (const auto& [feature, count] : seen) {
    INFO(feature << ": " << count << " of " << kProblems);
    CHECK(count >= kProblems / 100);
  }
}

TEST_CASE("random problems and requests are functions of seed and index", "[fuzz_problems]") {
  CHECK(random_problem(1, 2) == random_problem(1, 2));
  CHECK_FALSE(random_problem(1, 2) == random_problem(1, 3));
  CHECK_FALSE(random_problem(1, 2) == random_problem(2, 2));
}

TEST_CASE("random requests use every type, layout and option value of every row", "[fuzz_problems]") {
  for (const Algorithm* row : algorithms()) {
    std::map<std::string, int> seen;
    for (std::uint64_t index = 0; index < 400; ++index) {
      const Request request = random_request(*row, random_problem(1, index), 1, index);
      ++seen[std::string(name(request.dtype))];
      ++seen["x " + std::string(name(request.layouts.x))];
      ++seen["w " + std::string(name(request.layouts.w))];
      ++seen["y " + std::string(name(request.layouts.y))];
      for (const auto& [id, value] : request.options.values()) ++seen[id + "=" + value];
      CHECK_NOTHROW(OptionSet::parse(request.options.text(row->options), row->options));
    }
    for (DType dtype : kDTypes) CHECK(seen[std::string(name(dtype))] > 0);
    for (Layout layout : kLayouts) {
      CHECK(seen["x " + std::string(name(layout))] > 0);
      CHECK(seen["y " + std::string(name(layout))] > 0);
    }
    for (FilterLayout layout : kFilterLayouts) CHECK(seen["w " + std::string(name(layout))] > 0);
    for (const Option& option : row->options)
      for (const std::string& value : option.values) {
        INFO(row->id << ":" << option.id << "=" << value);
        CHECK(seen[option.id + "=" + value] > 0);
      }
  }
}

TEST_CASE("random requests of a row on a GPU change seldom, and mostly hand over the sizes", "[fuzz_problems]") {
  for (const Algorithm* row : testing::gpu_rows()) {
    int changes = 0, at_run_time = 0;
    constexpr int kRequests = 400;
    const bool has_sizes = std::ranges::find(row->options, "sizes", &Option::id) != row->options.end();
    std::string before;
    for (std::uint64_t index = 0; index < kRequests; ++index) {
      Request request{random_problem(1, 5)};
      request = random_request(*row, request.problem, 1, index);
      const std::string choice = run_name(*row, request.options) + std::string(name(request.dtype)) +
                                 std::string(name(request.layouts.x)) + std::string(name(request.layouts.y));
      changes += choice != before;
      before = choice;
      at_run_time += has_sizes && request.options.is("sizes", "runtime");
    }
    INFO(row->id);
    CHECK(changes <= kRequests / 8);
    if (has_sizes) CHECK(at_run_time > kRequests / 2);
    if (has_sizes) CHECK(at_run_time < kRequests);
  }
}
