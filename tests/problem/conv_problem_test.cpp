#include "algorithms/problem/conv_problem.h"

#include <limits>

#include "algorithms/error.h"
#include "algorithms/problem/checked.h"
#include "algorithms/problem/parse.h"
#include "tests/catch.h"
#include "tests/problem/some_problem.h"

using namespace convlens;

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

template <class Refusal>
std::string refusal(const ConvSpec& spec) {
  try {
    ConvProblem problem(spec);
  } catch (const Refusal& error) {
    return error.what();
  }
  return "";
}

// How many window positions fit, counted one by one.
std::int64_t positions(std::int64_t padded, std::int64_t filter, std::int64_t dilation, std::int64_t stride) {
  std::int64_t count = 0;
  for (std::int64_t start = 0; start + (filter - 1) * dilation < padded; start += stride) ++count;
  return count;
}

}  // namespace

TEST_CASE("every rule of a layer is refused in one line with its parameter and value") {
  const auto broken = [](auto change) {
    ConvSpec spec{.n = 1, .ci = 4, .hi = 8, .wi = 8, .co = 4, .hf = 3, .wf = 3};
    change(spec);
    return refusal<BadInput>(spec);
  };
  CHECK(broken([](ConvSpec&) {}) == "");
  CHECK(broken([](ConvSpec& s) { s.n = -1; }) == "n: -1, must be ≥ 0");
  CHECK(broken([](ConvSpec& s) { s.ci = 0; }) == "ci: 0, must be ≥ 1");
  CHECK(broken([](ConvSpec& s) { s.hi = 0; }) == "hi: 0, must be ≥ 1");
  CHECK(broken([](ConvSpec& s) { s.wi = -3; }) == "wi: -3, must be ≥ 1");
  CHECK(broken([](ConvSpec& s) { s.co = 0; }) == "co: 0, must be ≥ 1");
  CHECK(broken([](ConvSpec& s) { s.hf = 0; }) == "hf: 0, must be ≥ 1");
  CHECK(broken([](ConvSpec& s) { s.wf = 0; }) == "wf: 0, must be ≥ 1");
  CHECK(broken([](ConvSpec& s) { s.stride_h = 0; }) == "stride_h: 0, must be ≥ 1");
  CHECK(broken([](ConvSpec& s) { s.stride_w = -2; }) == "stride_w: -2, must be ≥ 1");
  CHECK(broken([](ConvSpec& s) { s.pad_top = -1; }) == "pad_top: -1, must be ≥ 0");
  CHECK(broken([](ConvSpec& s) { s.pad_bottom = -1; }) == "pad_bottom: -1, must be ≥ 0");
  CHECK(broken([](ConvSpec& s) { s.pad_left = -1; }) == "pad_left: -1, must be ≥ 0");
  CHECK(broken([](ConvSpec& s) { s.pad_right = -1; }) == "pad_right: -1, must be ≥ 0");
  CHECK(broken([](ConvSpec& s) { s.dilation_h = 0; }) == "dilation_h: 0, must be ≥ 1");
  CHECK(broken([](ConvSpec& s) { s.dilation_w = 0; }) == "dilation_w: 0, must be ≥ 1");
  CHECK(broken([](ConvSpec& s) { s.groups = 0; }) == "groups: 0, must be ≥ 1");
  CHECK(broken([](ConvSpec& s) { s.groups = s.co = 3; }) == "groups: 3, must divide ci = 4");
  CHECK(broken([](ConvSpec& s) { s.groups = s.ci = 3; }) == "groups: 3, must divide co = 4");
  CHECK(broken([](ConvSpec& s) { s.hf = 9; }) ==
        "hf: 9, with dilation 1 reaches over 9 elements, must be ≤ the padded input's 8");
  CHECK(broken([](ConvSpec& s) { s.dilation_w = 5, s.pad_left = 1; }) ==
        "wf: 3, with dilation 5 reaches over 11 elements, must be ≤ the padded input's 9");
  CHECK(broken([](ConvSpec& s) { s.stride_h = 0, s.groups = 3, s.hf = 9; }) ==
        "stride_h: 0, must be ≥ 1; groups: 3, must divide ci = 4; groups: 3, must divide co = 4; "
        "hf: 9, with dilation 1 reaches over 9 elements, must be ≤ the padded input's 8");
}

