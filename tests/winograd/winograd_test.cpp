// winograd.ref computes the convolution: known values, every type and layout, and what it refuses.
#include <thread>

#include "algorithms/interface/registry.h"
#include "tests/winograd/harness.h"

using namespace winograd_test;

namespace {

constexpr const char* kTiles[] = {"m=2", "m=4"};

struct Sums {
  double first, last, s1, s2;
  bool operator==(const Sums&) const = default;
};

// Rounded to integers: the sum, and the sum weighted by (k mod 97) + 1.
Sums sums_of(const std::vector<double>& y) {
  Sums sums{std::round(y.front()), std::round(y.back()), 0, 0};
  for (std::size_t k = 0; k < y.size(); ++k) {
    sums.s1 += std::round(y[k]);
    sums.s2 += std::round(y[k]) * static_cast<double>(k % 97 + 1);
  }
  return sums;
}

std::vector<double> integer_case(const ConvSpec& spec, const char* options, DType dtype = DType::f32,
                                 Layout layout = Layout::NCHW) {
  Request request = request_of(spec, dtype, options);
  request.layouts = {layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout};
  return values(run(*winograd_ref().plan(request), Tensors(request, xh, wh)).y);
}

std::vector<double> rounded(std::vector<double> y) {
  for (double& value : y) value = std::round(value);
  return y;
}

}  // namespace

TEST_CASE("tail tiles are right, whatever is left over") {
  for (const char* options : {"m=1", "m=2", "m=3", "m=4", "m=5", "m=6", "m=8"})
    for (Layout layout : kLayouts) {
      CAPTURE(options, name(layout));
      const auto y =
          integer_case({.n = 2, .ci = 3, .hi = 7, .wi = 9, .co = 2, .hf = 3, .wf = 3}, options, DType::f32, layout);
      REQUIRE(y.size() == 2 * 2 * 5 * 7);
      CHECK(sums_of(y) == Sums{25, -39, 137, -5316});
      CHECK(rounded(integer_case({.n = 2, .ci = 3, .hi = 6, .wi = 3, .co = 2, .hf = 3, .wf = 3}, options)) ==
            std::vector<double>{25, 8, -31, -4, 52, 25, -35, -18, 5, -45, 37, -46, 38, -33, -38, 12});
      const auto one = integer_case({.n = 1, .ci = 1, .hi = 3, .wi = 3, .co = 1, .hf = 3, .wf = 3}, options);
      CHECK(rounded(one) == std::vector<double>{15 + 2 + 1 + 0 - 15 + 1 - 6 + 0 + 9});
    }
}

TEST_CASE("filters of one row or column are transformed along one axis") {
  for (const char* options : kTiles) {
    const Request request =
        request_of({.n = 1, .ci = 2, .hi = 5, .wi = 9, .co = 2, .hf = 1, .wf = 7, .pad_left = 3, .pad_right = 3},
                   DType::f32, options);
    const auto plan = winograd_ref().plan(request);
    const auto y = values(run(*plan, Tensors(request, xh, wh)).y);
    CHECK(sums_of(y) == Sums{18, 26, 37, 849});
    CHECK(plan->stages()[0].axes[0].extent == 1);
    CHECK(plan->error_model().tile_h == 1);
  }
  CHECK(winograd_ref().plan(request_of({.hi = 9, .wi = 9, .hf = 3, .wf = 1}))->notes()[0] ==
        "F(2x1,3x1) points 0 1 -1 inf");
}

TEST_CASE("padding may differ on every side, and be larger than the filter") {
  for (const char* options : kTiles) {
    const Request request =
        request_of({.n = 1, .ci = 1, .hi = 3, .wi = 4, .co = 1, .hf = 2, .wf = 2, .pad_bottom = 1, .pad_right = 1},
                   DType::f32, options);
    const Tensors data(
        request, [](auto, auto, auto h, auto w) { return static_cast<double>(4 * h + w); },
        [](auto, auto, auto r, auto s) { return static_cast<double>(2 * r + s + 1); });
    CHECK(rounded(values(run(*winograd_ref().plan(request), data).y)) ==
          std::vector<double>{34, 44, 54, 24, 74, 84, 94, 40, 26, 29, 32, 11});

    const Request small =
        request_of({.hi = 2, .wi = 2, .hf = 3, .wf = 3, .pad_top = 1, .pad_bottom = 1, .pad_left = 1, .pad_right = 1},
                   DType::f32, options);
    CHECK(rounded(values(run(*winograd_ref().plan(small), Tensors(small, constant_one, constant_one)).y)) ==
          std::vector<double>(4, 4));
  }
}

