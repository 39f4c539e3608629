// Magnitude and phase of every spectrum of every FFT row, against the definition.
#include "viewer/logic/spectra.h"

#include <map>

#include "algorithms/fft/transform.h"
#include "tests/catch.h"
#include "tests/fft/spectra_definition.h"
#include "tests/viewer/states.h"
#include "viewer/logic/default_sheet.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;
using Complex = std::complex<double>;

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
  if (!fft::available()) {
    WARN("SKIP: built without KissFFT");
    return;
  }
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
        const Sources sources = stored_sources(random_sources(*model->problem(), number), dtype);
        const Values values(model, sources);
        const testing::SpectraDefinition definition(plan, sources.x, sources.w);
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
          CHECK(std::abs(shown) == Approx(std::abs(expected)).margin(1e-5));
          if (std::abs(expected) > 1e-2) CHECK(angle_between(shown, expected) < 1e-4);
          const double stored = 2 * unit_roundoff(DType::f32) * std::abs(expected);
          CHECK(std::abs(shown - expected) <= 4 * values.roundoff(*exhibit, cell) + stored + 1e-12);
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
  if (!fft::available()) {
    WARN("SKIP: built without KissFFT");
    return;
  }
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

TEST_CASE("spectra are scaled by what all tiles hold, not by the first, which may be dark") {
  if (!fft::available()) {
    WARN("SKIP: built without KissFFT");
    return;
  }
  const ConvSpec spec{.n = 1, .ci = 2, .hi = 30, .wi = 30, .co = 2, .hf = 3, .wf = 3};
  State state = testing::state_of(spec, {"fft.ref:transform=tiled,tile=8", "fft.tc:tile=8,multiplications=3"});
  state.dtype = DType::f16;
  const auto model = std::make_shared<const Model>(state);
  Sources sources = random_sources(*model->problem(), 4);
  sources.x = [bright = sources.x](auto n, auto c, auto h, auto w) { return h < 8 || w < 8 ? 0 : bright(n, c, h, w); };
  const Values values(model, sources);
  for (const Exhibit& exhibit : model->exhibits()) {
    if (!exhibit.complex) continue;
    INFO(exhibit.id);
    double most = 0;
    Box shown = testing::whole(exhibit);
    shown.extent[0] = shown.extent[1] = 1;  // of one image and channel
    testing::for_each(shown, [&](const Coord& at) { most = std::max(most, std::abs(values.at(exhibit, at))); });
    CHECK(values.largest(exhibit, {}) <= most * (1 + 1e-12));
    CHECK(values.largest(exhibit, {}) > most / 2);
  }
}

TEST_CASE("spectra of each output channel are scaled by their own, however strong the other filters are") {
  if (!fft::available()) {
    WARN("SKIP: built without KissFFT");
    return;
  }
  const ConvSpec spec{.n = 1, .ci = 3, .hi = 10, .wi = 9, .co = 4, .hf = 3, .wf = 3};
  const auto model =
      std::make_shared<const Model>(testing::state_of(spec, {"fft.ref", "fft.ref:transform=tiled,tile=8", "fft.cc"}));
  Sources sources = random_sources(*model->problem(), 4);
  sources.w = [w = sources.w](auto o, auto c, auto u, auto v) {
    return w(o, c, u, v) * std::pow(1000.0, static_cast<double>(o));
  };
  const Values values(model, sources);
  int scaled = 0;
  for (const Exhibit& exhibit : model->exhibits()) {
    const auto axis = std::ranges::find(exhibit.axes, "o", &Axis::name);
    if (!exhibit.complex || axis == exhibit.axes.end()) continue;
    const auto o = static_cast<std::size_t>(axis - exhibit.axes.begin());
    for (std::int64_t channel = 0; channel < spec.co; ++channel, ++scaled) {
      INFO(exhibit.id << ", channel " << channel);
      Box shown = testing::whole(exhibit);
      shown.first[o] = channel, shown.extent[o] = 1;
      if (o == 0) shown.extent[1] = 1;  // of one input channel
      double most = 0;
      testing::for_each(shown, [&](const Coord& at) { most = std::max(most, std::abs(values.at(exhibit, at))); });
      Coord cell{};
      cell[o] = channel;
      CHECK(values.largest(exhibit, cell) <= most * (1 + 1e-12));
      CHECK(values.largest(exhibit, cell) > most / 2);
    }
  }
  CHECK(scaled == 3 * 2 * 4);
}
