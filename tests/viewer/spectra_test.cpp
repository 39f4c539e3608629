// Magnitude and phase of every spectrum of every FFT row, against the discrete Fourier transform of what the definition
// of tiles and phases (kernels/fft/fft_axis.cuh) puts into one: written down here once more, bin by bin.
#include "viewer/logic/spectra.h"

#include <map>
#include <numbers>

#include "kernels/fft/fft_spectra.h"
#include "tests/catch.h"
#include "tests/viewer/states.h"
#include "viewer/logic/default_sheet.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;
using Complex = std::complex<double>;

// One axis: position q of phase a in tile t is input element t·per_tile·stride + q·step + a − pad, and tap (q·step +
// a)/dilation of the filter.
struct Side {
  std::int64_t size, outputs, taps, stride, dilation, pad, points, step;

  std::int64_t filter_span() const { return (taps - 1) * dilation + 1; }
  std::int64_t phases() const { return std::min(step, filter_span()); }
  std::int64_t per_tile() const {
    const std::int64_t extent = (filter_span() - 1) / step + 1, keep = stride / step;
    return std::min(outputs, (points - extent) / keep + 1);
  }
  // The input element there, where it is one that an output of the tile reads; −1 where not.
  std::int64_t element(std::int64_t tile, std::int64_t a, std::int64_t q) const {
    const std::int64_t at = tile * per_tile() * stride + q * step + a - pad;
    if (at < 0 || at >= size) return -1;
    for (std::int64_t k = tile * per_tile(); k < std::min(outputs, (tile + 1) * per_tile()); ++k)
      for (std::int64_t tap = 0; tap < taps; ++tap)
        if (k * stride + tap * dilation - pad == at) return at;
    return -1;
  }
  std::int64_t tap(std::int64_t a, std::int64_t q) const {
    const std::int64_t at = q * step + a;
    return at % dilation == 0 && at / dilation < taps ? at / dilation : -1;
  }
};

struct Definition {
  const ConvProblem& p;
  const Sources& sources;
  Side rows, columns;
  std::vector<std::pair<std::int64_t, std::int64_t>> bins;  // kept, in order; of rows with the axes k and l none

  Definition(const Plan& plan, const Sources& s) : p(plan.problem()), sources(s) {
    const std::vector<Axis>& axes = plan.stages()[0].axes;
    const ConvSpec& spec = p.spec();
    const bool by_k_and_l = axes.back().name == "l";
    std::int64_t height = axes[4].extent, width = 2 * (axes.back().extent - 1);
    if (!by_k_and_l) {
      const gpu::Spectra spectra = gpu::spectra_of(plan.request());
      height = spectra.rows.points, width = spectra.columns.points;
    }
    const bool phases = !by_k_and_l && plan.request().options.is("stride", "phases");
    rows = {p.hi(), p.ho(), p.hf(), spec.stride_h, spec.dilation_h, spec.pad_top, height, phases ? spec.stride_h : 1};
    columns = {p.wi(),          p.wo(),        p.wf(), spec.stride_w,
               spec.dilation_w, spec.pad_left, width,  phases ? spec.stride_w : 1};
    if (by_k_and_l) return;
    const auto row = [&](std::int64_t k, std::int64_t count) {
      for (std::int64_t l = 0; l < count; ++l) bins.emplace_back(k, l);
    };
    if (gpu::own_transforms(plan.request())) {
      row(0, width / 2 + 1), row(height / 2, width / 2 + 1);
      for (std::int64_t k = 1; k < height / 2; ++k) row(k, width);
    } else {
      for (std::int64_t k = 0; k < height; ++k) row(k, width / 2 + 1);
    }
  }

  Complex root(std::int64_t k, std::int64_t l, std::int64_t q, std::int64_t r) const {
    const double turns = static_cast<double>(k * q % rows.points) / static_cast<double>(rows.points) +
                         static_cast<double>(l * r % columns.points) / static_cast<double>(columns.points);
    return std::polar(1.0, -2 * std::numbers::pi * turns);
  }

  // Σ value(q, r) · root, of those positions that `value` has.
  template <class Value>
  Complex transform(std::int64_t k, std::int64_t l, const Value& value) const {
    Complex sum = 0;
    for (std::int64_t q = 0; q < rows.points; ++q)
      for (std::int64_t r = 0; r < columns.points; ++r)
        if (const std::optional<double> there = value(q, r)) sum += *there * root(k, l, q, r);
    return sum;
  }
  Complex x(std::int64_t n, std::int64_t c, std::int64_t f, std::int64_t i, std::int64_t j, std::int64_t k,
            std::int64_t l) const {
    return transform(k, l, [&](std::int64_t q, std::int64_t r) -> std::optional<double> {
      const std::int64_t h = rows.element(i, f / columns.phases(), q), w = columns.element(j, f % columns.phases(), r);
      if (h < 0 || w < 0) return std::nullopt;
      return sources.x(n, c, h, w);
    });
  }
  Complex w(std::int64_t o, std::int64_t c, std::int64_t f, std::int64_t k, std::int64_t l) const {
    return transform(k, l, [&](std::int64_t q, std::int64_t r) -> std::optional<double> {
      const std::int64_t u = rows.tap(f / columns.phases(), q), v = columns.tap(f % columns.phases(), r);
      if (u < 0 || v < 0) return std::nullopt;
      return sources.w(o, c, u, v);
    });
  }