TEST_CASE("sizes are those of counting windows, and every tap stays in the padded input") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const ConvProblem p = some_problem(seed);
    const ConvSpec& s = p.spec();
    INFO(to_text(s));
    REQUIRE(p.ho() == positions(s.hi + s.pad_top + s.pad_bottom, s.hf, s.dilation_h, s.stride_h));
    REQUIRE(p.wo() == positions(s.wi + s.pad_left + s.pad_right, s.wf, s.dilation_w, s.stride_w));
    REQUIRE(p.input_row(0, 0) == -s.pad_top);
    REQUIRE(p.input_row(p.ho() - 1, s.hf - 1) < s.hi + s.pad_bottom);
    REQUIRE(p.input_column(p.wo() - 1, s.wf - 1) < s.wi + s.pad_right);
  }
}

TEST_CASE("multiplications, and those that meet padding, are those of enumerating all of them") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const ConvProblem p = some_problem(seed);
    std::int64_t all = 0, padding = 0;
    for (std::int64_t n = 0; n < p.n(); ++n)
      for (std::int64_t o = 0; o < p.co(); ++o)
        for (std::int64_t row = 0; row < p.ho(); ++row)
          for (std::int64_t column = 0; column < p.wo(); ++column)
            for (std::int64_t c = 0; c < p.ci(); ++c) {
              if (p.group_of_input(c) != p.group_of_output(o)) continue;
              for (std::int64_t u = 0; u < p.hf(); ++u)
                for (std::int64_t v = 0; v < p.wf(); ++v) {
                  const std::int64_t h = p.input_row(row, u), w = p.input_column(column, v);
                  ++all;
                  if (h < 0 || h >= p.hi() || w < 0 || w >= p.wi()) ++padding;
                }
            }
    INFO(to_text(p.spec()));
    REQUIRE(p.multiplications() == all);
    REQUIRE(p.padding_multiplications() == padding);
    REQUIRE(p.flops() == 2 * all);
  }
}

TEST_CASE("FLOPs count a multiply and an add a term, and only the channels of a group") {
  CHECK(ConvProblem(parse_spec("1x32x28x28 --filter 64x3x3 --pad 1 --groups 32")).flops() == 903168);
  CHECK(ConvProblem(parse_spec("2x3x7x9 --filter 2x3x3")).flops() == 7560);
  CHECK(ConvProblem(parse_spec("32x256x56x56 --filter 256x3x3 --pad 1")).flops() == 118380036096);
  CHECK(ConvProblem(parse_spec("0x3x5x7 --filter 4x3x3 --pad 1")).flops() == 0);
}

TEST_CASE("the output has the floor size: trailing rows that no window reaches are unused") {
  CHECK(ConvProblem(parse_spec("1x2x10x7 --filter 2x2x1 --stride 4x3")).y_shape() == Shape{1, 2, 3, 3});
}

TEST_CASE("a dilated filter is legal as far as the padded input reaches") {
  CHECK(ConvProblem(parse_spec("1x1x5x5 --filter 1x3x3 --pad 2 --dilation 4")).y_shape() == Shape{1, 1, 1, 1});
  CHECK(refusal<BadInput>(parse_spec("1x1x5x5 --filter 1x3x3 --pad 1 --dilation 4")) ==
        "hf: 3, with dilation 4 reaches over 9 elements, must be ≤ the padded input's 7; "
        "wf: 3, with dilation 4 reaches over 9 elements, must be ≤ the padded input's 7");
}

TEST_CASE("a filter larger than the image is legal when padding makes room") {
  CHECK(ConvProblem(parse_spec("1x1x2x2 --filter 1x3x3 --pad 1")).y_shape() == Shape{1, 1, 2, 2});
  CHECK(refusal<BadInput>(parse_spec("1x1x2x2 --filter 1x3x3")).starts_with("hf: 3, "));
  CHECK(refusal<BadInput>(parse_spec("1x1x2x2 --filter 1x5x5 --pad 1")).starts_with("hf: 5, "));
}

