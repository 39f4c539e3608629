// im2win.ref: store, for every output row, the strip of H_f input rows under it, column by column.
//
//   Î(n, c, m, k·H_f + u) = x(n, c, m·s_h + u·d_h − p_top, k − p_left)           0 ≤ k < W̃,  padding stored as zeros
//   y(n, o, m, j) = bias(o) + Σ_c Σ_v Σ_u Î(n, c, m, (j·s_w + v·d_w)·H_f + u) · w(o, c, u, v)
//
// with W̃ = (W_o − 1)·s_w + (W_f − 1)·d_w + 1, the padded columns that windows reach over. The cell's coordinates are
// (n, c, m, k, u). A window starts at k = j·s_w and, at dilation 1, is a single contiguous run (strip_ref.h): as
// convenient as a row of im2col, at N·C_i·H_o·H_f·W̃ elements where im2col stores N·C_i·H_o·H_f·W_o·W_f. The two are
// equal at s_w = W_f; beyond it (s_w > W_f) im2win stores columns that no window uses, and is the larger.
//
// Sources: Lu, Chu & Liu, HPEC 2022, arXiv 2306.14320; Fu et al. 2026, arXiv 2608.20725, read with these corrections:
// Eq. (1) drops the stride; r in Eq. (2) runs over C_i, not C_o; Eq. (3) must say H_f where it says W_f (the same for
// square filters only); and what is saved over im2col is N·C_i·H_o·H_f·(W_o·W_f − W̃) elements: no factor C_o, and
// decided by the filter's width and horizontal stride, not by its height.
#include "algorithms/im2win/im2win.h"
#include "algorithms/im2win/strip_ref.h"

namespace convlens {

Stage im2win_stage(const ConvProblem& p, DType dtype, WindowOrder order) {
  const Im2winMap map(p);
  const std::int64_t width = map.kept.span();
  Stage stage;
  stage.id = "im2win";
  stage.title = "im2win tensor Î";
  stage.meaning = "(n, c, m, k, u): the value in padded column k of the input row that tap u of output row m reads";
  stage.made_from = {kInput};
  stage.axes = {{"n", "N", p.n(), p.n()},
                {"c", "C_i", p.ci(), p.ci()},
                {"m", "H_o", p.ho(), p.ho()},
                {"k", "W̃", width, width},
                {"u", "H_f", p.hf(), p.hf()}};
  stage.dtype = dtype;
  stage.map = erase(map);
  stage.lay_out(memory_order(order));
  return stage;
}

namespace {

Decisions decide(const Request& request) {
  const Stage tensor = im2win_stage(request.problem, request.dtype, window_order(request));
  return StripConvolution<Lowered::rows>(request, tensor).decide(request.dtype);
}

}  // namespace

const Algorithm& im2win_ref() {
  static const Algorithm row{
      .id = "im2win.ref",
      .family = "im2win",
      .unit = Unit::cpu,
      .title = "im2win",
      .sentence =
          "Copies the rows under each output row into a strip, where windows are contiguous and neighbours overlap.",
      .source = "Lu, Chu & Liu, HPEC 2022, arXiv 2306.14320",
      .options = {window_option()},
      .rules = {},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens
