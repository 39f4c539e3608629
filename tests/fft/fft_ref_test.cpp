#include <thread>
#include <utility>

#include "algorithms/fft/fft_map.h"
#include "algorithms/interface/registry.h"
#include "tests/fft/fft_support.h"

using namespace fft_test;

namespace {

// The integers of the shared cases.
void fill_with_integers(Tensors& t) {
  fill(t.x.view(), [](auto n, auto c, auto h, auto w) { return (31 * n + 17 * c + 7 * h + 3 * w + h * w) % 11 - 5; });
  fill(t.w.view(), [](auto o, auto c, auto r, auto s) { return (13 * o + 5 * c + 3 * r + 2 * s + r * s) % 7 - 3; });
}

std::vector<double> rounded(std::vector<double> list, double at_most) {
  for (double& value : list) {
    const double nearest = std::nearbyint(value);
    CHECK(std::fabs(value - nearest) <= at_most);
    value = nearest;
  }
  return list;
}

const char* const kBothTransforms[] = {"", "transform=tiled,tile=8"};

// A view of the same values whose memory is transposed, reversed and spread out.
struct Odd {
  Tensor memory;
  TensorView view;

  explicit Odd(const ConstTensorView& of)
      : memory(of.dtype, Layout::NCHW, {of.shape[3], 2 * of.shape[2], of.shape[0], of.shape[1]}) {
    const Strides s = memory.view().strides;
    const std::int64_t last_row = 2 * (of.shape[2] - 1) * s[1];
    view = memory.view();
    view.data = static_cast<std::byte*>(view.data) + last_row * size_of(of.dtype);
    view.shape = of.shape;
    view.strides = {s[2], s[3], -2 * s[1], s[0]};
    convert(of, view);
  }
};

}  // namespace

TEST_CASE("fft.ref is listed, and its stages explained, whether or not it can run") {
  CHECK(find_algorithm("fft").id == "fft.ref");
  const Request request = request_of(ConvProblem({.n = 2, .ci = 3, .hi = 9, .wi = 9, .co = 4, .hf = 3, .wf = 3}));
  CHECK(fft_ref().decide(request).stages.size() == 3);
  const Support support = fft_ref().supports(request);
  CHECK(support.ok == fft::available());
  if (!support) CHECK(support.reason == "fft.ref: built without KissFFT");
}

TEST_CASE("fft.ref correlates: the filter is not flipped") {
  if (!can_run()) return;
  const std::string options = GENERATE_COPY(from_range(std::begin(kBothTransforms), std::end(kBothTransforms)));
  const ConvProblem problem({.ci = 1, .hi = 5, .wi = 2, .co = 1, .hf = 2, .wf = 1});
  const Request request = request_of(problem, DType::f32, options);
  Tensors t(request);
  fill(t.x.view(), [](auto, auto, auto h, auto w) { return 2 * h + w; });
  fill(t.w.view(), [](auto, auto, auto u, auto) { return 1 + u; });
  run_poisoned(request, t);
  CHECK(rounded(values(t.y), 1e-3) == std::vector<double>{4, 7, 10, 13, 16, 19, 22, 25});
}

TEST_CASE("fft.ref: the last pixel doesn't wrap around to the first outputs") {
  if (!can_run()) return;
  const std::string options = GENERATE_COPY(from_range(std::begin(kBothTransforms), std::end(kBothTransforms)));
  ConvSpec spec{.ci = 1, .hi = 8, .wi = 8, .co = 1, .hf = 3, .wf = 3};
  spec.pad_top = spec.pad_bottom = spec.pad_left = spec.pad_right = 1;
  const Request request = request_of(ConvProblem(spec), DType::f32, options);
  Tensors t(request);
  fill(t.x.view(), [](auto, auto, auto h, auto w) { return h == 7 && w == 7; });
  fill(t.w.view(), [](auto, auto, auto u, auto v) { return 1 + 3 * u + v; });
  run_poisoned(request, t);
  std::vector<double> right(64, 0.0);
  right[6 * 8 + 6] = 9, right[6 * 8 + 7] = 8, right[7 * 8 + 6] = 6, right[7 * 8 + 7] = 5;
  CHECK(rounded(values(t.y), 1e-5) == right);
}

