// The value of any cell, asked through the maps, against what plans leave in their buffers when they run, and against
// the definition.
#include "viewer/logic/values.h"

#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "algorithms/fft/transform.h"
#include "kernels/fft/fft_spectra.h"
#include "tests/catch.h"
#include "tests/support/draw.h"
#include "tests/support/plan_run.h"
#include "tests/viewer/states.h"
#include "viewer/logic/links.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

std::vector<double> all_values(const Shape& shape, const Element& element) {
  std::vector<double> values;
  testing::for_each(Box{{}, testing::extents(shape)},
                    [&](const Coord& at) { values.push_back(element(at[0], at[1], at[2], at[3])); });
  return values;
}

testing::Reference reference_of(const ConvProblem& p, const Sources& sources) {
  std::vector<double> bias;
  for (std::int64_t o = 0; o < p.co() && p.bias(); ++o) bias.push_back(sources.bias(o));
  return {p, DType::f64, all_values(p.x_shape(), sources.x), all_values(p.w_shape(), sources.w), bias};
}

// Runs the plan and hands over its workspace as it is left behind.
testing::GuardedWorkspace workspace_after(const Plan& plan, const testing::Reference& reference) {
  const testing::Arrangements at = testing::Arrangements::of(plan.request());
  const testing::RunInputs inputs(reference, at.x, at.w);
  testing::GuardedTensor y(DType::f64, plan.problem().y_shape(), at.y);
  testing::GuardedWorkspace workspace(plan.workspace_bytes());
  plan.run({inputs.x(), inputs.w(), inputs.bias(), y.view()}, workspace.span());
  return workspace;
}

// Whether the whole of the stage is in the workspace after a run.
bool left_behind(const Stage& stage) { return stage.stored && stage.passes() == 1 && stage.copies == 1; }

std::complex<double> cell_in_memory(const Plan& plan, const Stage& stage, std::span<const std::byte> memory,
                                    const Coord& cell) {
  const auto buffer = std::ranges::find(plan.workspace(), stage.id, &Buffer::name);
  const auto* numbers = reinterpret_cast<const double*>(memory.data() + buffer->offset);
  const std::int64_t offset = stage.offset(cell);
  return stage.complex ? std::complex(numbers[2 * offset], numbers[2 * offset + 1]) : std::complex(numbers[offset]);
}

}  // namespace

TEST_CASE("the value of every cell of every stage is what a run of the plan leaves in its buffer") {
  std::map<std::string, int> compared;
  for (std::uint64_t k = 0; k < 14; ++k) {
    ConvSpec spec = testing::random_problem(51, k, 9, 4000).spec();
    if (k % 2 == 0) spec.stride_h = spec.stride_w = spec.dilation_h = spec.dilation_w = 1, spec.hf = spec.wf = 3;
    if (!broken_rules(spec).empty() || spec.n == 0) continue;
    for (const char* family : {"im2col", "im2win", "winograd", "fft"})
      for (const testing::Variant& variant : testing::variants()) {
        if (variant.row->family != family || !variant.row->id.ends_with(".ref")) continue;
        State state = testing::state_of(spec, {variant.name()});
        state.dtype = DType::f64;
        const auto model = std::make_shared<const Model>(state);
        const ChosenRow& row = model->rows().front();
        if (!row.plan) continue;
        const Sources sources = random_sources(*model->problem(), 52 + k);
        const Values values(model, sources);
        const testing::GuardedWorkspace memory = workspace_after(*row.plan, reference_of(*model->problem(), sources));
        for (const Exhibit& exhibit : model->exhibits()) {
          if (exhibit.role != Role::stage || !left_behind(model->stage(exhibit))) continue;
          INFO(exhibit.id << " of problem " << k);
          const Stage& stage = model->stage(exhibit);
          double furthest = 0;
          testing::for_each(testing::whole(exhibit), [&](const Coord& cell) {
            if (stage.map->source(cell).kind == SourceKind::alignment_padding) return;
            const auto told = values.at(exhibit, cell), stored = cell_in_memory(*row.plan, stage, memory.span(), cell);
            const double away = std::abs(told - stored);
            furthest = std::isfinite(away) ? std::max(furthest, away) : 1e300;
          });
          CHECK(furthest < 1e-9);
          ++compared[family];
        }
      }
  }
  for (const char* family : {"im2col", "im2win", "winograd"}) {
    INFO(family);
    CHECK(compared[family] >= 5);
  }
  if (!testing::rows_here().empty() &&
      std::ranges::any_of(testing::rows_here(), [](const Algorithm* row) { return row->id == "fft.ref"; }))
    CHECK(compared["fft"] >= 5);
}

