// The Numerics panel's numbers: the piece of a layer that is computed, what is injected, and how far rows are off.
#include "viewer/logic/numerics.h"

#include <cmath>

#include "algorithms/interface/registry.h"
#include "algorithms/measure/device.h"
#include "algorithms/problem/layers.h"
#include "tests/catch.h"
#include "tests/viewer/states.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

// A small padded layer, ragged in all of Winograd's tiles.
const ConvSpec kSmall{
    .n = 1, .ci = 5, .hi = 13, .wi = 11, .co = 3, .hf = 3, .wf = 3, .pad_top = 1, .pad_bottom = 1, .pad_left = 2};

Numerics small(const std::string& run, DType dtype, const NumericsState& settings, Materials& materials) {
  return numerics_of(run, ConvProblem(kSmall), dtype, Layouts{}, 11, settings, materials);
}

double size(double error) { return std::isnan(error) ? std::numeric_limits<double>::infinity() : error; }

}  // namespace

TEST_CASE("the piece of a layer that is computed is small, keeps its filter, and says what was left out") {
  for (const NamedLayer& layer : named_layers()) {
    INFO(layer.name);
    const ConvProblem whole = ConvProblem(layer.spec).with_batch(256);
    const Specimen piece = specimen_of(whole);
    const ConvProblem& p = piece.problem;
    CHECK(specimen_work(p) <= kSpecimenWork);
    CHECK(specimen_work(p) > kSpecimenWork / 64);
    CHECK(piece.refused.empty());
    CHECK(p.n() == 1);
    CHECK((p.hf() == whole.hf() && p.wf() == whole.wf()));
    CHECK((p.spec().stride_h == whole.spec().stride_h && p.spec().pad_top == whole.spec().pad_top));
    CHECK(p.reduction() == whole.reduction());  // so that rounding errors are those of the layer
    CHECK(piece.sentence.find("1 of 256 images") != std::string::npos);
    CHECK((piece.sentence.find("output channels") != std::string::npos) == (p.co() != whole.co()));
  }
  const ConvProblem tiny(kSmall);
  CHECK(specimen_of(tiny).problem.spec() == tiny.spec());
  const ConvProblem huge({.n = 1, .ci = 70000, .hi = 9, .wi = 9, .co = 1, .hf = 9, .wf = 9, .groups = 1});
  CHECK(specimen_work(specimen_of(huge).problem) <= kSpecimenWork);
}

TEST_CASE("however large images and windows are, a piece is small or refused in words, and nothing of it is made") {
  const std::vector<std::pair<ConvSpec, bool>> layers{
      {{.ci = 64, .hi = 16384, .wi = 16384, .co = 64, .hf = 3, .wf = 3, .pad_top = 1}, true},
      {{.ci = 3, .hi = 16384, .wi = 16384, .stride_h = 2, .stride_w = 2}, true},
      {{.ci = 3, .hi = 16384, .wi = 16384, .stride_h = 4000, .stride_w = 4000}, true},
      {{.hi = 1, .wi = 100000, .hf = 1, .wf = 3}, true},
      {{.hi = 1, .wi = 16384, .hf = 1, .wf = 16384, .pad_left = 16383}, true},
      {{.ci = 64, .hi = 224, .wi = 224, .co = 64, .hf = 3, .wf = 3, .groups = 64}, true},
      {{.hi = 16384, .wi = 16384, .hf = 16384, .wf = 16384}, false},
      {{.ci = 4, .hi = 16384, .wi = 16384, .co = 4, .hf = 31, .wf = 31, .dilation_h = 500, .dilation_w = 500}, false},
      {{.hi = 4096, .wi = 4096, .hf = 4096, .wf = 4096, .pad_top = 4095, .pad_left = 4095}, false},
  };
  for (const auto& [spec, computed] : layers) {
    const Specimen piece = specimen_of(ConvProblem(spec));
    INFO(spec.hi << " x " << spec.wi << ", " << spec.hf << " x " << spec.wf << ": " << piece.refused);
    CHECK(piece.refused.empty() == computed);
    CHECK((specimen_work(piece.problem) <= kMostSpecimenWork) == computed);
    CHECK(piece.sentence.empty() == !computed);
  }
}

