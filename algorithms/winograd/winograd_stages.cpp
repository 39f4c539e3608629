#include "algorithms/winograd/winograd_stages.h"

#include "algorithms/winograd/winograd_map.h"

namespace convlens {

namespace {

std::string times_power_of_two(int exponent) { return exponent == 0 ? "" : ", times 2^" + std::to_string(exponent); }

std::string channels_of_group(const ConvProblem& p) { return p.groups() == 1 ? "C_i" : "(C_i/groups)"; }

Axis whole_axis(const char* name, const std::string& symbol, std::int64_t extent) {
  return {name, symbol, extent, extent};
}

}  // namespace

std::vector<Stage> winograd_stages(const ConvProblem& p, DType stored, const std::shared_ptr<const Nested>& nested) {
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
  v.dtype = stored;
  v.map = erase(TransformedInputMap(p, f), nested);

  Stage u;
  u.id = "U";
  u.title = "transformed filter U";
  u.meaning = "point (ξ, ν) of the filter from channel c to output channel o" + times_power_of_two(f.u_exponent);
  u.made_from = {kFilter};
  u.axes = {xi, nu, o, whole_axis("c", channels_of_group(p), p.ci_per_group())};
  u.dtype = stored;
  u.map = erase(TransformedFilterMap(p, f), nested);

  Stage m;
  m.id = "M";
  m.title = "products M";
  m.meaning = "V·U at point (ξ, ν) of tile (t, s), summed over the channels of output channel o";
  m.made_from = {kTransformedInput, kTransformedFilter};
  m.axes = {xi, nu, n, t, s, o};
  m.dtype = accumulator_of(stored);
  m.map = erase(ProductMap(p, f), nested);

  for (Stage* stage : {&v, &u, &m}) stage->lay_out();
  return {v, u, m};
}

std::shared_ptr<const AnyMap> winograd_output(const ConvProblem& problem, const std::shared_ptr<const Nested>& nested) {
  return erase(OutputMap(problem, *nested), nested);
}

}  // namespace convlens
