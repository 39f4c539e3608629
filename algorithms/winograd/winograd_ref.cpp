// winograd.ref: transform tiles of x and the filter, multiply point by point, transform back.
//
//   V = B_hᵀ d B_w     every n_h×n_w tile d of x, channel by channel       stored, n_h·n_w·N·tiles·C_i
//   U = G_h g G_wᵀ     every filter g                                      stored, n_h·n_w·C_o·C_i/G
//   M = Σ_c U ⊙ V      n_h·n_w matrix products                             stored, n_h·n_w·N·tiles·C_o
//   Y = A_hᵀ M A_w     m_h×m_w outputs a tile; bias added; rounded once
//
// Source: Lavin & Gray 2016 (arXiv 1509.09308), the non-fused form. m²·9 multiplications of a 3×3 filter become
// (m + 2)²: 36 become 16 with m = 2, 144 become 36 with m = 4. In exchange the rounding errors grow, exponentially with n.
//
// f16 and bf16: transforms, products, sums and the output in f32; only x, w, V, U and y are in the short type, V and U times
// a power of two that keeps every finite f16 input finite (nested.h).
#include "algorithms/winograd/winograd.h"

#include <cmath>

#include "algorithms/problem/checked.h"
#include "algorithms/winograd/nested.h"
#include "algorithms/winograd/winograd_error.h"
#include "algorithms/winograd/winograd_map.h"
#include "algorithms/winograd/winograd_passes.h"