TEST_CASE("every row on the CPU keeps its promises in every type, and is as far off as its numbers say") {
  Materials materials;
  for (const Algorithm* row : algorithms()) {
    if (row->unit != Unit::cpu || !why_not_here(*row).empty()) continue;
    for (const DType dtype : kDTypes) {
      const Numerics n = small(row->id, dtype, {}, materials);
      INFO(row->id << " " << name(dtype) << " " << n.refused);
      CHECK(n.computed() == n.refused.empty());
      if (!n.computed()) continue;
      REQUIRE(n.verdicts.size() == 3);
      for (const Verdict& verdict : n.verdicts) {
        INFO(verdict.line());
        CHECK(verdict.kept);
      }
      CHECK(n.verdicts[1].made);
      CHECK_FALSE(n.reach);
      const Answer& right = n.material->plain.answer;
      double largest = 0;
      for (std::size_t k = 0; k < n.y.size(); ++k) {
        CHECK(n.right[k] == right.y[k]);
        CHECK(n.error[k] == Approx(std::abs(n.y[k] - right.y[k]) / (unit_roundoff(dtype) * right.sum_abs[k])));
        largest = std::max(largest, n.error[k]);
      }
      CHECK(n.error[n.worst] == largest);
      CHECK(largest <= n.bound);
      const Histogram histogram = histogram_of(n);
      std::int64_t outputs = histogram.zero + histogram.infinite;
      for (const std::int64_t bin : histogram.bins) outputs += bin;
      CHECK(outputs == static_cast<std::int64_t>(n.y.size()));
    }
  }
}

TEST_CASE("a NaN or Inf spoils no more than the row declares, and all that read it") {
  Materials materials;
  for (const std::string injection : {"nan", "inf"})
    for (const char* run :
         {"direct.ref", "im2win.ref", "winograd.ref", "winograd.ref:m=4", "fft.ref", "fft.ref:transform=tiled"}) {
      const Numerics n = small(run, DType::f32, {.injection = injection, .down = 40, .across = 70}, materials);
      INFO(run << " " << injection << " " << n.refused);
      REQUIRE(n.computed());
      REQUIRE(n.reach);
      CHECK(n.reach->readers == 9 * 3);  // the taps of the window, in every output channel
      CHECK(n.reach->seen <= n.declared);
      CHECK_FALSE(n.reach->left_image);
      if (n.declared == Spread::exact) CHECK(n.reach->beyond == 0);
      for (std::size_t k = 0; k < n.y.size(); ++k)
        if (!std::isfinite(n.right[k])) CHECK_FALSE(std::isfinite(n.y[k]));
    }
  // Winograd transforms a tile as a whole: a NaN at its edge takes outputs along that never read it.
  const Numerics tile =
      small("winograd.ref:m=4", DType::f32, {.injection = "nan", .down = 40, .across = 70}, materials);
  CHECK(tile.reach->beyond > 0);
  CHECK(tile.reach->seen == Spread::tile);
  CHECK(tile.tile_h == 4);
}

TEST_CASE("an outlier spoils the precision of what shares a transform with it, and nothing in a direct sum") {
  Materials materials;
  const NumericsState outlier{.injection = "outlier"};
  CHECK(small("direct.ref", DType::f32, outlier, materials).reach->beyond == 0);
  const Numerics fft = small("fft.ref", DType::f32, outlier, materials);
  CHECK(fft.error[fft.worst] > 10 * small("fft.ref", DType::f32, {}, materials).error[fft.worst]);
}

TEST_CASE("an outlier that costs a whole tile its digits is said to spoil the tile, by the one measure of that") {
  Materials materials;
  const NumericsState outlier{.injection = "outlier"};
  for (const char* run : {"winograd.ref:m=6", "winograd.cpu:m=6"}) {
    const Numerics n = small(run, DType::f32, outlier, materials), clean = small(run, DType::f32, {}, materials);
    INFO(run << " " << n.refused);
    if (!why_not_here(*parse_run(run).algorithm).empty()) continue;
    REQUIRE(n.reach);
    CHECK(n.reach->clean == clean.error[clean.worst]);
    CHECK(n.reach->largest > kSpoilt * n.reach->clean);
    CHECK(n.reach->beyond > 0);
    CHECK(n.reach->seen == Spread::tile);
  }
  const Numerics direct = small("direct.ref", DType::f32, outlier, materials);
  CHECK(direct.reach->seen == Spread::exact);
  CHECK(direct.reach->largest <= direct.reach->clean);
}

