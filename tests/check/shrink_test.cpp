#include "algorithms/check/shrink.h"

#include "algorithms/check/check.h"
#include "algorithms/check/fuzz.h"
#include "algorithms/problem/parse.h"
#include "tests/catch.h"
#include "tests/support/spoilt.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

// Direct convolution whose stride is one too large, once it isn't 1.
Algorithm stride_off_by_one() {
  return spoilt("stride", [](const Spoiling& s) {
    ConvSpec wrong = s.problem.spec();
    if (wrong.stride_h > 1) ++wrong.stride_h;
    if (wrong.stride_w > 1) ++wrong.stride_w;
    const ConvProblem p(wrong);
    visit(s.arguments.y.dtype, [&]<class T>() {
      const auto x = s.arguments.x.as<T>();
      const auto w = s.arguments.w.as<T>();
      const auto bias = s.arguments.bias.as<T>();
      const auto y = s.arguments.y.as<T>();
      for_each(y.shape, [&](const Shape& at) {
        Accumulator<T> sum = bias[at[1]];
        for_each({1, p.ci_per_group(), p.hf(), p.wf()}, [&](const Shape& tap) {
          const std::int64_t c = p.group_of_output(at[1]) * p.ci_per_group() + tap[1];
          const auto weight = static_cast<Accumulator<T>>(w(at[1], tap[1], tap[2], tap[3]));
          sum += x.padded(at[0], c, p.input_row(at[2], tap[2]), p.input_column(at[3], tap[3])) * weight;
        });
        y(at[0], at[1], at[2], at[3]) = static_cast<T>(sum);
      });
    });
  });
}

}  // namespace

TEST_CASE("an off-by-one in a stride shrinks to a problem of at most 4×4", "[shrink]") {
  const Algorithm row = stride_off_by_one();
  OracleCache cache;
  const auto fails = [&](const Request& request) { return !check(row, request, 1, cache).passed(); };
  int failures = 0;
  for (std::uint64_t index = 0; failures < 5; ++index) {
    const Request request = random_request(row, random_problem(6, index), 6, index);
    if (!fails(request)) continue;
    ++failures;
    const Request smallest = shrink(request, fails);
    INFO(check(row, request, 1, cache).reproduce() << "\n" << check(row, smallest, 1, cache).reproduce());
    CHECK(fails(smallest));
    const ConvSpec& s = smallest.problem.spec();
    CHECK((s.hi <= 4 && s.wi <= 4));
    CHECK((s.n == 1 && s.ci == 1 && s.co == 1 && s.groups == 1 && !s.bias));
    CHECK((s.hf * s.wf <= 2 && s.stride_h <= 2 && s.stride_w <= 2));
    CHECK(smallest.layouts == Layouts{});
    CHECK(smallest.dtype == request.dtype);
  }
}

TEST_CASE("shrinking keeps what the failure needs and drops the rest", "[shrink]") {
  const char* const layer = "5x12x23x17 --filter 8x3x5 --stride 2x3 --pad 3x1x2x4 --dilation 2x1 --groups 4 --bias";
  Request request{ConvProblem(parse_spec(layer))};
  request.options.set("kept", "yes");
  request.options.set("dropped", "yes");
  const Request smallest = shrink(request, [](const Request& r) {
    const ConvSpec& s = r.problem.spec();
    return s.groups >= 2 && r.problem.ho() >= 3 && s.pad_left >= 1 && r.options.values().contains("kept");
  });
  CHECK(to_text(smallest.problem.spec()) == "0x2x3x1 --filter 2x1x1 --pad 0x0x1x0 --groups 2");
  CHECK(smallest.options.values().size() == 1);
}