TEST_CASE("spectra that keep half of their bins in an order of their own are told in it") {
  if (!fft::available()) {
    WARN("SKIP: built without KissFFT");
    return;
  }
  std::map<std::string, int> tried;
  const auto turn = [](std::int64_t of, std::int64_t points) {
    return std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(of % points) / static_cast<double>(points));
  };
  for (std::uint64_t k = 0; k < 12; ++k)
    for (const char* run : {"fft.cc", "fft.cc:stride=dense", "fft.cc:transform=cufft", "fft.cc:transform=whole"}) {
      const ConvProblem p = testing::random_problem(57, k, 8, 4000);
      const auto model = std::make_shared<const Model>(testing::state_of(p.spec(), {run}));
      if (p.n() == 0 || p.bias() || model->rows().empty() || !model->rows().front().plan) continue;
      INFO(run << " on problem " << k);
      const gpu::Spectra spectra = gpu::spectra_of(model->rows().front().plan->request());
      const std::int64_t height = spectra.rows.points, width = spectra.columns.points;
      const Values values(model, random_sources(p, k));
      const Exhibit& y_hat = *model->find(model->rows().front().run + "/product_spectra");
      const Coord y = testing::some_cell(*model->find("y"), 58, k);
      const std::int64_t tile_h = y[2] / spectra.rows.per_tile(), tile_w = y[3] / spectra.columns.per_tile();
      const std::int64_t q = (y[2] - tile_h * spectra.rows.per_tile()) * spectra.rows.keep();
      const std::int64_t r = (y[3] - tile_w * spectra.columns.per_tile()) * spectra.columns.keep();
      // The inverse transform at one point: each bin, and the mirror image that was not kept, once.
      std::set<std::pair<std::int64_t, std::int64_t>> summed;
      std::complex<double> sum = 0;
      for (std::int64_t b = 0; b < spectra.bins; ++b) {
        const auto [row, column] = spectra.bin(b);
        const std::complex<double> value = values.at(y_hat, {y[0], y[1], tile_h, tile_w, b});
        for (const bool mirrored : {false, true}) {
          const std::int64_t at_k = mirrored ? (height - row) % height : row;
          const std::int64_t at_l = mirrored ? (width - column) % width : column;
          if (!summed.emplace(at_k, at_l).second) continue;
          sum += (mirrored ? std::conj(value) : value) * turn(at_k * q, height) * turn(at_l * r, width);
        }
      }
      CHECK(static_cast<std::int64_t>(summed.size()) == height * width);
      sum /= static_cast<double>(height * width);
      CHECK(sum.real() == Approx(values.at(*model->find("y"), y).real()).margin(1e-5));  // of numbers stored in f32
      CHECK(sum.imag() == Approx(0).margin(1e-5));
      ++tried[run];
    }
  CHECK(tried.size() == 4);
}

