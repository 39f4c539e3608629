#include "viewer/logic/coefficients.h"

#include <algorithm>

#include "algorithms/winograd/winograd_map.h"
#include "algorithms/winograd/winograd_stages.h"
#include "kernels/winograd/output_tile.h"
#include "viewer/logic/each_cell.h"

namespace convlens::viewer {

namespace {

Operand operand_of(const Exhibit& exhibit) {
  if (exhibit.role == Role::input) return kInput;
  return exhibit.role == Role::filter ? kFilter : stage_operand(exhibit.stage);
}

// How the cells of one tensor are made of those of another; null where y, or w between all channels, has no map there.
const AnyMap* map_between(const Model& model, const Exhibit& made, const Exhibit& from) {
  const auto row = [&](int number) -> const ChosenRow& { return model.rows()[static_cast<std::size_t>(number)]; };
  if (from.role == Role::blocks || from.role == Role::output) return nullptr;
  if (made.role == Role::stage) return model.stage(made).map.get();
  const bool added_up = made.role == Role::output && from.role == Role::stage && stage_operand(from.stage) == kProducts;
  return added_up ? row(from.row).output.get() : nullptr;
}

std::optional<Rational> coefficient_in(const Source& source, Operand from, const Coord& element) {
  if (source.kind != SourceKind::combination) return std::nullopt;
  for (const Term& term : source.terms)
    if (term.from == from && term.at.contains(element)) return term.coefficient;
  return std::nullopt;
}

// Those of one exhibit: `boxes` are lit by `tie`.
std::vector<Coefficient> of_exhibit(const Model& model, const Cursor& cursor, const Exhibit& exhibit, Tie tie,
                                    const std::vector<Box>& boxes) {
  const Exhibit& pointed = *model.find(cursor.tensor);
  std::vector<Coefficient> all;
  if (tie == Tie::source) {
    const AnyMap* const map = map_between(model, pointed, exhibit);
    const Source source = map == nullptr ? Source{} : map->source(cursor.at);
    if (source.kind != SourceKind::combination) return {};
    for (const Term& term : source.terms)
      if (term.from == operand_of(exhibit)) all.push_back({term.at.first, term.coefficient});
    return all;
  }
  const AnyMap* const map = map_between(model, exhibit, pointed);
  double cells = 0;
  for (const Box& box : boxes) cells += static_cast<double>(box.size());
  if (tie != Tie::destination || map == nullptr || boxes.empty() || cells > kMostCoefficients) return {};
  if (map->source(boxes.front().first).kind != SourceKind::combination) return {};
  for (const Box& box : boxes)
    for_each_cell(box, [&](const Coord& at) {
      if (const auto value = coefficient_in(map->source(at), operand_of(pointed), cursor.at))
        all.push_back({at, *value});
    });
  return all;
}

// "+2·M(0, 1, 0, 3, 4, 5)", "−y(0, 5, 12, 17)".
std::string term_text(const Rational& coefficient, const std::string& tensor, const Coord& at, std::size_t rank) {
  const bool negative = coefficient.value() < 0;
  const std::string size = (negative ? -coefficient : coefficient).text();
  std::string text = (negative ? "−" : "+") + (size == "1" ? "" : size + "·") + tensor + "(";
  for (std::size_t axis = 0; axis < rank; ++axis) text += (axis > 0 ? ", " : "") + std::to_string(at[axis]);
  return text + ")";
}

}  // namespace

std::shared_ptr<const AnyMap> output_map(const Plan& plan) {
  const Algorithm& row = plan.algorithm();
  if (row.family != "winograd" || row.vendor) return nullptr;
  const Request& asked = plan.request();
  return winograd_output(plan.problem(), std::make_shared<const Nested>(
                                             nest(row.unit == Unit::cpu ? asked : gpu::with_output_tile(asked))));
}

std::optional<Rational> coefficient(const Model& model, const Cursor& cursor, const Exhibit& exhibit, const Coord& cell,
                                    Tie tie) {
  const Exhibit& pointed = *model.find(cursor.tensor);
  if (tie == Tie::source)
    if (const AnyMap* const map = map_between(model, pointed, exhibit))
      return coefficient_in(map->source(cursor.at), operand_of(exhibit), cell);
  if (tie == Tie::destination)
    if (const AnyMap* const map = map_between(model, exhibit, pointed))
      return coefficient_in(map->source(cell), operand_of(pointed), cursor.at);
  return std::nullopt;
}

std::map<std::string, std::vector<Coefficient>> coefficients_of(const Model& model, const Cursor& cursor,
                                                                const Links& links) {
  std::map<std::string, std::vector<Coefficient>> all;
  for (const Exhibit& exhibit : model.exhibits()) {
    const auto lit = links.cells.find(exhibit.id);
    const auto tie = links.ties.find(exhibit.id);
    if (lit == links.cells.end() || tie == links.ties.end()) continue;
    std::vector<Coefficient> of = of_exhibit(model, cursor, exhibit, tie->second, lit->second);
    if (!of.empty()) all.emplace(exhibit.id, std::move(of));
  }
  return all;
}

std::string Combination::text(std::size_t shown) const {
  std::string text = head;
  for (std::size_t k = 0; k < std::min(shown, terms.size()); ++k) text += " " + terms[k];
  if (terms.size() > shown) text += " … " + std::to_string(terms.size() - shown) + " more";
  return text;
}

Combination combination_of(const Model& model, const Exhibit& exhibit, const Coord& cell) {
  Combination found;
  if (exhibit.role == Role::output) {
    for (const ChosenRow& row : model.rows()) {
      if (row.output == nullptr) continue;
      found.head = row.algorithm->id + ": y =";
      for (const Term& term : row.output->source(cell).terms)
        found.terms.push_back(term_text(term.coefficient, "M", term.at.first, kMaxRank));
      break;
    }
    return found;
  }
  const AnyMap* const map = map_between(model, *model.find("y"), exhibit);
  if (map == nullptr) return found;
  const Operand self = operand_of(exhibit);
  found.head = "added to y as";
  for (const Box& box : map->cells(self, cell))
    for_each_cell(box, [&](const Coord& at) {
      if (const auto value = coefficient_in(map->source(at), self, cell))
        found.terms.push_back(term_text(*value, "y", at, 4));
    });
  return found;
}

}  // namespace convlens::viewer
