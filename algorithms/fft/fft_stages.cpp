#include "algorithms/fft/fft_stages.h"

#include <cmath>
#include <string>

#include "algorithms/fft/fft_map.h"
#include "algorithms/problem/checked.h"

namespace convlens::fft {

std::vector<Stage> stages(const ConvProblem& p, DType dtype, const Lengths& n) {
  const InputSpectrumMap input(p, n);
  const std::int64_t ti = input.rows.tiles, tj = input.columns.tiles, channels = p.ci_per_group();
  const Axis tile_row{"i", "T_h", ti, ti}, tile_column{"j", "T_w", tj, tj};
  const Axis bin_row{"k", "P_h", n.h, n.h}, bin_column{"l", "(P_w/2+1)", n.half(), n.half()};

  const std::string tile = ti * tj == 1 ? "" : "tile (i, j) of ";

  Stage x, w, y;
  x.id = "input_spectra";
  x.title = "input spectra X̂";
  x.meaning = "bin (k, l) of the transform of " + tile + "input channel c";
  x.made_from = {kInput};
  x.axes = {{"n", "N", p.n(), p.n()}, {"c", "C_i", p.ci(), p.ci()}, tile_row, tile_column, bin_row, bin_column};
  x.map = erase(input);

  w.id = "filter_spectra";
  w.title = "filter spectra Ŵ";
  w.meaning = "bin (k, l) of the transform of the filter's slice (o, c), not flipped and not yet conjugated";
  w.made_from = {kFilter};
  const Axis group_channel{"c", p.groups() == 1 ? "C_i" : "(C_i/groups)", channels, channels};
  w.axes = {{"o", "C_o", p.co(), p.co()}, group_channel, bin_row, bin_column};
  w.map = erase(FilterSpectrumMap(p, n));

  y.id = "product_spectra";
  y.title = "product spectra Ŷ";
  y.meaning = "bin (k, l) of " + tile + "output channel o: the sum over c of X̂ · conj Ŵ";
  y.made_from = {stage_operand(0), stage_operand(1)};
  y.axes = {{"n", "N", p.n(), p.n()}, {"o", "C_o", p.co(), p.co()}, tile_row, tile_column, bin_row, bin_column};
  y.map = erase(ProductSpectrumMap(p, n));

  for (Stage* stage : {&x, &w, &y}) {
    stage->dtype = accumulator_of(dtype);
    stage->complex = true;
  }
  x.lay_out({0, 1, 2, 3, 5, 4});  // columns of a spectrum are contiguous
  w.lay_out({0, 1, 3, 2});
  y.lay_out({0, 1, 2, 3, 5, 4});
  return {x, w, y};
}

std::int64_t executed_flops(const ConvProblem& p, const Lengths& n) {
  const char* const what = "executed FLOPs";
  const InputSpectrumMap input(p, n);
  const std::int64_t tiles = checked::product("tiles", {input.rows.tiles, input.columns.tiles});
  const std::int64_t transform = std::llround(2.5 * static_cast<double>(n.points()) * n.log2_points());
  const std::int64_t of_input = checked::product(what, {p.n(), p.ci(), tiles, transform});
  const std::int64_t of_filter = checked::product(what, {p.co(), p.ci_per_group(), transform});
  const std::int64_t of_product = checked::product(what, {8, p.n(), p.co(), p.ci_per_group(), tiles, n.bins()});
  const std::int64_t of_output = checked::product(what, {p.n(), p.co(), tiles, transform});
  return checked::sum(what, {of_input, of_filter, of_product, of_output});
}

}  // namespace convlens::fft