TEST_CASE("the value of every output is that of the definition, bias and groups included") {
  for (std::uint64_t k = 0; k < 60; ++k) {
    const ConvProblem p = testing::random_problem(53, k, 8, 5000);
    State state = testing::state_of(p.spec(), {});
    state.dtype = DType::f64;
    const auto model = std::make_shared<const Model>(state);
    const Sources sources = random_sources(p, k);
    const Values values(model, sources);
    const testing::Reference reference = reference_of(p, sources);
    std::size_t flat = 0;
    testing::for_each(testing::whole(*model->find("y")), [&](const Coord& at) {
      REQUIRE(values.at(*model->find("y"), at).real() == Approx(reference.y[flat++]).margin(1e-12));
    });
    CHECK(flat == reference.y.size());
  }
}

TEST_CASE("the terms that light up, times their coefficients, add up to the cell's value") {
  std::uint64_t number = 0;
  for (std::uint64_t k = 0; k < 12; ++k) {
    ConvSpec spec = testing::random_problem(54, k, 9, 4000).spec();
    if (k % 2 == 0) spec.stride_h = spec.stride_w = spec.dilation_h = spec.dilation_w = 1, spec.hf = spec.wf = 3;
    if (!broken_rules(spec).empty()) continue;
    const auto model = std::make_shared<const Model>(testing::state_of(spec, testing::all_runs()));
    const Sources sources = stored_sources(random_sources(*model->problem(), k), model->dtype());
    const Values values(model, sources);
    for (const Exhibit& exhibit : model->exhibits()) {
      if (exhibit.role != Role::stage || exhibit.cells() == 0) continue;
      const Coord cell = testing::some_cell(exhibit, 55, ++number);
      const Links links = links_of(*model, {exhibit.id, cell});
      if (links.kind == SourceKind::region) continue;
      INFO(exhibit.id << testing::text(cell));
      double sum = 0;
      for (const LinkedTerm& term : links.terms) {
        const Coord& at = term.at.first;
        sum += term.coefficient.value() * (term.from == kInput ? sources.x : sources.w)(at[0], at[1], at[2], at[3]);
      }
      CHECK(values.at(exhibit, cell).real() == Approx(sum).margin(1e-5));  // stored in f32, step by step
    }
  }
}

TEST_CASE("images that are constant, or not numbers at all, have a colour scale") {
  const ConvSpec spec = testing::padded(1, {.n = 1, .ci = 2, .hi = 8, .wi = 8, .co = 2, .hf = 3, .wf = 3});
  const auto model = std::make_shared<const Model>(testing::state_of(spec, testing::all_runs()));
  const auto everywhere = [](double value) { return [value](auto, auto, auto, auto) { return value; }; };
  for (const double value : {0.0, 1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e300, 1e-300}) {
    const Values values(model, {everywhere(value), everywhere(1), [](std::int64_t) { return 0.0; }});
    for (const Exhibit& exhibit : model->exhibits()) {
      INFO(exhibit.id << " of " << value);
      const double largest = values.largest(exhibit, {});
      CHECK(std::isfinite(largest));
      CHECK(largest > 0);
      values.at(exhibit, testing::some_cell(exhibit, 56, 1));
    }
  }
}

TEST_CASE("a picture is stretched over the image, its colours repeated over the channels") {
  const ConvProblem p({.n = 2, .ci = 5, .hi = 2, .wi = 2});
  const Photograph photo{2, 2, 3, {0.0f, 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f, 1.0f, 0.95f}};
  const Sources sources = picture_sources(p, photo);
  CHECK(sources.x(0, 0, 0, 0) == Approx(0.0).margin(1e-6));
  CHECK(sources.x(1, 1, 0, 1) == Approx(0.4));
  CHECK(sources.x(0, 3, 1, 0) == Approx(0.6));  // channel 3 is red again
  CHECK(sources.x(0, 4, 1, 1) == Approx(1.0));
  const ConvProblem one({.hi = 1, .wi = 1});
  CHECK(std::isfinite(picture_sources(one, Photograph{1, 1, 1, {0.5f}}).x(0, 0, 0, 0)));
}

