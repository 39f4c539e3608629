#include "kernels/fft/fft_parts.h"

#include <array>
#include <utility>

#include "kernels/fft/fft.h"
#include "kernels/fft/fft_spectra.h"

namespace convlens::gpu {

namespace {

bool has_entries(const Stage& stage) { return stage.axes.back().name == "e"; }
bool of_filter(const Stage& stage) { return stage.made_from.front() == kFilter; }

// Cell number `at` of a stage is the number's two parts. The first parts of so many cells follow one another, then
// their second parts: those of a group's channels and all their tiles, or of a row of the filter's outputs.
std::pair<std::int64_t, std::int64_t> in_planes(const ConvProblem& p, const Stage& stage, std::int64_t at) {
  const bool input = stage.made_from.front() == kInput;
  const std::int64_t plane = of_filter(stage) ? p.co_per_group()
                             : input          ? p.ci_per_group() * stage.axes[1].stride
                                              : p.co_per_group() * stage.axes[1].stride;
  const std::int64_t first = at + at / plane * plane;
  return {first, first + plane};
}

}  // namespace

bool in_parts(const Plan& plan, const Stage& stage) {
  return &plan.algorithm() == &fft_tc() && stage.id.ends_with("_spectra");
}

ComplexParts parts_of(const Plan& plan, const Stage& stage, const Coord& cell) {
  if (stage.complex) {
    const auto [first, second] = in_planes(plan.problem(), stage, stage.offset(cell));
    if (!has_entries(stage)) return {{{first, 1}}, {{second, 1}}};
    return cell[4] == 0 ? ComplexParts{{{first, 1}}, {{second, -1}}} : ComplexParts{{{second, 1}}, {{first, 1}}};
  }
  const std::size_t e = stage.axes.size() - 1;
  const std::int64_t step = stage.axes[e].stride, first = stage.offset(cell) - cell[e] * step;
  const std::int64_t second = first + step, third = second + step;
  if (of_filter(stage)) return {{{first, 1}}, {{second, 1}, {first, -1}}};
  return {{{first, 1}, {third, -1}}, {{first, 1}, {second, -1}}};
}

std::string entry_text(const Plan& plan, const Stage& stage, const Coord& cell) {
  if (!has_entries(stage)) return "";
  constexpr std::array<const char*, 2> kRows{"(c, -d)", "(d, c)"};
  constexpr std::array<const char*, 3> kFactors{"c", "c + d", "c - d"}, kSums{"p", "q", "r"};
  const auto e = static_cast<std::size_t>(cell[stage.axes.size() - 1]);
  return !gauss(plan.request()) ? kRows[e] : of_filter(stage) ? kFactors[e] : kSums[e];
}

}  // namespace convlens::gpu