namespace convlens {

namespace {

std::string times_power_of_two(int exponent) { return exponent == 0 ? "" : ", times 2^" + std::to_string(exponent); }

std::string channels_of_group(const ConvProblem& p) { return p.groups() == 1 ? "C_i" : "(C_i/groups)"; }

Axis whole_axis(const char* name, const std::string& symbol, std::int64_t extent) { return {name, symbol, extent, extent}; }

std::vector<Stage> stages(const ConvProblem& p, DType dtype, const std::shared_ptr<const Nested>& nested) {
  const Nested& f = *nested;
  const Axis xi = whole_axis("ξ", "n_h", f.rows.n()), nu = whole_axis("ν", "n_w", f.columns.n());
  const Axis n = whole_axis("n", "N", p.n());
  const Axis t = whole_axis("t", "⌈H_o/m_h⌉", f.rows.tiles()), s = whole_axis("s", "⌈W_o/m_w⌉", f.columns.tiles());
  const Axis o = whole_axis("o", "C_o", p.co());

  Stage v;
  v.id = "V";
  v.title = "transformed input V";
  v.meaning = "point (ξ, ν) of tile (t, s) of input channel c" + times_power_of_two(f.v_exponent);
  v.made_from = {kInput};
  v.axes = {xi, nu, n, t, s, whole_axis("c", "C_i", p.ci())};
  v.dtype = dtype;
  v.map = erase(TransformedInputMap(p, f), nested);

  Stage u;
  u.id = "U";
  u.title = "transformed filter U";
  u.meaning = "point (ξ, ν) of the filter from channel c to output channel o" + times_power_of_two(f.u_exponent);
  u.made_from = {kFilter};
  u.axes = {xi, nu, o, whole_axis("c", channels_of_group(p), p.ci_per_group())};
  u.dtype = dtype;
  u.map = erase(TransformedFilterMap(p, f), nested);

  Stage m;
  m.id = "M";
  m.title = "products M";
  m.meaning = "V·U at point (ξ, ν) of tile (t, s), summed over the channels of output channel o";
  m.made_from = {kTransformedInput, kTransformedFilter};
  m.axes = {xi, nu, n, t, s, o};
  m.dtype = accumulator_of(dtype);
  m.map = erase(ProductMap(p, f), nested);

  for (Stage* stage : {&v, &u, &m}) stage->lay_out();
  return {v, u, m};
}

// Transforms of every tile and filter, zeros of the padding and overhanging outputs included, at one multiplication or
// division and one addition a non-zero coefficient; and a multiplication and an addition a product.
std::int64_t executed_flops(const ConvProblem& p, const Nested& f) {
  const Transforms<float> transforms(f);
  const auto product = [](std::initializer_list<std::int64_t> factors) { return checked::product("executed FLOPs", factors); };
  return checked::sum("executed FLOPs", {product({p.n(), f.tiles(), p.ci(), transforms.input.flops()}),
                                         product({p.co(), p.ci_per_group(), transforms.filter.flops()}),
                                         product({2, f.products(), p.n(), f.tiles(), p.co(), p.ci_per_group()}),
                                         product({p.n(), f.tiles(), p.co(), transforms.output.flops()})});
}

template <class T>
void run(const ConvProblem& p, const Nested& f, const Arguments& a, const Workspace& workspace, int threads) {
  T* const v = workspace.get<T>("V");
  T* const u = workspace.get<T>("U");
  Accumulator<T>* const m = workspace.get<Accumulator<T>>("M");
  const Transforms<Accumulator<T>> transforms(f);
  transform_input<T>(f, transforms.input, a.x.as<T>(), v, threads);
  transform_filter<T>(f, transforms.filter, a.w.as<T>(), u, threads);
  multiply<T>(f, p, v, u, m, threads);
  transform_output<T>(f, transforms.output, m, a.bias.as<T>(), a.y.as<T>(), threads);
}

Decisions decide(const Request& request) {
  const ConvProblem problem = request.problem;
  const auto nested = std::make_shared<const Nested>(nest(request));
  Decisions d;
  d.stages = stages(problem, request.dtype, nested);
  d.executed_flops = executed_flops(problem, *nested);
  d.error_model = winograd_error_model(problem, request.dtype, nested);
  d.notes = {nested->name() + " " + nested->points()};
  d.execute = [=](const Arguments& a, const Workspace& workspace, int threads, Stream) {
    visit(a.y.dtype, [&]<class T>() { run<T>(problem, *nested, a, workspace, threads); });
  };
  return d;
}

std::string by(std::int64_t h, std::int64_t w) { return std::to_string(h) + "x" + std::to_string(w); }

Request with(const Request& request, const ConvSpec& spec) {
  Request changed = request;
  changed.problem = ConvProblem(spec);
  return changed;
}
Request with(const Request& request, const std::string& option, const std::string& value) {
  Request changed = request;
  changed.options.set(option, value);
  return changed;
}

std::optional<Refusal> needs_stride_1(const Request& request) {
  ConvSpec spec = request.problem.spec();
  if (spec.stride_h == 1 && spec.stride_w == 1) return std::nullopt;
  const std::string reason = "winograd needs stride 1, got " + by(spec.stride_h, spec.stride_w);
  spec.stride_h = spec.stride_w = 1;
  return Refusal{reason, with(request, spec)};
}

std::optional<Refusal> needs_dilation_1(const Request& request) {
  ConvSpec spec = request.problem.spec();
  if (spec.dilation_h == 1 && spec.dilation_w == 1) return std::nullopt;
  const std::string reason = "winograd needs dilation 1, got " + by(spec.dilation_h, spec.dilation_w);
  spec.dilation_h = spec.dilation_w = 1;
  return Refusal{reason, with(request, spec)};
}

std::optional<Refusal> needs_several_taps(const Request& request) {
  if (request.problem.taps() > 1) return std::nullopt;
  return Refusal{"winograd needs a filter of more than one tap, got 1x1, of which F(m,1) saves no multiplication", {}};
}

std::optional<Refusal> needs_few_points(const Request& request) {
  const std::int64_t r = std::max(request.problem.hf(), request.problem.wf()), m = request.options.integer("m");
  if (m + r - 1 <= kMaxPoints) return std::nullopt;
  std::optional<Request> nearest;
  if (r <= kMaxPoints) nearest = with(request, "m", std::to_string(kMaxPoints + 1 - r));
  return Refusal{"winograd needs m + filter - 1 <= " + std::to_string(kMaxPoints) + " points, got m " + std::to_string(m) +
                     " with a filter of " + by(request.problem.hf(), request.problem.wf()),
                 nearest};
}

std::optional<Refusal> needs_usable_points(const Request& request) {
  try {
    nest(request);
    return std::nullopt;
  } catch (const Error& error) {
    return Refusal{std::string("winograd: ") + error.what(), with(request, "points", "auto")};
  }
}

// Below its smallest normal number a type has few bits left; F(8x8,3x3) in f16 would return noise.
std::optional<Refusal> needs_range(const Request& request) {
  const int least = std::ilogb(smallest_subnormal(request.dtype) / (2 * unit_roundoff(request.dtype)));
  const auto smallest = [](const Nested& f) { return std::min(f.smallest_v(), f.smallest_u()); };
  const Nested f = nest(request);
  if (smallest(f) >= least) return std::nullopt;
  const std::string reason = "winograd: " + f.name() + " in " + std::string(name(request.dtype)) + " makes data of size 1 as small as 2^" +
                             std::to_string(smallest(f)) + ", must be >= 2^" + std::to_string(least);
  for (long m = request.options.integer("m"); m >= 1; --m)
    if (const Request smaller = with(with(request, "points", "auto"), "m", std::to_string(m)); smallest(nest(smaller)) >= least)
      return Refusal{reason, smaller};
  return Refusal{reason, {}};
}

std::string judge_points(std::string_view value) {
  if (value == "auto" || parse_points(value)) return "";
  return "must be auto, or distinct fractions of integers up to 1000 (infinity is implied)";
}

}  // namespace

std::string winograd_matrices(const Request& request) {
  const Request asked = winograd_ref().plan(request)->request();  // with every option filled in
  const Nested f = nest(asked);
  if (f.w.n() == 1 || (f.h.m == f.w.m && f.h.r == f.w.r)) return text(f.h);
  return f.h.n() == 1 ? text(f.w) : "rows: " + text(f.h) + "columns: " + text(f.w);
}

const Algorithm& winograd_ref() {
  static const Algorithm row{
      .id = "winograd.ref",
      .family = "winograd",
      .unit = Unit::cpu,
      .title = "Winograd, non-fused",
      .sentence = "Transforms tiles of the input and the filter, so that fewer products make up the output.",
      .source = "Lavin & Gray 2016, arXiv 1509.09308",
      .options = {{"m", "Output tile", "How many outputs a tile makes along each axis on which the filter has several taps.", {}, "2", false, integer_between(1, 8)},
                  {"points", "Points", "Where the polynomials are evaluated: m + filter - 2 fractions, as in 0,1,-1,1/2,-2.", {}, "auto", false, judge_points}},
      .rules = {{"stride 1", needs_stride_1},
                {"dilation 1", needs_dilation_1},
                {"a filter of more than one tap", needs_several_taps},
                {"m + filter - 1 <= 10 points an axis", needs_few_points},
                {"points whose fractions single precision holds", needs_usable_points},
                {"a tile whose transforms the type's range holds", needs_range}},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens
