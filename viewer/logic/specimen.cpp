#include "viewer/logic/specimen.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/problem/parse.h"

namespace convlens::viewer {

namespace {

// An input of `size` elements along one axis, cut so that `outputs` are left.
std::int64_t cut(std::int64_t size, std::int64_t extent, std::int64_t outputs, std::int64_t stride, std::int64_t pad) {
  return std::clamp<std::int64_t>(extent + (outputs - 1) * stride - pad, 1, size);
}

// Half as many output rows and columns, but not fewer than that; false where that takes nothing away.
bool cut_rows_and_columns(const ConvProblem& p, ConvSpec& spec, std::int64_t fewest) {
  const auto half = [=](std::int64_t outputs) { return std::min(outputs, std::max(fewest, outputs / 2)); };
  spec.hi = cut(p.hi(), p.extent_h(), half(p.ho()), spec.stride_h, spec.pad_top + spec.pad_bottom);
  spec.wi = cut(p.wi(), p.extent_w(), half(p.wo()), spec.stride_w, spec.pad_left + spec.pad_right);
  return spec.hi < p.hi() || spec.wi < p.wi();
}

// One step smaller, by what is to go next; false when nothing is left to go.
bool take_away(const ConvProblem& p, ConvSpec& spec) {
  constexpr std::int64_t kFewestChannels = 4, kFewestRows = 8;
  if (p.n() > 1) return spec.n = 1, true;
  if (p.co_per_group() > kFewestChannels)
    return spec.co = p.groups() * std::max(kFewestChannels, p.co_per_group() / 2), true;
  if (cut_rows_and_columns(p, spec, kFewestRows)) return true;
  if (p.groups() > 1) {
    spec.groups = 1;
    spec.ci = p.ci_per_group(), spec.co = p.co_per_group();
    return true;
  }
  if (p.co() > 1) return spec.co = p.co() / 2, true;
  if (p.ci() > 1) return spec.ci = p.ci() / 2, true;
  return cut_rows_and_columns(p, spec, 1);
}

std::string share(std::int64_t part, std::int64_t whole, const char* what) {
  if (part == whole) return "";
  return std::to_string(part) + " of " + std::to_string(whole) + " " + what + ", ";
}

std::string sentence_of(const ConvProblem& layer, const ConvProblem& piece) {
  std::string parts = share(piece.n(), layer.n(), "images") + share(piece.groups(), layer.groups(), "groups") +
                      share(piece.ci(), layer.ci(), "input channels") +
                      share(piece.co(), layer.co(), "output channels") + share(piece.ho(), layer.ho(), "output rows") +
                      share(piece.wo(), layer.wo(), "output columns");
  if (parts.empty()) return "The whole layer is computed.";
  parts.resize(parts.size() - 2);
  return "Computed is a piece of the layer, for which the oracle takes well under a second: " + parts + ".";
}

Tensor times_power(const Tensor& from, DType dtype, int exponent) {
  Tensor result(dtype, Layout::NCHW, from.shape());
  fill(result.view(), [&](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
    return std::ldexp(element(from.view(), n, c, h, w), exponent);
  });
  return result;
}

template <class Wanted>
std::int64_t count(const Tensor& x, Wanted wanted) {
  const Tensor wide = converted(x.view(), DType::f64, Layout::NCHW);
  const double* const first = wide.as<double>().data;
  return std::count_if(first, first + wide.size(), wanted);
}

std::string range_note(const Material& material, DType dtype, std::int64_t elements) {
  const std::string in = "In " + std::string(name(dtype)) + " ";
  const auto so_many = [&](std::int64_t some) { return std::to_string(some) + " of " + std::to_string(elements); };
  if (material.overflowed > 0)
    return in + so_many(material.overflowed) + " elements of x are too large at this scale, and Inf: no verdict.";
  if (!material.in_range) return in + "all of x is 0, being too small at this scale: no verdict.";
  return material.vanished > 0 ? in + so_many(material.vanished) + " elements of x are too small at this scale, and 0."
                               : "";
}

double injected_value(const std::string& injection, int exponent) {
  if (injection == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (injection == "inf") return std::numeric_limits<double>::infinity();
  return std::ldexp(1.0, exponent + kOutlierExponent);
}

}  // namespace

double specimen_work(const ConvProblem& p) {
  constexpr double kOfAnElement = 16;
  return static_cast<double>(p.multiplications()) +
         kOfAnElement * static_cast<double>(elements(p.x_shape()) + elements(p.w_shape()) + elements(p.y_shape()));
}

Specimen specimen_of(const ConvProblem& layer) {
  ConvProblem piece = layer;
  while (specimen_work(piece) > kSpecimenWork) {
    ConvSpec spec = piece.spec();
    if (!take_away(piece, spec)) break;
    piece = ConvProblem(spec);
  }
  if (specimen_work(piece) <= kMostSpecimenWork) return {piece, sentence_of(layer, piece)};
  return {piece, "",
          "One window alone reaches over " + std::to_string(piece.extent_h()) + " x " +
              std::to_string(piece.extent_w()) + " elements and has " + std::to_string(piece.taps()) +
              (piece.taps() == 1 ? " tap" : " taps") + ": too much to compute while somebody waits (together at most " +
              std::to_string(static_cast<std::int64_t>(kMostSpecimenWork) / 16) + ")."};
}

Material material_of(const ConvProblem& problem, DType dtype, std::uint64_t seed, const NumericsState& settings) {
  const int exponent = static_cast<int>(settings.exponent);
  const auto scaled = [&] {
    Inputs inputs = make_inputs(problem, dtype, {Data::Kind::uniform, {}, seed});
    inputs.x = times_power(inputs.x, dtype, exponent);
    return inputs;
  };
  Material material;
  const auto is_zero = [](double value) { return value == 0; };
  const std::int64_t zeros = count(make_inputs(problem, dtype, {Data::Kind::uniform, {}, seed}).x, is_zero);
  material.plain.inputs = scaled();
  material.plain.answer = oracle(problem, material.plain.inputs);
  const Tensor& x = material.plain.inputs.x;
  material.overflowed = count(x, [](double value) { return std::isinf(value); });
  material.vanished = count(x, is_zero) - zeros;
  material.in_range = material.overflowed == 0 && (material.vanished == 0 || zeros + material.vanished < x.size());
  material.note = range_note(material, dtype, x.size());
  if (settings.injection == "none" || problem.n() == 0) return material;

  material.at = {0, 0, settings.down * (problem.hi() - 1) / 100, settings.across * (problem.wi() - 1) / 100};
  const auto struck = std::make_shared<OracleCache::Entry>();
  struck->inputs = scaled();
  const auto [n, c, h, w] = material.at;
  visit(dtype, [&]<class T>() {
    struck->inputs.x.as<T>()(n, c, h, w) = static_cast<T>(injected_value(settings.injection, exponent));
  });
  if (settings.injection == "outlier" && std::isinf(element(struck->inputs.x.view(), n, c, h, w)))
    material.note += std::string(material.note.empty() ? "" : " ") + "In " + std::string(name(dtype)) +
                     " the outlier is too large, and Inf.";
  struck->answer = oracle(problem, struck->inputs);
  material.struck = struck;
  return material;
}

std::string Materials::key(const ConvProblem& problem, DType dtype, std::uint64_t seed, const NumericsState& s) {
  std::string key = to_text(problem.spec()) + "|" + std::string(name(dtype)) + "|" + std::to_string(seed) + "|" +
                    std::to_string(s.exponent) + "|" + s.injection;
  if (s.injection != "none") key += "|" + std::to_string(s.down) + "," + std::to_string(s.across);
  return key;
}

std::shared_ptr<const Material> Materials::get(const ConvProblem& problem, DType dtype, std::uint64_t seed,
                                               const NumericsState& settings) {
  constexpr std::size_t kMost = 8;  // two settings of four types
  const std::string key = Materials::key(problem, dtype, seed, settings);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
  }
  auto made = std::make_shared<const Material>(material_of(problem, dtype, seed, settings));
  const std::scoped_lock lock(mutex_);
  if (kept_.size() >= kMost) kept_.clear();
  return kept_.emplace(key, std::move(made)).first->second;
}

}  // namespace convlens::viewer