TEST_CASE("a scale that is a power of two changes nothing until a type runs out of range") {
  Materials materials;
  const Numerics one = small("direct.ref", DType::f32, {}, materials);
  const Numerics large = small("direct.ref", DType::f32, {.exponent = 20}, materials);
  REQUIRE(one.y.size() == large.y.size());
  for (std::size_t k = 0; k < one.y.size(); ++k) CHECK(large.y[k] == std::ldexp(one.y[k], 20));
  CHECK(one.material->overflowed == 0);

  const Numerics short_type = small("direct.ref", DType::f16, {.exponent = 20}, materials);
  CHECK(short_type.material->overflowed > 0);
  for (const Verdict& verdict : short_type.verdicts) CHECK_FALSE(verdict.made);
  const Numerics tiny = small("direct.ref", DType::f16, {.exponent = -24}, materials);
  CHECK(size(tiny.error[tiny.worst]) > size(small("direct.ref", DType::f16, {}, materials).error[tiny.worst]));
}

TEST_CASE("outputs that are no numbers are counted as such, and what is out of a type's range is not judged") {
  Materials materials;
  for (const char* run : {"direct.ref", "im2win.ref", "winograd.ref", "fft.ref"}) {
    INFO(run);
    const auto outputs = static_cast<std::int64_t>(elements(ConvProblem(kSmall).y_shape()));
    const Numerics large = small(run, DType::f16, {.exponent = 25}, materials);
    REQUIRE(large.computed());
    CHECK(histogram_of(large).infinite == outputs);
    CHECK(histogram_of(large).zero == 0);
    CHECK(large.not_finite == "NaN");
    CHECK_FALSE(std::isfinite(large.error[large.worst]));
    CHECK(large.material->note.find("In f16 ") == 0);
    CHECK(large.material->note.find("too large at this scale, and Inf") != std::string::npos);
    for (const Verdict& verdict : large.verdicts) CHECK_FALSE(verdict.made);

    // x fits, and some sums do not: they are Inf, rightly, and the others are judged.
    const Numerics sums = small(run, DType::f16, {.exponent = 14}, materials);
    CHECK(sums.material->note.empty());
    CHECK(histogram_of(sums).infinite > 0);
    CHECK(histogram_of(sums).infinite < outputs);
    CHECK(sums.not_finite == "Inf");
    CHECK(std::isfinite(sums.error[sums.worst]));
    for (const Verdict& verdict : sums.verdicts) CHECK(verdict.kept);

    const Numerics nothing = small(run, DType::f16, {.exponent = -30}, materials);
    CHECK(nothing.material->note == "In f16 all of x is 0, being too small at this scale: no verdict.");
    for (const Verdict& verdict : nothing.verdicts) CHECK_FALSE(verdict.made);
    const Numerics few = small(run, DType::f16, {.exponent = -20}, materials);
    CHECK(few.material->note.find("elements of x are too small at this scale, and 0.") != std::string::npos);
    CHECK(few.material->in_range);
  }
  CHECK(small("direct.ref", DType::bf16, {.exponent = 25}, materials).material->note.empty());
  const NumericsState outlier{.exponent = 8, .injection = "outlier"};
  CHECK(small("direct.ref", DType::f16, outlier, materials).material->note ==
        "In f16 the outlier is too large, and Inf.");
}

TEST_CASE("the terms of an output add up to it, the largest first") {
  Materials materials;
  const ConvProblem p(kSmall);
  const auto material = materials.get(p, DType::f32, 11, {});
  for (std::size_t k = 0; k < material->plain.answer.y.size(); k += 7) {
    const Shape at = output_at(k, p.y_shape());
    CHECK(output_number(at, p.y_shape()) == k);
    const ElementTerms terms = terms_of(p, material->plain.inputs, at);
    CHECK(static_cast<std::int64_t>(terms.terms.size()) == p.reduction());
    CHECK(terms.positive + terms.negative + terms.bias == Approx(material->plain.answer.y[k]).margin(1e-12));
    for (std::size_t t = 1; t < terms.terms.size(); ++t)
      CHECK(std::abs(terms.terms[t - 1].product()) >= std::abs(terms.terms[t].product()));
  }
}

TEST_CASE("a row that cannot be run here says why, and so does one that does not compute the type") {
  Materials materials;
  for (const Algorithm* row : testing::gpu_rows())
    if (!why_not_here(*row).empty()) CHECK_FALSE(small(row->id, DType::f32, {}, materials).refused.empty());
  CHECK(small("direct.cpu", DType::f16, {}, materials).refused.find("f16") != std::string::npos);
  CHECK(small("direct.nowhere", DType::f32, {}, materials).refused.find("direct.nowhere") != std::string::npos);
}