TEST_CASE("an empty batch, and the same layer with another batch") {
  const ConvProblem none(parse_spec("0x3x5x7 --filter 4x3x3 --pad 1"));
  CHECK(none.y_shape() == Shape{0, 4, 5, 7});
  CHECK(none.padding_multiplications() == 0);
  CHECK(none.with_batch(2) == ConvProblem(parse_spec("2x3x5x7 --filter 4x3x3 --pad 1")));
  CHECK_THROWS_WITH(none.with_batch(-1), "n: -1, must be ≥ 0");
}

TEST_CASE("sizes that overflow 64 bits are refused as overflows, never wrapped to small numbers") {
  const ConvSpec wide{.n = 1, .ci = 4194304, .hi = 4194304, .wi = 4194304, .co = 4, .hf = 3, .wf = 3};
  CHECK(refusal<Unsupported>(wide) ==
        "bytes of the padded input, N·C_i·(H_i+pad)·(W_i+pad)·8: 1·4194304·4194304·4194304·8, overflows 64 bits");
  CHECK(refusal<Unsupported>({.ci = std::int64_t{1} << 31, .co = std::int64_t{1} << 31})
            .starts_with("bytes of the filter, C_o·C_i/groups·H_f·W_f·8: "));
  CHECK(refusal<Unsupported>({.n = 1 << 20, .hi = 1 << 20, .co = 1 << 20})
            .starts_with("bytes of the output, N·C_o·H_o·W_o·8: "));
  CHECK(refusal<Unsupported>({.n = 1 << 16, .ci = 1 << 15, .hi = 1 << 15, .co = 1 << 15, .hf = 4})
            .starts_with("FLOPs, 2·N·C_o·H_o·W_o·C_i/groups·H_f·W_f: "));
  CHECK(refusal<Unsupported>({.hi = kLargest, .pad_top = 1}) ==
        "hi + pad_top + pad_bottom: 9223372036854775807+1, overflows 64 bits");
  CHECK(refusal<Unsupported>({.wf = kLargest, .dilation_w = 2}) == "wf: 2·9223372036854775806, overflows 64 bits");

  const ConvProblem empty({.n = 0, .ci = 4194304, .hi = 4194304, .wi = 4194304});
  CHECK_THROWS_AS(empty.with_batch(1), Unsupported);
}

TEST_CASE("a stride beyond every size makes one output") {
  const ConvProblem p({.hi = 5,
                       .wi = 5,
                       .hf = 3,
                       .wf = 3,
                       .stride_h = kLargest,
                       .stride_w = kLargest,
                       .pad_top = 2,
                       .pad_bottom = 2,
                       .pad_left = 2});
  CHECK(p.y_shape() == Shape{1, 1, 1, 1});
  CHECK(p.padding_multiplications() == 8);
}

TEST_CASE("checked arithmetic is exact up to 2^63 − 1 and says what overflows beyond") {
  CHECK(checked::product("n", {}) == 1);
  CHECK(checked::product("n", {7, 0, kLargest, kLargest}) == 0);
  CHECK(checked::product("n", {kLargest, kLargest, 0}) == 0);
  CHECK(checked::product("n", {kLargest, 1}) == kLargest);
  CHECK(checked::product("n", {3037000499, 3037000499}) == 9223372030926249001);
  CHECK_THROWS_WITH(checked::product("bytes", {3037000500, 3037000500}),
                    "bytes: 3037000500·3037000500, overflows 64 bits");
  CHECK_THROWS_AS(checked::product("bytes", {std::int64_t{1} << 32, std::int64_t{1} << 32, 3}), Unsupported);
  CHECK(checked::sum("n", {}) == 0);
  CHECK(checked::sum("n", {kLargest, -1, 1}) == kLargest);
  CHECK_THROWS_WITH(checked::sum("bytes", {kLargest, 1}), "bytes: 9223372036854775807+1, overflows 64 bits");
}
