#include "viewer/logic/copies.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "algorithms/error.h"
#include "algorithms/interface/window.h"
#include "viewer/logic/spectra.h"

namespace convlens::viewer {

namespace {

// The first element along an axis that an output reads.
std::int64_t first_read(const WindowAxis& axis) {
  for (std::int64_t output = 0; output < axis.outputs; ++output)
    for (std::int64_t tap = 0; tap < axis.taps; ++tap)
      if (axis.inside(axis.input(output, tap))) return axis.input(output, tap);
  return 0;  // all windows lie on padding
}

// Of the entries from `first` on, `count` of them, those at both ends in part.
double mean_of(const std::vector<std::int64_t>& entries, double first, double count) {
  const double last = std::min(first + count, static_cast<double>(entries.size()));
  double sum = 0;
  for (double at = first; at < last;) {
    const double next = std::min(last, std::floor(at) + 1);
    sum += (next - at) * static_cast<double>(entries[static_cast<std::size_t>(at)]);
    at = next;
  }
  return last > first ? sum / (last - first) : 0;
}

// The rows of one stage; `first` is what all of them begin with.
void add_rows(const nlohmann::ordered_json& first, const Copies& copies, const ConvProblem& p, const Stage& stage,
              nlohmann::ordered_json& rows) {
  const bool counted = copies.elements > 0 || copies.zeros > 0;
  for (std::int64_t h = 0; h < copies.height; ++h)
    for (std::int64_t w = 0; w < copies.width; ++w) {
      nlohmann::ordered_json row = first;
      row["holds"] = counted ? "element" : "mixed";
      row["n"] = 0, row["n_count"] = p.n(), row["c"] = 0, row["c_count"] = p.ci();
      row["h"] = h, row["w"] = w;
      row["copies"] = copies.at(h, w);
      if (counted) {
        const std::int64_t cells = copies.at(h, w) * p.n() * p.ci();
        row["cells"] = cells, row["bytes"] = cells * stage.cell_bytes();
      }
      rows.push_back(std::move(row));
    }
  const auto add = [&](const char* holds, std::int64_t cells) -> nlohmann::ordered_json& {
    nlohmann::ordered_json row = first;
    row["holds"] = holds, row["cells"] = cells, row["bytes"] = cells * stage.cell_bytes();
    return rows.emplace_back(std::move(row));
  };
  if (counted) add("zeros", copies.zeros);
  nlohmann::ordered_json& all = add("all", stage.cells());
  all["passes"] = stage.passes(), all["ledger_bytes"] = stage.bytes();
}

}  // namespace

double Copies::mean(double row, double column, double side) const {
  return mean_of(rows, row, side) * mean_of(columns, column, side) / static_cast<double>(crossing);
}

std::optional<Copies> copies_of(const Model& model, const Exhibit& exhibit) {
  if (exhibit.role != Role::stage) return std::nullopt;
  const Stage& stage = model.stage(exhibit);
  const ConvProblem& p = *model.problem();
  if (stage.made_from != std::vector{kInput} || exhibit.cells() == 0 || p.hi() + p.wi() > kMostCounted)
    return std::nullopt;
  const auto boxes = [&](std::int64_t h, std::int64_t w) { return stage.map->cells(kInput, {0, 0, h, w}); };
  const auto count = [&](std::int64_t h, std::int64_t w) {
    std::int64_t cells = 0;
    for (const Box& box : boxes(h, w)) cells += box.size();
    return cells;
  };
  const std::int64_t row = first_read(WindowAxis::rows(p)), column = first_read(WindowAxis::columns(p));
  Copies copies;
  copies.height = p.hi(), copies.width = p.wi();
  for (std::int64_t h = 0; h < p.hi(); ++h) copies.rows.push_back(count(h, column));
  for (std::int64_t w = 0; w < p.wi(); ++w) copies.columns.push_back(count(row, w));
  copies.crossing = std::max<std::int64_t>(1, count(row, column));
  copies.most = std::ranges::max(copies.rows) * std::ranges::max(copies.columns) / copies.crossing;
  copies.bytes = stage.cells() * stage.cell_bytes();

  const std::vector<Box> held = boxes(row, column);
  if (holds_spectra(stage)) return copies;  // whose cells' sources may be too many to list
  const SourceKind kind = held.empty() ? SourceKind::element : stage.map->source(held.front().first).kind;
  if (kind == SourceKind::combination || kind == SourceKind::region) return copies;
  const auto sum = [](const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  };
  // Divided before they are multiplied, so that nothing overflows.
  const std::int64_t part = std::gcd(sum(copies.columns), copies.crossing);
  copies.elements = sum(copies.rows) / (copies.crossing / part) * (sum(copies.columns) / part) * p.n() * p.ci();
  copies.zeros = stage.cells() - copies.elements;
  return copies;
}

nlohmann::ordered_json copies_rows(const Model& model) {
  const ConvProblem& p = *model.problem();
  std::vector<std::vector<std::pair<const Exhibit*, Copies>>> of_rows(model.rows().size());
  std::int64_t maps = 0;
  for (const Exhibit& exhibit : model.exhibits())
    if (std::optional<Copies> copies = copies_of(model, exhibit))
      of_rows[static_cast<std::size_t>(exhibit.row)].emplace_back(&exhibit, std::move(*copies)), ++maps;
  if (maps > 0 && p.hi() * p.wi() > kMostPixelRows / maps)
    throw Unsupported("copies: " + std::to_string(maps) + (maps == 1 ? " tensor of " : " tensors of ") +
                      std::to_string(p.hi()) + " × " + std::to_string(p.wi()) + " pixels, must be at most " +
                      std::to_string(kMostPixelRows) + " rows of a table");
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  if (p.n() == 0) return rows;
  for (std::size_t r = 0; r < of_rows.size(); ++r) {
    const std::string& run = model.rows()[r].run;
    for (const auto& [exhibit, copies] : of_rows[r])
      add_rows({{"run", run}, {"tensor", exhibit->id}}, copies, p, model.stage(*exhibit), rows);
    if (of_rows[r].empty() && model.rows()[r].plan)
      rows.push_back({{"run", run}, {"holds", "all"}, {"cells", 0}, {"bytes", 0}, {"passes", 1}, {"ledger_bytes", 0}});
  }
  return rows;
}

}  // namespace convlens::viewer