TEST_CASE(
    "each cell of a stretched picture is the mean of what it covers, and an image long and narrow is made at once") {
  testing::Draw draw{71};
  Photograph photo{60, 80, 3, {}};
  for (int k = 0; k < 60 * 80 * 3; ++k) photo.samples.push_back(static_cast<float>(draw(0, 1000)) / 1000.0f);
  const auto sample = [&](std::int64_t row, std::int64_t column, std::int64_t channel) {
    return static_cast<double>(photo.samples[static_cast<std::size_t>((row * 80 + column) * 3 + channel)]);
  };
  const Sources small = picture_sources(ConvProblem({.ci = 3, .hi = 20, .wi = 5}), photo);  // cells of 3 × 16 samples
  double sum = 0;
  for (std::int64_t row = 0; row < 3; ++row)
    for (std::int64_t column = 0; column < 16; ++column) sum += sample(3 * 7 + row, 16 * 2 + column, 1);
  CHECK(small.x(0, 1, 7, 2) == Approx(sum / 48).epsilon(1e-12));
  const Sources same = picture_sources(ConvProblem({.ci = 3, .hi = 60, .wi = 80}), photo);
  CHECK(same.x(0, 2, 59, 33) == sample(59, 33, 2));
  for (const auto& [height, width] : {std::pair{1, 4000000}, std::pair{4000000, 1}}) {
    const std::clock_t begin = std::clock();
    const Sources narrow = picture_sources(ConvProblem({.ci = 3, .hi = height, .wi = width}), photo);
    double all = 0;
    for (std::int64_t at = 0; at < 100000; ++at)
      all += narrow.x(0, 0, height > 1 ? 30 * at : 0, width > 1 ? 30 * at : 0);
    CHECK(all > 0);
    CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 0.5);
    double mean = 0;  // of the last row, or column
    for (std::int64_t k = 0; k < (height > 1 ? 80 : 60); ++k) mean += height > 1 ? sample(59, k, 0) : sample(k, 79, 0);
    CHECK(narrow.x(0, 0, height - 1, width - 1) == Approx(mean / (height > 1 ? 80 : 60)).epsilon(1e-12));
  }
}

TEST_CASE("magnitudes of rounding alone are told from those of the data") {
  const ConvSpec spec{.n = 1, .ci = 3, .hi = 13, .wi = 11, .co = 2, .hf = 3, .wf = 3};
  for (const std::string run : {"fft.ref", "fft.cc"}) {
    const auto model = std::make_shared<const Model>(testing::state_of(spec, {run}));
    const Values random(model, random_sources(*model->problem(), 5));
    Sources flat = random_sources(*model->problem(), 5);
    flat.x = [](std::int64_t, std::int64_t c, std::int64_t, std::int64_t) { return 0.1 * static_cast<double>(c + 1); };
    flat.w = [](std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return 1 / 3.; };
    const Values constant(model, flat);
    int spectra = 0;
    for (const Exhibit& exhibit : model->exhibits()) {
      if (!exhibit.complex) {
        CHECK(random.roundoff(exhibit, {}) == 0);
        continue;
      }
      ++spectra;
      INFO(exhibit.id);
      double below_largest = 0;
      testing::for_each(testing::whole(exhibit), [&](const Coord& at) {
        CHECK(std::abs(random.at(exhibit, at)) > random.roundoff(exhibit, at));
        const double magnitude = std::abs(constant.at(exhibit, at)), roundoff = constant.roundoff(exhibit, at);
        // That of the transform, and that of the type in which the factors of a product are stored.
        CHECK(roundoff <
              1e-12 * std::abs(constant.at(exhibit, {})) + 1e-12 + 8 * unit_roundoff(DType::f32) * magnitude);
        // Of constants, a bin is either data or zero but for rounding; nothing lies between.
        if (magnitude > roundoff) below_largest = std::max(below_largest, roundoff / magnitude);
      });
      CHECK(below_largest < 1e-6);
      CHECK(std::abs(constant.at(exhibit, {})) > constant.roundoff(exhibit, {}));
    }
    CHECK(spectra >= 3);
  }
}
