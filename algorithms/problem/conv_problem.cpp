#include "algorithms/problem/conv_problem.h"

#include "algorithms/error.h"
#include "algorithms/problem/checked.h"

namespace convlens {

namespace {

std::int64_t extent(const char* what, std::int64_t filter, std::int64_t dilation) {
  return checked::sum(what, {checked::product(what, {dilation, filter - 1}), 1});
}

// How many (output, tap) pairs of one axis read inside the image.
std::int64_t pairs_inside(std::int64_t outputs, std::int64_t taps, std::int64_t stride, std::int64_t dilation,
                          std::int64_t pad, std::int64_t size) {
  std::int64_t inside = 0;
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    // Outputs with 0 ≤ out·stride + shift < size. Rounding up as ⌊(a − 1)/b⌋ + 1 cannot overflow, however large b is.
    const std::int64_t shift = tap * dilation - pad;
    const std::int64_t first = shift >= 0 ? 0 : (-shift - 1) / stride + 1;
    const std::int64_t beyond = shift >= size ? 0 : (size - shift - 1) / stride + 1;
    const std::int64_t last = beyond < outputs ? beyond : outputs;
    if (last > first) inside += last - first;
  }
  return inside;
}

// "stride_h: 0, must be ≥ 1; groups: 3, must divide ci = 4"
std::string one_line(const std::vector<BrokenRule>& rules) {
  std::string line;
  for (const BrokenRule& broken : rules) line += (line.empty() ? "" : "; ") + broken.line();
  return line;
}

}  // namespace

std::vector<BrokenRule> broken_rules(const ConvSpec& s) {
  std::vector<BrokenRule> broken;
  const auto need = [&](bool holds, const char* parameter, std::int64_t value, std::string rule) {
    if (!holds) broken.push_back({parameter, std::to_string(value), std::move(rule)});
    return holds;
  };
  const auto at_least = [&](std::int64_t least, const char* parameter, std::int64_t value) {
    return need(value >= least, parameter, value, "must be ≥ " + std::to_string(least));
  };

  at_least(0, "n", s.n);
  bool sizes = at_least(1, "ci", s.ci);
  sizes = at_least(1, "hi", s.hi) && sizes;
  sizes = at_least(1, "wi", s.wi) && sizes;
  sizes = at_least(1, "co", s.co) && sizes;
  sizes = at_least(1, "hf", s.hf) && sizes;
  sizes = at_least(1, "wf", s.wf) && sizes;
  at_least(1, "stride_h", s.stride_h);
  at_least(1, "stride_w", s.stride_w);
  sizes = at_least(0, "pad_top", s.pad_top) && sizes;
  sizes = at_least(0, "pad_bottom", s.pad_bottom) && sizes;
  sizes = at_least(0, "pad_left", s.pad_left) && sizes;
  sizes = at_least(0, "pad_right", s.pad_right) && sizes;
  sizes = at_least(1, "dilation_h", s.dilation_h) && sizes;
  sizes = at_least(1, "dilation_w", s.dilation_w) && sizes;
  const bool groups = at_least(1, "groups", s.groups);

  if (groups && s.ci >= 1) need(s.ci % s.groups == 0, "groups", s.groups, "must divide ci = " + std::to_string(s.ci));
  if (groups && s.co >= 1) need(s.co % s.groups == 0, "groups", s.groups, "must divide co = " + std::to_string(s.co));
  if (!sizes) return broken;

  const auto fits = [&](const char* axis, const char* length, std::int64_t filter, std::int64_t dilation,
                        std::int64_t size, std::int64_t before, std::int64_t after) {
    const std::int64_t reach = extent(axis, filter, dilation);
    const std::int64_t padded = checked::sum(length, {size, before, after});
    need(reach <= padded, axis, filter,
         "with dilation " + std::to_string(dilation) + " reaches over " + std::to_string(reach) +
             " elements, must be ≤ the padded input's " + std::to_string(padded));
  };
  fits("hf", "hi + pad_top + pad_bottom", s.hf, s.dilation_h, s.hi, s.pad_top, s.pad_bottom);
  fits("wf", "wi + pad_left + pad_right", s.wf, s.dilation_w, s.wi, s.pad_left, s.pad_right);
  return broken;
}

ConvProblem::ConvProblem(const ConvSpec& spec) : spec_(spec) {
  if (const std::string line = one_line(broken_rules(spec)); !line.empty()) throw BadInput(line);

  ho_ = (padded_h() - extent_h()) / spec.stride_h + 1;
  wo_ = (padded_w() - extent_w()) / spec.stride_w + 1;

  // With these four in range, as bytes of the widest type, every derived size of the class is.
  constexpr std::int64_t widest = 8;
  checked::product("bytes of the padded input, N·C_i·(H_i+pad)·(W_i+pad)·8",
                   {spec.n, spec.ci, padded_h(), padded_w(), widest});
  checked::product("bytes of the filter, C_o·C_i/groups·H_f·W_f·8",
                   {spec.co, ci_per_group(), spec.hf, spec.wf, widest});
  checked::product("bytes of the output, N·C_o·H_o·W_o·8", {spec.n, spec.co, ho_, wo_, widest});
  checked::product("FLOPs, 2·N·C_o·H_o·W_o·C_i/groups·H_f·W_f",
                   {2, spec.n, spec.co, ho_, wo_, ci_per_group(), spec.hf, spec.wf});
}

std::int64_t ConvProblem::padding_multiplications() const {
  const std::int64_t rows = pairs_inside(ho_, spec_.hf, spec_.stride_h, spec_.dilation_h, spec_.pad_top, spec_.hi);
  const std::int64_t columns = pairs_inside(wo_, spec_.wf, spec_.stride_w, spec_.dilation_w, spec_.pad_left, spec_.wi);
  return multiplications() - spec_.n * spec_.co * ci_per_group() * rows * columns;
}

ConvProblem ConvProblem::with_batch(std::int64_t n) const {
  ConvSpec spec = spec_;
  spec.n = n;
  return ConvProblem(spec);
}

}  // namespace convlens
