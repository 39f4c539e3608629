// fft.cc on a GPU: its spectra against their definition, and its outputs against the direct sum.
#include <complex>
#include <numbers>
#include <utility>

#include "kernels/fft/fft.h"
#include "kernels/fft/fft_spectra.h"
#include "tests/kernels/fft_run_on_gpu.h"

using namespace fft_test;
using namespace convlens::gpu;
using namespace convlens::testing;

namespace {

Request gpu_request(const ConvProblem& problem, const std::string& options, Layout layout) {
  Request request{.problem = problem};
  request.layouts = {layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout};
  request.options = OptionSet::parse(options, fft_cc().options);
  request.place = kGpu;
  return complete(fft_cc(), request);
}

// (k, l) of every kept bin, in order: kernels/fft/fft_layer.cuh.
std::vector<std::pair<int, int>> bins_of(const Spectra& s, bool by_library) {
  const int h = s.rows.points, w = s.columns.points;
  std::vector<std::pair<int, int>> bins;
  const auto row = [&](int k, int columns) {
    for (int l = 0; l < columns; ++l) bins.emplace_back(k, l);
  };
  if (by_library) {
    for (int k = 0; k < h; ++k) row(k, w / 2 + 1);
  } else {
    row(0, w / 2 + 1), row(h / 2, w / 2 + 1);
    for (int k = 1; k < h / 2; ++k) row(k, w);
  }
  return bins;
}

std::complex<double> root(const Spectra& s, std::pair<int, int> bin, int q, int r) {
  const double turns = double(bin.first * q) / s.rows.points + double(bin.second * r) / s.columns.points;
  return std::polar(1.0, -2 * std::numbers::pi * turns);
}

}  // namespace

TEST_CASE("fft.cc on a GPU: spectra are the transforms of what their maps name", "[gpu]") {
  if (no_gpu()) return;
  const std::string options = GENERATE("tile=16", "tile=14,stride=dense", "transform=cufft,tile=20", "transform=whole");
  const Layout layout = GENERATE(Layout::NCHW, Layout::NHWC, Layout::CHWN);
  Dice dice{31};
  for (int problem = 0; problem < 10; ++problem) {
    const ConvProblem p = random_problem(dice);
    const Request request = gpu_request(p, options, layout);
    if (!fft_cc().supports(request)) continue;  // a long dilated filter in a short tile
    const auto plan = fft_cc().plan(request);
    Tensors t(request);
    t.fill_uniform(40 + static_cast<std::uint64_t>(problem));
    std::vector<std::byte> memory = run_on_gpu(*plan, t);
    const Workspace workspace(memory, plan->workspace());
    const Spectra s = spectra_of(request);
    const auto bins = bins_of(s, !request.options.is("transform", "own"));
    REQUIRE(static_cast<std::int64_t>(bins.size()) == s.bins);
    CAPTURE(problem, options);
    for (int sample = 0; sample < 20; ++sample) {
      const Stage& input = plan->stages()[0];
      Coord cell{};
      for (std::size_t axis = 0; axis < 6; ++axis) cell[axis] = dice(0, input.axes[axis].extent - 1);
      const auto [n, c, f, i, j, b] = cell;
      const int phase_h = static_cast<int>(f) / s.columns.phases(), phase_w = static_cast<int>(f) % s.columns.phases();
      std::complex<double> sum = 0;
      for (int q = 0; q < s.rows.points; ++q)
        for (int r = 0; r < s.columns.points; ++r) {
          const std::int64_t h = s.rows.input(static_cast<int>(i), phase_h, q);
          const std::int64_t v = s.columns.input(static_cast<int>(j), phase_w, r);
          const std::vector<Term> terms = input.map->source(cell).terms;
          const bool held = std::ranges::any_of(terms, [&](const Term& term) {
            return term.at.contains({n, c, h, v});
          });
          if (held) sum += element(t.x.view(), n, c, h, v) * root(s, bins[static_cast<std::size_t>(b)], q, r);
        }
      const auto got = workspace.get<std::complex<float>>("input_spectra")[input.offset(cell)];
      REQUIRE(std::abs(std::complex<double>(got) - sum) < 1e-4);

      const std::int64_t o = dice(0, p.co() - 1), wc = dice(0, p.ci_per_group() - 1);
      std::complex<double> filter = 0;
      for (int q = 0; q < s.rows.points; ++q)
        for (int r = 0; r < s.columns.points; ++r)
          if (const int u = s.rows.tap(phase_h, q), v = s.columns.tap(phase_w, r); u >= 0 && v >= 0)
            filter += element(t.w.view(), o, wc, u, v) * root(s, bins[static_cast<std::size_t>(b)], q, r);
      const auto got_filter =
          workspace.get<std::complex<float>>("filter_spectra")[plan->stages()[1].offset({o, wc, f, b})];
      REQUIRE(std::abs(std::complex<double>(got_filter) - filter) < 1e-4);
    }
  }
}

TEST_CASE("fft.cc on a GPU keeps its error bounds, on random problems", "[gpu]") {
  if (no_gpu()) return;
  // Each choice of options and layout is compiled anew, and without sizes=runtime each problem.
  const auto [options, layout] = GENERATE(table<std::string, Layout>({
      {"", Layout::NCHW},
      {"sizes=runtime", Layout::NCHW},
      {"sizes=runtime", Layout::NHWC},
      {"sizes=runtime", Layout::CHWN},
      {"tile=8,sizes=runtime", Layout::NHWC},
      {"tile=12,chunk=1,sizes=runtime", Layout::CHWN},
      {"tile=32,stride=dense,chunk=2,sizes=runtime", Layout::NCHW},
      {"gemm=cublas,sizes=runtime", Layout::NHWC},
      {"multiplications=3,sizes=runtime", Layout::CHWN},
      {"transform=cufft,sizes=runtime", Layout::NCHW},
      {"transform=whole,chunk=1,sizes=runtime", Layout::NHWC},
  }));
  Dice dice{32};
  const int problems = options.empty() ? 5 : 15;
  for (int problem = 0; problem < problems; ++problem) {
    const Request request = gpu_request(random_problem(dice), options, layout);
    if (!fft_cc().supports(request)) continue;
    const auto plan = fft_cc().plan(request);
    Tensors t(request);
    t.fill_uniform(60 + static_cast<std::uint64_t>(problem));
    run_on_gpu(*plan, t);
    CAPTURE(problem, options);
    CHECK(error_ratio(*plan, t) < 1);
  }
}