TEST_CASE("fft.ref on ragged sizes") {
  if (!can_run()) return;
  const std::string options = GENERATE_COPY(from_range(std::begin(kBothTransforms), std::end(kBothTransforms)));
  const DType dtype = GENERATE(DType::f32, DType::f16);
  const ConvProblem problem({.n = 2, .ci = 3, .hi = 7, .wi = 9, .co = 2, .hf = 3, .wf = 3});
  const Request request = request_of(problem, dtype, options);
  Tensors t(request);
  fill_with_integers(t);
  run_poisoned(request, t);
  const std::vector<double> y = rounded(values(t.y), dtype == DType::f32 ? 1e-3 : 0.25);
  double sum = 0, weighted = 0;
  for (std::size_t k = 0; k < y.size(); ++k) sum += y[k], weighted += y[k] * static_cast<double>(k % 97 + 1);
  CHECK(sum == 137);
  CHECK(weighted == -5316);
  CHECK(y.front() == 25);
  CHECK(y.back() == -39);
}

TEST_CASE("fft.ref agrees with the direct sum in every type, layout and option") {
  if (!can_run()) return;
  Dice dice{GENERATE(21u, 22u)};
  for (int k = 0; k < 200; ++k) {
    const std::string options = dice.pick(option_texts());
    Request request = request_of(random_problem(dice), dice.pick(kDTypes), options);
    request.layouts = {dice.pick(kLayouts), dice.pick(kFilterLayouts), dice.pick(kLayouts)};
    if (!fft_ref().supports(request)) continue;
    const auto plan = fft_ref().plan(request);
    Tensors t(request);
    t.fill_uniform(static_cast<std::uint64_t>(k));
    run_poisoned(*plan, t);
    CAPTURE(k, options, name(request.dtype));
    CHECK(error_ratio(*plan, t) <= 1);
  }
}

TEST_CASE("fft.ref reads and writes views of any strides") {
  if (!can_run()) return;
  Dice dice{31};
  for (int k = 0; k < 30; ++k) {
    const Request request = request_of(random_problem(dice), dice.pick(kDTypes));
    const auto plan = fft_ref().plan(request);
    Tensors t(request);
    t.fill_uniform(static_cast<std::uint64_t>(k));
    run_poisoned(*plan, t);

    const Odd x(std::as_const(t.x).view()), w(std::as_const(t.w).view()), y(std::as_const(t.y).view());
    fill(y.view, [](auto...) { return NAN; });
    Arguments arguments = t.arguments();
    arguments.x = x.view, arguments.w = w.view, arguments.y = y.view;
    const HostBuffer memory(plan->workspace_bytes());
    plan->run(arguments, {memory.data(), static_cast<std::size_t>(memory.bytes())});
    CHECK(values(converted(y.view, request.dtype, Layout::NCHW)) == values(t.y));
  }
}

TEST_CASE("fft.ref gives the same bits with any number of threads, and twice in a row") {
  if (!can_run()) return;
  Dice dice{41};
  for (int k = 0; k < 20; ++k) {
    Request request = request_of(random_problem(dice), DType::f32, dice.pick(kBothTransforms));
    if (!fft_ref().supports(request)) continue;
    Tensors t(request);
    t.fill_uniform(static_cast<std::uint64_t>(k));
    run_poisoned(request, t);
    const std::vector<double> two_threads = values(t.y);
    for (int threads : {1, 3, 7, 7}) {
      request.threads = threads;
      run_poisoned(request, t);
      CHECK(values(t.y) == two_threads);
    }
  }
}

TEST_CASE("one plan of fft.ref serves two threads with different filters") {
  if (!can_run()) return;
  Request request = request_of(ConvProblem({.ci = 1, .hi = 32, .wi = 32, .co = 1, .hf = 3, .wf = 3}));
  request.threads = 1;
  const auto plan = fft_ref().plan(request);
  const auto convolve = [&](double weight, double& worst) {
    Tensors t(request);
    fill(t.x.view(), [](auto...) { return 1; });
    fill(t.w.view(), [=](auto...) { return weight; });
    for (int k = 0; k < 200; ++k) {
      run_poisoned(*plan, t);
      for (double value : values(t.y))
        if (!(std::fabs(value - 9 * weight) <= worst)) worst = std::fabs(value - 9 * weight);
    }
  };
  double worst_a = 0, worst_b = 0;
  std::thread a([&] { convolve(1, worst_a); }), b([&] { convolve(2, worst_b); });
  a.join(), b.join();
  CHECK(worst_a <= 1e-4);
  CHECK(worst_b <= 1e-4);
}

TEST_CASE("fft.ref takes an empty batch and leaves nothing to do") {
  if (!can_run()) return;
  const Request request = request_of(ConvProblem({.n = 0, .ci = 3, .hi = 5, .wi = 7, .co = 4, .hf = 3, .wf = 3}));
  Tensors t(request);
  run_poisoned(request, t);
  CHECK(values(t.y).empty());
}