TEST_CASE("groups, and depthwise with a multiplier") {
  for (const char* options : kTiles)
    CHECK(sums_of(integer_case({.n = 1,
                                .ci = 2,
                                .hi = 5,
                                .wi = 6,
                                .co = 4,
                                .hf = 3,
                                .wf = 3,
                                .pad_top = 1,
                                .pad_bottom = 1,
                                .pad_left = 1,
                                .pad_right = 1,
                                .groups = 2},
                               options)) == Sums{2, -13, 30, 2784});
}

TEST_CASE("random ragged problems agree with the direct sum, in every type and layout") {
  std::uint64_t seed = 1000;
  for (DType dtype : kDTypes)
    for (Layout x : kLayouts)
      for (FilterLayout w : kFilterLayouts)
        for (Layout y : kLayouts)
          for (const char* options : {"m=2", "m=3", "m=4"}) {
            Request request = request_of(random_spec(++seed), dtype, options);
            request.layouts = {x, w, y};
            CAPTURE(describe(request), name(x), name(w), name(y));
            const auto plan = winograd_ref().plan(request);
            const Tensors data(request, uniform(seed, request.problem.x_shape()),
                               uniform(seed + 1, request.problem.w_shape()),
                               uniform(seed + 2, {request.problem.co(), 1, 1, 1}));
            REQUIRE(largest_ratio(*plan, data, run(*plan, data), direct_sum(request, data)) <= 1);
          }
}

TEST_CASE("points given by hand give the same convolution") {
  for (const auto& [options, expected] : {std::pair{"m=4,points=0,1,-1,1/2,-2", "F(4x4,3x3) points 0 1 -1 1/2 -2 inf"},
                                          {"points=3,-3,1/3", "F(2x2,3x3) points 3 -3 1/3 inf"}}) {
    const Request request =
        request_of({.n = 1, .ci = 3, .hi = 8, .wi = 7, .co = 2, .hf = 3, .wf = 3}, DType::f32, options);
    const auto plan = winograd_ref().plan(request);
    CHECK(plan->notes()[0] == expected);
    CHECK(plan->run_name() == std::string("winograd.ref:") + options);
    CHECK(parse_run(plan->run_name()).options == plan->request().options);
    const Tensors data(request, uniform(1, request.problem.x_shape()), uniform(2, request.problem.w_shape()));
    CHECK(largest_ratio(*plan, data, run(*plan, data), direct_sum(request, data)) <= 1);
  }
  const Request oblong = request_of({.hi = 9, .wi = 9, .hf = 3, .wf = 5}, DType::f32, "points=0,1,-1,2,-2");
  CHECK(winograd_ref().plan(oblong)->notes()[0] == "F(2x2,3x5) points of rows 0 1 -1 inf, of columns 0 1 -1 2 -2 inf");
}

TEST_CASE("transposed, reversed and broadcast views are read where they lie") {
  const Request request = request_of({.hi = 4, .wi = 4, .hf = 1, .wf = 2});
  const auto plan = winograd_ref().plan(request);
  std::vector<float> a(16), w{1, -2}, workspace(static_cast<std::size_t>(plan->workspace_bytes()) / 4 + 1, NAN);
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = static_cast<float>(k);
  const auto convolve = [&](const float* first, const Strides& strides) {
    std::vector<float> y(24, NAN);  // written through strides, last row first and every other element
    plan->run({{first, DType::f32, {1, 1, 4, 4}, strides},
               {w.data(), DType::f32, {1, 1, 1, 2}, {2, 2, 2, 1}},
               {},
               {y.data() + 18, DType::f32, {1, 1, 4, 3}, {24, 24, -6, 2}}},
              std::as_writable_bytes(std::span(workspace)));
    std::vector<float> dense;
    for (int row = 3; row >= 0; --row)
      for (std::size_t column = 0; column < 3; ++column)
        dense.push_back(y[6 * static_cast<std::size_t>(row) + 2 * column]);
    for (std::size_t k = 1; k < y.size(); k += 2) CHECK(std::isnan(y[k]));  // nothing else is touched
    return dense;
  };
  CHECK(convolve(a.data() + 3, {16, 16, 4, -1}) == std::vector<float>{-1, 0, 1, -5, -4, -3, -9, -8, -7, -13, -12, -11});
  CHECK(convolve(a.data(), {16, 16, 1, 4}) ==
        std::vector<float>{-8, -12, -16, -9, -13, -17, -10, -14, -18, -11, -15, -19});
  CHECK(convolve(a.data() + 2, {0, 0, 0, 0}) == std::vector<float>(12, -2));
}

