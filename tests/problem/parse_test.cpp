#include "algorithms/problem/parse.h"

#include "algorithms/error.h"
#include "algorithms/tensor/random.h"
#include "tests/catch.h"

using namespace convlens;

namespace {

// The one line that parsing `text` is refused with, or "" when it is not refused.
std::string refusal(std::string_view text) {
  try {
    parse_spec(text);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

ConvSpec random_spec(std::uint64_t seed) {
  std::uint64_t counter = 0;
  // Small numbers, and now and then one of any size.
  const auto number = [&](std::int64_t least) {
    const bool large = random_integer(seed, counter++, 0, 9) == 0;
    return random_integer(seed, counter++, least, large ? std::int64_t{1} << 62 : 3);
  };
  ConvSpec s;
  for (auto* field : {&s.n, &s.ci, &s.hi, &s.wi, &s.co, &s.hf, &s.wf, &s.stride_h, &s.stride_w, &s.pad_top,
                      &s.pad_bottom, &s.pad_left, &s.pad_right, &s.dilation_h, &s.dilation_w, &s.groups})
    *field = number(0);
  s.bias = number(0) % 2 != 0;
  return s;
}

}  // namespace

TEST_CASE("a layer written as text is read back as it was") {
  for (std::uint64_t seed = 0; seed < 10000; ++seed) {
    const ConvSpec spec = random_spec(seed);
    INFO(to_text(spec));
    REQUIRE(parse_spec(to_text(spec)) == spec);
  }
}

TEST_CASE("the text of a layer leaves out what is at its default") {
  CHECK(to_text({.n = 128, .ci = 64, .hi = 56, .wi = 57, .co = 64, .hf = 3, .wf = 5}) ==
        "128x64x56x57 --filter 64x3x5");
  CHECK(to_text({.stride_h = 2, .stride_w = 2, .pad_top = 1, .pad_bottom = 1}) ==
        "1x1x1x1 --filter 1x1x1 --stride 2 --pad 1x0");
  CHECK(to_text({.pad_right = 1, .dilation_w = 2, .groups = 4, .bias = true}) ==
        "1x1x1x1 --filter 1x1x1 --pad 0x0x0x1 --dilation 1x2 --groups 4 --bias");
}

TEST_CASE("flags come in any order, with blanks or an equals sign") {
  const ConvSpec expected{.n = 2,
                          .ci = 4,
                          .hi = 7,
                          .wi = 9,
                          .co = 6,
                          .hf = 3,
                          .wf = 1,
                          .stride_h = 2,
                          .stride_w = 1,
                          .pad_top = 1,
                          .pad_bottom = 1,
                          .pad_left = 2,
                          .pad_right = 2,
                          .groups = 2};
  CHECK(parse_spec("2x4x7x9 --filter 6x3x1 --stride 2x1 --pad 1x2 --groups 2") == expected);
  CHECK(parse_spec("  --groups=2\t--pad=1x2 2x4x7x9 --stride=2x1 --filter=6x3x1\n") == expected);
  CHECK(parse_spec("2x4x7x9 --filter 6x3x1 --stride 2x1 --pad 1x1x2x2 --groups 2") == expected);
}

TEST_CASE("a size may be written with x, X or ×") {
  CHECK(parse_spec("2×4x7X9 --filter 6×3X1 --stride 2X1 --pad 1×1×2×2") ==
        parse_spec("2x4x7x9 --filter 6x3x1 --stride 2x1 --pad 1x1x2x2"));
}

TEST_CASE("a wrong part of a layer's text is named in one line, with its value and the rule") {
  const std::string layer = "1x3x8x8 --filter 4x3x3 ";
  CHECK(refusal("") == "layer: empty, must be like \"128x64x56x56 --filter 64x3x3\" or \"mb128ic64ih56oc64kh3\"");
  CHECK(refusal(" \n") == refusal(""));
  CHECK(refusal("--filter 4x3x3") == "input: missing, must be N×C_i×H_i×W_i, as in 128x64x56x56");
  CHECK(refusal("1x3x8x8") == "--filter: missing, must be C_o×H_f×W_f, as in 64x3x3");
  CHECK(refusal("1x3x8 --filter 4x3x3") == "input: 1x3x8, must be N×C_i×H_i×W_i, as in 128x64x56x56");
  CHECK(refusal("1x3xax8 --filter 4x3x3") == "input 1x3xax8: a, must be a whole number");
  CHECK(refusal("1x3x8x8 9 --filter 4x3x3") == "input: 9, must be given once");
  CHECK(refusal(layer + "--stride 3x") == "--stride 3x: \"\", must be a whole number");
  CHECK(refusal(layer + "--stride 3y") == "--stride: 3y, must be a whole number");
  CHECK(refusal(layer + "--stride +3") == "--stride: +3, must be a whole number");
  CHECK(refusal(layer + "--stride 1.5") == "--stride: 1.5, must be a whole number");
  CHECK(refusal(layer + "--stride=") == "--stride: \"\", must be a whole number");
  CHECK(refusal(layer + "--stride") == "--stride: nothing follows, must have a value");
  CHECK(refusal(layer + "--stride 1x2x3") == "--stride: 1x2x3, must be one number or height×width");
  CHECK(refusal(layer + "--pad 1x2x3") == "--pad: 1x2x3, must be one number, height×width or top×bottom×left×right");
  CHECK(refusal(layer + "--groups 9223372036854775808") ==
        "--groups: 9223372036854775808, must be ≤ 9223372036854775807");
  CHECK(refusal(layer + "--groups 9223372036854775807") == "");
  CHECK(refusal(layer + "--bias=1") == "--bias: --bias=1, must have no value");
  CHECK(refusal(layer + "--bias 3") == "--bias: 3, must have no value");
  CHECK(refusal("--bias " + layer) == "");
  CHECK(refusal(layer + "--stride 1×2X3") == "--stride: 1×2X3, must be one number or height×width");
  CHECK(refusal(layer + "--pad 1 --pad 1") == "--pad: given twice, must be given once");
  CHECK(refusal(layer + "--strid 2") ==
        "layer: --strid, must be one of --filter | --stride | --pad | --dilation | --groups | --bias; did you mean "
        "\"--stride\"?");
  CHECK(refusal(layer + "--colour 2") ==
        "layer: --colour, must be one of --filter | --stride | --pad | --dilation | --groups | --bias");
}

TEST_CASE("benchdnn's descriptors are read as benchdnn reads them") {
  CHECK(parse_spec("g32mb1ic64ih56iw56oc64oh56ow56kh3kw3sh1sw1ph1pw1dh0dw0n\"name\"") ==
        parse_spec("1x64x56x56 --filter 64x3x3 --pad 1 --groups 32"));
  CHECK(parse_spec("mb128_ic3ih227iw227_oc96oh55ow55_kh11kw11_sh4sw4ph0pw0_nalexnet:conv1") ==
        parse_spec("128x3x227x227 --filter 96x11x11 --stride 4"));

  SECTION("what is left out") {
    CHECK(parse_spec("ic8ih5oc4kh3") == parse_spec("2x8x5x5 --filter 4x3x3"));
    CHECK(parse_spec("mb1ic8ih9oc4kh3sh2ph1dh1") ==
          parse_spec("1x8x9x9 --filter 4x3x3 --stride 2 --pad 1 --dilation 2"));
    CHECK(parse_spec("mb1ic8ih9iw7oc4kh3kw1sh2") == parse_spec("1x8x9x7 --filter 4x3x1 --stride 2x1"));
    CHECK(parse_spec("mb1ic8iw7oc4kw3pw1") == parse_spec("1x8x1x7 --filter 4x1x3 --pad 0x1"));
  }
  SECTION("padding that the output size implies") {
    CHECK(parse_spec("mb1ic1ih5oc1oh5kh3") == parse_spec("1x1x5x5 --filter 1x3x3 --pad 1"));
    CHECK(parse_spec("mb1ic1ih5oc1oh3kh3") == parse_spec("1x1x5x5 --filter 1x3x3"));
    CHECK(parse_spec("mb1ic1ih4oc1oh4kh2") == parse_spec("1x1x4x4 --filter 1x2x2 --pad 0x1x0x1"));
    CHECK(parse_spec("mb1ic1ih4oc1oh4kh2ph1") == parse_spec("1x1x4x4 --filter 1x2x2 --pad 1x0x1x0"));
    CHECK(parse_spec("mb1ic3ih224oc64oh112kh7sh2ph3") == parse_spec("1x3x224x224 --filter 64x7x7 --stride 2 --pad 3"));
    CHECK(parse_spec("mb1ic1ih10oc1oh2kh3sh4ph0") == parse_spec("1x1x10x10 --filter 1x3x3 --stride 4"));
  }
  SECTION("whatever was deduced makes the stated output") {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      const auto draw = [&](int k, int least, int most) { return random_integer(seed, std::uint64_t(k), least, most); };
      const std::int64_t oh = draw(0, 1, 9), ow = draw(1, 1, 9), ph = draw(2, 0, 3);
      const auto entry = [](const char* key, std::int64_t value) { return key + std::to_string(value); };
      const std::string text = "mb1ic1oc1" + entry("ih", draw(3, 1, 12)) + entry("iw", draw(4, 1, 12)) +
                               entry("oh", oh) + entry("ow", ow) + entry("kh", draw(5, 1, 4)) +
                               entry("kw", draw(6, 1, 4)) + entry("sh", draw(7, 1, 4)) + entry("ph", ph) +
                               entry("dw", draw(8, 0, 2));
      INFO(text);
      try {
        const ConvProblem problem(parse_spec(text));
        CHECK(problem.ho() == oh);
        CHECK(problem.wo() == ow);
        CHECK(problem.spec().pad_top == ph);
      } catch (const BadInput& error) {
        const std::string line = error.what();
        CHECK((line.find("must be") != line.npos || line.find("must come with") != line.npos));
      }
    }
  }
}

TEST_CASE("a wrong entry of a benchdnn descriptor is named in one line") {
  CHECK(refusal("mb1ih5oc4kh3") == "ic: missing, must be given");
  CHECK(refusal("mb1ic3oc4") == "ih: missing, must be given");
  CHECK(refusal("mb1ic3ih5oc4") == "kh: missing, must be given");
  CHECK(refusal("mb1ic3ih5iw5oc4kh3") == "kw: missing, must be given");
  CHECK(refusal("mb1ic3ih5oc4kh3ih5") == "ih: given twice, must be given once");
  CHECK(refusal("mb1ic3ih5oc4kh3dh-1") == "dh: -1, must be ≥ 0");
  CHECK(refusal("mb1ic3ih5oc4kh") == "kh: \"\", must be a whole number");
  CHECK(refusal("mb1ic3ih5oc4kh_3") == "kh: \"\", must be a whole number");
  CHECK(refusal("mb1ic3ih5.5oc4kh3") == "ih: 5.5, must be a whole number");
  CHECK(refusal("mb1ic3ih9223372036854775808oc4kh3") == "ih: 9223372036854775808, must be ≤ 9223372036854775807");
  CHECK(refusal("mb1ic3id5ih5oc4kh3") == "id: given, must be absent from a 2-D layer");
  CHECK(refusal("mb1ic3ih5oc4khh3") ==
        "layer: khh, must be one of g | mb | ic | ih | iw | oc | oh | ow | kh | kw | sh | sw | ph | pw | dh | dw; did "
        "you mean \"kh\"?");
  CHECK(refusal("cv9").starts_with("layer: cv, "));
  CHECK(refusal("mb1ic3ih5oc4kh3 --bias") ==
        "layer: --bias, must be left out: a benchdnn string takes no further options");
  CHECK(refusal("mb1ic3ih5oc4kh3n\"name\" --stride 2") ==
        "layer: --stride 2, must be left out: a benchdnn string takes no further options");
  CHECK(refusal("mb1ic3ih5oc4oh0kh3") == "oh: 0, must be ≥ 1");
  CHECK(refusal("mb1ic3ih9oc4oh3kh3ph0") == "oh: 3, must be 7, which is what the other entries make");
  CHECK(refusal("mb1ic3ih9oc4oh3kh3") == "oh: 3, leaves 4 elements unread, must come with ph");
}

TEST_CASE("a number that is too small is refused by the rule of its parameter, however it is written") {
  const auto broken = [](const std::string& text) {
    try {
      ConvProblem problem(parse_spec(text));
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string kAllPads =
      "pad_top: -1, must be ≥ 0; pad_bottom: -1, must be ≥ 0; pad_left: -1, must be ≥ 0; pad_right: -1, must be ≥ 0";
  CHECK(broken("-1x1x5x5 --filter 1x3x3") == "n: -1, must be ≥ 0");
  CHECK(broken("1x1x5x5 --filter 0x3x3") == "co: 0, must be ≥ 1");
  CHECK(broken("1x1x5x5 --filter 1x-3x-3") == "hf: -3, must be ≥ 1; wf: -3, must be ≥ 1");
  CHECK(broken("1x1x5x5 --filter 1x3x3 --stride -1") == "stride_h: -1, must be ≥ 1; stride_w: -1, must be ≥ 1");
  CHECK(broken("1x1x5x5 --filter 1x3x3 --stride=0") == "stride_h: 0, must be ≥ 1; stride_w: 0, must be ≥ 1");
  CHECK(broken("1x1x5x5 --filter 1x3x3 --dilation 0x1") == "dilation_h: 0, must be ≥ 1");
  CHECK(broken("1x1x5x5 --filter 1x3x3 --pad -1x0") == "pad_top: -1, must be ≥ 0; pad_bottom: -1, must be ≥ 0");
  CHECK(broken("1x1x5x5 --filter 1x3x3 --groups -1") == "groups: -1, must be ≥ 1");
  CHECK(broken("mb-1ic1ih5oc1kh3") == "n: -1, must be ≥ 0");
  CHECK(broken("mb1ic1ih5oc1kh3sh0") == "stride_h: 0, must be ≥ 1; stride_w: 0, must be ≥ 1");
  CHECK(broken("mb1ic1ih5oc1kh3ph-1") == kAllPads);
  CHECK(broken("mb1ic1ih5oc1oh5kh3ph-1") == kAllPads);
}