TEST_CASE("the bytes and FLOPs of fft.ref, by hand") {
  // Whole: 13 × 18 are read, so P = 15 × 18 and 15 × 10 bins. Tiled, P = 8: 3 × 6 of the 6 × 16 outputs, 2 × 3 tiles.
  const ConvSpec spec{.n = 2, .ci = 4, .hi = 14, .wi = 18, .co = 6, .hf = 3, .wf = 3, .stride_h = 2, .groups = 2};
  const ConvProblem problem(spec);
  REQUIRE(problem.ho() == 6);
  REQUIRE(problem.wo() == 16);
  for (const auto& [options, tiles, p_h, p_w] : {std::tuple{"", 1, 15, 18}, {"transform=tiled,tile=8", 2 * 3, 8, 8}}) {
    const Decisions d = fft_ref().decide(request_of(problem, DType::f16, options));
    const std::int64_t bins = p_h * (p_w / 2 + 1);
    CAPTURE(options);
    CHECK(d.stages[0].bytes() == 2 * 4 * tiles * bins * 8);
    CHECK(d.stages[1].bytes() == 6 * 2 * bins * 8);
    CHECK(d.stages[2].bytes() == 2 * 6 * tiles * bins * 8);
    const std::int64_t tile = (bins + std::max(p_h, p_w / 2 + 1)) * 8;
    REQUIRE(d.scratch.size() == 1);
    CHECK(d.scratch[0].bytes == 2 * ((tile + 63) / 64 * 64));  // two threads

    const std::int64_t transform = std::llround(2.5 * p_h * p_w * std::log2(p_h * p_w));
    CHECK(d.executed_flops == (2 * 4 * tiles + 6 * 2 + 2 * 6 * tiles) * transform + 8 * 2 * 6 * 2 * tiles * bins);
  }
  CHECK(fft_ref().decide(request_of(problem, DType::f64)).stages[0].bytes() == 2 * 4 * 150 * 16);
}

TEST_CASE("a stride saves fft.ref no work: the same transforms, fewer outputs kept") {
  const auto plan_flops = [](std::int64_t stride) {
    ConvSpec spec{.ci = 2, .hi = 32, .wi = 32, .co = 2, .hf = 2, .wf = 2};
    spec.stride_h = spec.stride_w = stride;
    return fft_ref().decide(request_of(ConvProblem(spec))).executed_flops;
  };
  CHECK(plan_flops(2) == plan_flops(1));
}

TEST_CASE("a filter longer than the tile is refused in words, with the nearest tile that would do") {
  const Rule& rule = fft_ref().rules.front();
  ConvSpec spec{.ci = 1, .hi = 40, .wi = 40, .co = 1, .hf = 3, .wf = 3};
  spec.dilation_h = 4, spec.dilation_w = 8;
  const ConvProblem problem(spec);
  const auto refusal = rule.refuse(request_of(problem, DType::f32, "transform=tiled,tile=16"));
  REQUIRE(refusal);
  CHECK(refusal->reason == "fft: tile 16, must be ≥ the dilated filter's extent 9x17");
  CHECK(refusal->nearest->options["tile"] == "32");
  CHECK_FALSE(rule.refuse(*refusal->nearest));
  CHECK_FALSE(rule.refuse(request_of(problem, DType::f32, "tile=16")));  // the whole image has no tile

  const ConvProblem wide({.ci = 1, .hi = 3, .wi = 400, .co = 1, .hf = 1, .wf = 3, .dilation_w = 100});
  const auto no_tile = rule.refuse(request_of(wide, DType::f32, "transform=tiled"));
  REQUIRE(no_tile);
  CHECK(no_tile->nearest->options["transform"] == "whole");
  CHECK_THROWS_AS(OptionSet::parse("tile=7", fft_ref().options), BadInput);
}

TEST_CASE("fft.ref: sizes beyond 64 bits are refused, not wrapped") {
  // A legal layer of 2 × 2 outputs, whose filter has 2⁵⁰ slices: their spectra of 64 × 33 bins take 2⁶⁵ bytes.
  ConvSpec spec{.ci = 1 << 25, .hi = 64, .wi = 64, .co = 1 << 25, .hf = 1, .wf = 1};
  spec.stride_h = spec.stride_w = 63;
  const Request request = request_of(ConvProblem(spec), DType::f64);
  CHECK_THROWS_AS(fft_ref().decide(request), Unsupported);
}
