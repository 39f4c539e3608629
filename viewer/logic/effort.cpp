#include "viewer/logic/effort.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "algorithms/interface/registry.h"
#include "viewer/logic/model.h"
#include "viewer/logic/sheet.h"
#include "viewer/logic/spectra.h"

namespace convlens::viewer {

namespace {

constexpr double kProduct = 3;   // of a sum over x and w: two reads and a multiplication
constexpr double kQuestion = 8;  // of an index map

void add(Effort& sum, const Effort& more, double times) {
  sum.each += times * more.each;
  sum.tile += times * more.tile;
  sum.spectra += times * more.spectra;
  sum.tile_bytes += times * more.tile_bytes;
  sum.height = std::max(sum.height, more.height), sum.width = std::max(sum.width, more.width);
}

Effort effort_of_spectrum(const Plan& plan, const Stage& stage, const Coord& cell) {
  const fft::Lengths lengths = SpectralStage(plan, stage).cell(cell).lengths;
  const auto points = static_cast<double>(lengths.points());
  Effort effort{kQuestion, points * std::log2(std::max(2.0, points)),
                1,         static_cast<double>(lengths.bins()) * sizeof(std::complex<double>),
                lengths.h, lengths.w};
  // With gaps between taps a cell's map lists what is read run by run.
  const ConvSpec& s = plan.problem().spec();
  const bool gaps = s.dilation_h > 1 || s.dilation_w > 1 || s.stride_h > s.hf || s.stride_w > s.wf;
  if (gaps) effort.each += points;
  return effort;
}

Effort effort_of_cell(const Plan& plan, const Stage& stage, const Coord& cell) {
  if (holds_spectra(stage)) return effort_of_spectrum(plan, stage, cell);
  Effort effort{kQuestion};
  for (const Term& term : stage.map->source(cell).terms) {
    if (term.from.id < 0) {
      add(effort, {kProduct}, static_cast<double>(term.at.size()));
      continue;
    }
    const Stage& below = plan.stages()[static_cast<std::size_t>(term.from.id)];
    add(effort, effort_of_cell(plan, below, term.at.first), static_cast<double>(one_entry(below, term.at).size()));
  }
  return effort;
}

}  // namespace

Effort effort_of(const Model& model, const Exhibit& exhibit) {
  const ConvProblem& p = *model.problem();
  if (exhibit.role == Role::output)
    return {kProduct * static_cast<double>(p.ci_per_group()) * static_cast<double>(p.taps())};
  if (exhibit.role != Role::stage || exhibit.cells() == 0) return {};
  const Plan& plan = *model.rows()[static_cast<std::size_t>(exhibit.row)].plan;
  Effort most;
  for (const int quarter : {0, 2, 4}) {
    Coord cell{};
    for (std::size_t axis = 0; axis < exhibit.axes.size(); ++axis)
      cell[axis] = (exhibit.axes[axis].extent - 1) / 4 * quarter;
    const Effort here = effort_of_cell(plan, model.stage(exhibit), cell);
    if (here.each + here.tile > most.each + most.tile) most = here;
  }
  return most;
}

double tiles_under(const Exhibit& exhibit, const Sheet& sheet, double cells) {
  double of_a_tile = 1;
  for (const auto* axes : {&sheet.down(), &sheet.across()})
    for (const int axis : *axes)
      if (const Axis& a = exhibit.axes[static_cast<std::size_t>(axis)];
          is_bin(a) && (axes == &sheet.down() || axis != exhibit.fold.axis))  // which runs both ways
        of_a_tile *= static_cast<double>(a.extent);
  return std::max(1.0, cells / of_a_tile);
}

int grain_of(const Effort& effort, double pixels, double tiles) {
  for (int grain = 1; grain <= 8; grain *= 2) {
    const double cells = std::ceil(pixels / (grain * grain));
    // Spectra that cannot all be kept are computed anew for every cell.
    const double times = effort.tile_bytes > kKeptSpectraBytes ? cells : std::min(cells, tiles);
    if (cells * effort.each + times * effort.tile <= kMostSteps) return grain;
  }
  return 0;
}

std::string too_much(const Effort& effort) {
  if (effort.each + effort.tile <= kMostSteps) return "";
  const auto count = static_cast<std::int64_t>(effort.spectra);
  return "a cell takes " + std::to_string(count) + (count == 1 ? " transform" : " transforms") + " of " +
         std::to_string(effort.height) + " × " + std::to_string(effort.width) + " points";
}

std::string in_tiles(const std::string& run) {
  Run tiled = parse_run(run);
  for (const Option& option : tiled.algorithm->options) {
    if (option.id != "transform" || std::ranges::find(option.values, "tiled") == option.values.end()) continue;
    if (tiled.options.is("transform", "tiled")) return "";
    tiled.options.set("transform", "tiled");
    return run_name(*tiled.algorithm, tiled.options);
  }
  return "";
}

}  // namespace convlens::viewer
