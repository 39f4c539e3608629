// What winograd.ref refuses, in which words, and what it proposes instead; its options; its matrices in
// print.
#include "tests/winograd/harness.h"

using namespace winograd_test;

namespace {

std::string refusal(const ConvSpec& spec, const char* options = "", DType dtype = DType::f32) {
  return winograd_ref().supports(request_of(spec, dtype, options)).reason;
}

}  // namespace

TEST_CASE("what winograd does not compute it refuses in words, and names what would run") {
  const ConvSpec layer{.n = 1, .ci = 4, .hi = 8, .wi = 8, .co = 4, .hf = 3, .wf = 3};
  const auto changed = [&](auto&& change) {
    ConvSpec spec = layer;
    change(spec);
    return spec;
  };
  for (const char* options : {"m=2", "m=4"}) {
    CHECK(refusal(changed([](ConvSpec& s) { s.stride_h = 2; }), options) == "winograd needs stride 1, got 2x1");
    CHECK(refusal(changed([](ConvSpec& s) { s.stride_h = s.stride_w = 2; }), options) ==
          "winograd needs stride 1, got 2x2");
    CHECK(refusal(changed([](ConvSpec& s) { s.dilation_h = s.dilation_w = 2; }), options) ==
          "winograd needs dilation 1, got 2x2");
    CHECK(refusal(changed([](ConvSpec& s) { s.hf = s.wf = 1; }), options) ==
          "winograd needs a filter of more than one tap, got 1x1, of which F(m,1) saves no multiplication");
    CHECK(refusal(changed([](ConvSpec& s) { s.groups = 2; }), options).empty());
    CHECK(refusal(changed([](ConvSpec& s) { s.hf = 3, s.wf = 1; }), options).empty());
  }
  CHECK(winograd_ref().plan(request_of(changed([](ConvSpec& s) { s.hf = s.wf = 5; })))->notes()[0] ==
        "F(2x2,5x5) points 0 1 -1 2 -2 inf");
  CHECK(refusal({.hi = 20, .wi = 20, .hf = 11, .wf = 11}) ==
        "winograd needs m + filter - 1 <= 10 points, got m 2 with a filter of 11x11");
  CHECK(refusal(layer, "points=0,1,-1,2") == "winograd: points: 4 finite ones (0,1,-1,2), must be 3");
  CHECK(refusal(layer, "m=6,points=0,997/991,-991/983,983/977,-977/971,971/967,-967/953") ==
        "winograd: fraction: numerator or denominator, needs more than 64 bits");
  CHECK(refusal(layer, "m=8,stored=tensor", DType::f16) ==
        "winograd: F(8x8,3x3) in f16 makes data of size 1 as small as 2^-25, must be >= 2^-14");
}

TEST_CASE("the nearest request of a refusal runs") {
  for (const auto& [spec, options, dtype] :
       {std::tuple{ConvSpec{.hi = 9, .wi = 9, .hf = 3, .wf = 3, .stride_h = 2}, "", DType::f32},
        {ConvSpec{.hi = 9, .wi = 9, .hf = 3, .wf = 3, .dilation_w = 2}, "", DType::f32},
        {ConvSpec{.hi = 9, .wi = 9, .hf = 7, .wf = 3}, "m=8", DType::f32},
        {ConvSpec{.hi = 9, .wi = 9, .hf = 3, .wf = 3}, "points=0,1", DType::f32},
        {ConvSpec{.hi = 9, .wi = 9, .hf = 3, .wf = 3}, "m=8,stored=tensor", DType::f16}}) {
    const Support support = winograd_ref().supports(request_of(spec, dtype, options));
    CAPTURE(support.reason);
    REQUIRE_FALSE(support.ok);
    REQUIRE(support.nearest);
    CHECK(winograd_ref().supports(*support.nearest).ok);
  }
}

TEST_CASE("where several rules refuse, the nearest request satisfies them all, or there is none") {
  const ConvSpec both{.hi = 20, .wi = 20, .hf = 3, .wf = 3, .stride_w = 3, .dilation_h = 2};
  const Support support = winograd_ref().supports(request_of(both, DType::f32, "m=8,points=0,1"));
  REQUIRE(support.nearest);
  CHECK(winograd_ref().supports(*support.nearest).ok);
  CHECK_FALSE(winograd_ref().supports(request_of({.hi = 9, .wi = 9, .stride_h = 2})).nearest);
}

TEST_CASE("wrong options are named") {
  const auto parse = [](const char* options) { return OptionSet::parse(options, winograd_ref().options); };
  CHECK_THROWS_WITH(parse("m=9"), "option m: 9, must be an integer from 1 to 8");
  CHECK_THROWS_WITH(parse("points=0,1,1"),
                    "option points: 0,1,1, must be auto, or distinct fractions of integers up to 1000 "
                    "with commas or spaces between them (infinity, inf, is last and implied)");
  CHECK(parse("points=0,1,-1,m=2").is("points", "0,1,-1"));
}

TEST_CASE("the matrices of a layer are printed as published, once when both axes share them") {
  const std::string square = winograd_matrices(request_of({.hi = 9, .wi = 9, .hf = 3, .wf = 3}, DType::f16, "m=4"));
  CHECK(square.starts_with("F(4,3), points 0 1 -1 2 -2 inf\nAᵀ =\n"));
  CHECK(square.find("1/24") != std::string::npos);
  CHECK(square.find("rows") == std::string::npos);
  const std::string oblong = winograd_matrices(request_of({.hi = 9, .wi = 9, .hf = 3, .wf = 2}));
  CHECK(oblong.starts_with("rows: F(2,3), points 0 1 -1 inf\n"));
  CHECK(oblong.find("columns: F(2,2), points 0 1 inf\n") != std::string::npos);
  CHECK(winograd_matrices(request_of({.hi = 9, .wi = 9, .hf = 1, .wf = 3})).starts_with("F(2,3)"));
  CHECK_THROWS_WITH(winograd_matrices(request_of({.hi = 9, .wi = 9})),
                    "winograd needs a filter of more than one tap, got 1x1, of which F(m,1) saves no multiplication");
}