TEST_CASE("f16 input never overflows in the transforms") {
  for (const char* options : {"m=2,stored=tensor", "m=3,stored=tensor", "m=4,stored=tensor", "m=6,stored=tensor"}) {
    const Request request = request_of({.hi = 6, .wi = 6, .hf = 3, .wf = 3}, DType::f16, options);
    const auto plan = winograd_ref().plan(request);
    const Tensors data(
        request, [](auto...) { return 2000.0; }, constant_one);
    CAPTURE(options);
    CHECK(values(run(*plan, data).y) == std::vector<double>(16, 18000));

    const auto alternating = [](double most) {
      return [=](auto, auto, auto h, auto w) { return (h + w) % 2 == 0 ? most : -most; };
    };
    const Tensors largest(request, alternating(65504), alternating(0.125));
    for (double value : values(run(*plan, largest).y)) CHECK((std::isinf(value) || std::abs(value) > 60000));
    for (const char* buffer : {"V", "U"}) {
      const Outcome outcome = run(*plan, Tensors(request, alternating(65504), alternating(65504)));
      for (const Buffer& b : plan->workspace())
        if (b.name == buffer)
          for (std::int64_t k = 0; k < b.bytes / 2; ++k)
            REQUIRE(std::isfinite(
                static_cast<float>(reinterpret_cast<const f16*>(outcome.workspace.data() + b.offset)[k])));
    }
  }
}

TEST_CASE("a NaN reaches every output that depends on it, and none beyond its tiles") {
  for (const auto& [options, first, last] : {std::tuple{"m=2", 2, 5}, {"m=4", 0, 7}}) {
    const Request request = request_of({.n = 2,
                                        .ci = 2,
                                        .hi = 16,
                                        .wi = 16,
                                        .co = 2,
                                        .hf = 3,
                                        .wf = 3,
                                        .pad_top = 1,
                                        .pad_bottom = 1,
                                        .pad_left = 1,
                                        .pad_right = 1},
                                       DType::f32, options);
    const Tensors data(
        request, [](auto n, auto c, auto h, auto w) { return n == 0 && c == 0 && h == 3 && w == 3 ? NAN : 1.0; },
        constant_one);
    const Outcome outcome = run(*winograd_ref().plan(request), data);
    double sum_of_second = 0;
    for (std::int64_t n = 0; n < 2; ++n)
      for (std::int64_t o = 0; o < 2; ++o)
        for (std::int64_t p = 0; p < 16; ++p)
          for (std::int64_t q = 0; q < 16; ++q) {
            const double value = element(outcome.y.view(), n, o, p, q);
            const bool depends = n == 0 && p >= 2 && p <= 4 && q >= 2 && q <= 4;
            const bool may = n == 0 && p >= first && p <= last && q >= first && q <= last;
            if (depends) CHECK(std::isnan(value));
            if (!may) CHECK(std::isfinite(value));
            sum_of_second += n == 1 ? value : 0;
          }
    CHECK(std::round(sum_of_second) == 8464);
  }
}

TEST_CASE("a NaN of the filter or the bias reaches its whole output channel and no other") {
  const Request request = request_of(
      {.n = 2, .ci = 2, .hi = 6, .wi = 7, .co = 3, .hf = 3, .wf = 3, .pad_top = 2, .pad_left = 2, .bias = true});
  for (bool in_filter : {true, false}) {
    const Tensors data(
        request, constant_one,
        [=](auto o, auto c, auto u, auto v) { return in_filter && o == 1 && c == 1 && u == 0 && v == 2 ? NAN : 1.0; },
        [=](auto o, auto, auto, auto) { return !in_filter && o == 1 ? NAN : 1.0; });
    const Outcome outcome = run(*winograd_ref().plan(request), data);
    const auto [n, o, p, q] = request.problem.y_shape();
    for (std::int64_t k = 0; k < elements(request.problem.y_shape()); ++k)
      REQUIRE(std::isnan(element(outcome.y.view(), k / q / p / o, k / q / p % o, k / q % p, k % q)) ==
              (k / q / p % o == 1));
  }
}

