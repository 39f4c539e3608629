#include "viewer/logic/sums.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "viewer/logic/each_cell.h"

namespace convlens::viewer {

namespace {

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value == 0 ? 0.0 : value);
  return text;
}

Sum of_output(const Model& model, const Values& values, const Coord& at, std::size_t most) {
  const ConvProblem& p = *model.problem();
  const Exhibit &x = *model.find("x"), &w = *model.find("w");
  const std::int64_t channel = p.group_of_output(at[1]) * p.ci_per_group();
  Sum sum;
  sum.terms = p.ci_per_group() * p.taps();
  if (p.bias()) sum.bias = values.bias(at[1]);
  for (std::int64_t k = 0; k < sum.terms && sum.first.size() < most; ++k) {
    const std::int64_t c = k / p.taps(), u = k % p.taps() / p.wf(), v = k % p.wf();
    const std::int64_t row = p.input_row(at[2], u), column = p.input_column(at[3], v);
    const bool inside = row >= 0 && row < p.hi() && column >= 0 && column < p.wi();
    sum.first.push_back(
        {inside ? values.at(x, {at[0], channel + c, row, column}).real() : 0.0, values.at(w, {at[1], c, u, v}).real()});
  }
  return sum;
}

// The value of an operand of a stage of that row.
double of_operand(const Model& model, const Values& values, const ChosenRow& row, Operand from, const Coord& at) {
  const Exhibit* exhibit = from == kInput ? model.find("x")
                           : from == kFilter
                               ? model.find("w")
                               : model.find(row.run + "/" + row.plan->stages()[static_cast<std::size_t>(from.id)].id);
  return exhibit == nullptr ? std::nan("") : values.at(*exhibit, at).real();
}

Sum of_stage(const Model& model, const Values& values, const Exhibit& exhibit, const Coord& cell, std::size_t most) {
  const ChosenRow& row = model.rows()[static_cast<std::size_t>(exhibit.row)];
  const Source source = model.stage(exhibit).map->source(cell);
  Sum sum;
  if (source.kind == SourceKind::combination) {
    sum.terms = static_cast<std::int64_t>(source.terms.size());
    for (const Term& term : source.terms)
      if (sum.first.size() < most)
        sum.first.push_back({term.coefficient.value(), of_operand(model, values, row, term.from, term.at.first), true});
  }
  if (source.kind == SourceKind::region && source.terms.size() == 2 && source.terms.front().from.id >= 0 &&
      source.terms[0].at.size() == source.terms[1].at.size()) {
    std::vector<Coord> second;
    sum.terms = source.terms[0].at.size();
    for_each_cell(source.terms[1].at, [&](const Coord& at) {
      if (second.size() < most) second.push_back(at);
    });
    for_each_cell(source.terms[0].at, [&](const Coord& at) {
      if (sum.first.size() < second.size())
        sum.first.push_back({of_operand(model, values, row, source.terms[0].from, at),
                             of_operand(model, values, row, source.terms[1].from, second[sum.first.size()])});
    });
  }
  return sum;
}

}  // namespace

std::string Summand::text() const {
  if (coefficient && a == 1) return number(b);
  return number(a) + "·" + (b < 0 ? "(" + number(b) + ")" : number(b));
}

std::string Sum::text(std::size_t shown, const std::string& total) const {
  std::string text = "=";
  for (std::size_t k = 0; k < std::min(shown, first.size()); ++k) text += (k > 0 ? " + " : " ") + first[k].text();
  const std::int64_t left = terms - static_cast<std::int64_t>(std::min(shown, first.size()));
  if (left > 0) text += " + … " + std::to_string(left) + " more";
  if (bias) text += " + bias " + number(*bias);
  return text + " = " + total;
}

Sum sum_of(const Model& model, const Values& values, const Exhibit& exhibit, const Coord& cell, std::size_t most) {
  if (exhibit.role == Role::output) return of_output(model, values, cell, most);
  if (exhibit.role != Role::stage || exhibit.complex || !too_much(exhibit.effort).empty()) return {};
  return of_stage(model, values, exhibit, cell, most);
}

}  // namespace convlens::viewer
