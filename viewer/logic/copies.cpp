#include "viewer/logic/copies.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

}  // namespace convlens::viewer