TEST_CASE("the result does not depend on the number of threads, on garbage, or on runs before") {
  for (DType dtype : kDTypes) {
    Request request = request_of(
        {.n = 2, .ci = 6, .hi = 13, .wi = 10, .co = 4, .hf = 3, .wf = 3, .pad_top = 1, .groups = 2, .bias = true},
        dtype, "m=4");
    const Tensors data(request, uniform(1, request.problem.x_shape()), uniform(2, request.problem.w_shape()));
    request.threads = 1;
    const auto single = winograd_ref().plan(request);
    const std::vector<double> expected = values(run(*single, data).y);
    CHECK(values(run(*single, data).y) == expected);
    for (int threads : {2, 3, 7}) {
      request.threads = threads;
      CHECK(values(run(*winograd_ref().plan(request), data).y) == expected);
    }
  }
}

TEST_CASE("a plan runs in several threads at once") {
  for (const char* options : kTiles) {
    Request request = request_of({.hi = 32, .wi = 32, .hf = 3, .wf = 3}, DType::f32, options);
    request.threads = 1;
    const auto plan = winograd_ref().plan(request);
    const auto all = [&](double w) {
      const Tensors data(request, constant_one, [=](auto...) { return w; });
      for (int call = 0; call < 200; ++call)
        for (double value : values(run(*plan, data).y))
          if (std::abs(value - 9 * w) > 1e-4) return false;
      return true;
    };
    bool first = false, second = false;
    std::thread a([&] { first = all(1); }), b([&] { second = all(2); });
    a.join();
    b.join();
    CHECK(first);
    CHECK(second);
  }
}

TEST_CASE("an empty batch computes nothing and stores no input") {
  const Request request =
      request_of({.n = 0, .ci = 3, .hi = 5, .wi = 7, .co = 4, .hf = 3, .wf = 3, .pad_top = 1, .pad_bottom = 1});
  const auto plan = winograd_ref().plan(request);
  CHECK(plan->stages()[0].bytes() == 0);
  CHECK(values(run(*plan, Tensors(request, constant_one, constant_one)).y).empty());
}

TEST_CASE("the workspace is V, U and M, to the byte") {
  const auto plan =
      winograd_ref().plan(request_of({.n = 128, .ci = 64, .hi = 56, .wi = 56, .co = 64, .hf = 3, .wf = 3}));
  const std::int64_t v = 16 * 128 * 27 * 27 * 64 * 4, u = 16 * 64 * 64 * 4, m = v;
  CHECK(plan->workspace_bytes() == v + u + m);
  CHECK((v + m) >> 20 == 729);  // MiB, of non-fused F(2x2,3x3) on cv9
  CHECK(plan->stages()[0].formula() == "n_h·n_w·N·⌈H_o/m_h⌉·⌈W_o/m_w⌉·C_i × 4 B");

  const auto short_plan = winograd_ref().plan(
      request_of({.n = 3, .ci = 5, .hi = 9, .wi = 11, .co = 4, .hf = 3, .wf = 5}, DType::f16, "m=3,stored=tensor"));
  const std::int64_t points = 5 * 7, tiles = 3 * 3 * 3;  // of 7×7 outputs
  CHECK(short_plan->stages()[0].bytes() == points * tiles * 5 * 2);
  CHECK(short_plan->stages()[1].bytes() == points * 4 * 5 * 2);
  CHECK(short_plan->stages()[2].bytes() == points * tiles * 4 * 4);  // sums are kept in f32
}

TEST_CASE("executed FLOPs count transforms, products and tail tiles") {
  // F(2x2,3x3): Bᵀ has 8 coefficients, G 8, Aᵀ 6; each costs two operations, along one axis and then along
  // the other.
  const auto plan = winograd_ref().plan(request_of({.n = 2, .ci = 3, .hi = 7, .wi = 9, .co = 5, .hf = 3, .wf = 3}));
  const std::int64_t tiles = 2 * 3 * 4;  // of 5×7 outputs
  CHECK(plan->executed_flops() == tiles * 3 * 2 * (8 * 4 + 8 * 4) + 5 * 3 * 2 * (8 * 3 + 8 * 4) +
                                      2 * 16 * tiles * 5 * 3 + tiles * 5 * 2 * (6 * 4 + 6 * 2));
  CHECK(plan->flops() == 2 * 2 * 5 * 5 * 7 * 27);
}