  // Of a cell by the names of its axes.
  Complex of(const Stage& stage, const Coord& cell) const {
    std::map<std::string, std::int64_t> at;
    for (std::size_t axis = 0; axis < stage.axes.size(); ++axis) at[stage.axes[axis].name] = cell[axis];
    const auto [k, l] = at.contains("b") ? bins[static_cast<std::size_t>(at["b"])] : std::pair(at["k"], at["l"]);
    if (stage.made_from.front() == kInput) return x(at["n"], at["c"], at["f"], at["i"], at["j"], k, l);
    if (stage.made_from.front() == kFilter) return w(at["o"], at["c"], at["f"], k, l);
    const std::int64_t first = p.group_of_output(at["o"]) * p.ci_per_group();
    Complex sum = 0;
    for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
      for (std::int64_t f = 0; f < rows.phases() * columns.phases(); ++f)
        sum += x(at["n"], first + c, f, at["i"], at["j"], k, l) * std::conj(w(at["o"], c, f, k, l));
    return sum;
  }
};

struct FftRun {
  std::string run;
  DType dtype;
};
std::vector<FftRun> fft_runs() {
  std::vector<FftRun> runs;
  for (const char* run : {"fft.ref", "fft.ref:transform=tiled,tile=8", "fft.cpu", "fft.cpu:tile=8", "fft.cc",
                          "fft.cc:stride=dense", "fft.cc:transform=cufft", "fft.cc:transform=whole,gemm=cublas"})
    runs.push_back({run, DType::f32});
  for (const DType dtype : {DType::f16, DType::bf16})
    for (const char* options : {"", ":multiplications=3", ":stride=dense,gemm=own", ":spectra=tf32",
                                ":spectra=tf32,multiplications=3", ":gemm=own,multiplications=3,tile=8"})
      runs.push_back({"fft.tc" + std::string(options), dtype});
  return runs;
}

double angle_between(Complex a, Complex b) { return std::abs(std::arg(a * std::conj(b))); }

}  // namespace

TEST_CASE("every spectrum of every FFT row is drawn by magnitude and phase, which are those of its tile's transform") {
  std::map<std::string, int> compared;
  for (std::uint64_t number = 0; number < 14; ++number)
    for (const auto& [run, dtype] : fft_runs())
      for (const Layout layout : {Layout::NCHW, Layout::NHWC, Layout::CHWN}) {
        ConvSpec spec = testing::random_problem(61, number, 11, 3000).spec();
        if (number % 3 == 0) spec.stride_h = spec.stride_w = 1 + static_cast<int>(number % 2);
        if (!broken_rules(spec).empty() || spec.n == 0) continue;
        State state = testing::state_of(spec, {run});
        state.dtype = dtype;
        state.layouts = {layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout};
        const auto model = std::make_shared<const Model>(state);
        if (!model->rows().front().plan) continue;
        const Plan& plan = *model->rows().front().plan;
        const Sources sources = random_sources(*model->problem(), number);
        const Values values(model, sources);
        const Definition definition(plan, sources);
        for (const char* id : {"/input_spectra", "/filter_spectra", "/product_spectra"}) {
          const Exhibit* exhibit = model->find(model->rows().front().run + id);
          INFO(run << id << " of problem " << number);
          REQUIRE(exhibit != nullptr);
          CHECK(exhibit->complex);
          CHECK(too_much(exhibit->effort) == "");
          const Sheet sheet = default_sheet(*exhibit, {});
          const double cells = static_cast<double>(sheet.rows()) * static_cast<double>(sheet.columns());
          CHECK(grain_of(exhibit->effort, cells, tiles_under(*exhibit, sheet, cells)) == 1);
          const Coord cell = testing::some_cell(*exhibit, 62, 3 * number + static_cast<std::uint64_t>(id[1]));
          const Complex shown = values.at(*exhibit, cell), expected = definition.of(model->stage(*exhibit), cell);
          INFO(testing::text(cell));
          CHECK(std::abs(shown) == Approx(std::abs(expected)).margin(1e-10));
          if (std::abs(expected) > 1e-6) CHECK(angle_between(shown, expected) < 1e-6);
          CHECK(std::abs(shown - expected) <= 4 * values.roundoff(*exhibit, cell) + 1e-12);
          ++compared[run + id];
        }
      }
  CHECK(compared.size() == 3 * 14);
  for (const auto& [run, count] : compared) {
    INFO(run);
    CHECK(count >= 6);
  }
}

TEST_CASE("all entries of one complex number show it, and other rows' spectra of the same length agree with it") {
  const ConvSpec spec =
      testing::padded(1, {.n = 2, .ci = 4, .hi = 9, .wi = 11, .co = 6, .hf = 3, .wf = 2, .groups = 2});
  State state = testing::state_of(spec, {"fft.tc:tile=8,multiplications=3", "fft.tc:tile=8,multiplications=4"});
  state.dtype = DType::f16;
  const auto model = std::make_shared<const Model>(state);
  const Values values(model, random_sources(*model->problem(), 3));
  const std::string three = model->rows()[0].run, four = model->rows()[1].run;
  const auto at = [&](const std::string& id, const Coord& cell) { return values.at(*model->find(id), cell); };
  for (std::int64_t b = 0; b < model->find(three + "/input_spectra")->axes[5].extent; ++b)
    for (std::int64_t e = 0; e < 3; ++e) {
      CHECK(at(three + "/product_spectra", {1, 4, 0, 1, b, e}) == at(four + "/product_spectra", {1, 4, 0, 1, b}));
      CHECK(at(three + "/filter_spectra", {4, 1, 0, b, e}) == at(four + "/filter_spectra", {4, 1, 0, b, e % 2}));
    }
}
