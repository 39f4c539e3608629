// mec.ref: MEC, memory-efficient convolution: for every output column, the strip of W_f input columns under it.
//
//   L(n, c, q, k, v) = x(n, c, k − p_top, q·s_w + v·d_w − p_left)                0 ≤ k < H̃,  padding stored as zeros
//   y(n, o, p, q) = bias(o) + Σ_c Σ_u Σ_v L(n, c, q, p·s_h + u·d_h, v) · w(o, c, u, v)
//
// with H̃ = (H_o − 1)·s_h + (H_f − 1)·d_h + 1. It is im2win with H and W exchanged, and the code says so: the two are
// one template (strip_ref.h). It stores N·C_i·W_o·W_f·H̃ elements. The paper multiplies the windows of an output row by
// a GEMM whose rows overlap; this reference takes the same inner products one by one.
//
// Source: Cho & Brand, "MEC: Memory-efficient convolution for deep neural network", ICML 2017, arXiv 1706.06873.
#include "algorithms/im2win/im2win.h"
#include "algorithms/im2win/strip_ref.h"

namespace convlens {

Stage mec_stage(const ConvProblem& p, DType dtype, WindowOrder order) {
  const MecMap map(p);
  const std::int64_t height = map.kept.span();
  Stage stage;
  stage.id = "mec";
  stage.title = "MEC lowered matrix L";
  stage.meaning = "(n, c, q, k, v): the value in padded row k of the input column that tap v of output column q reads";
  stage.made_from = {kInput};
  stage.axes = {{"n", "N", p.n(), p.n()},
                {"c", "C_i", p.ci(), p.ci()},
                {"q", "W_o", p.wo(), p.wo()},
                {"k", "H̃", height, height},
                {"v", "W_f", p.wf(), p.wf()}};
  stage.dtype = dtype;
  stage.map = erase(map);
  stage.lay_out(memory_order(order));
  return stage;
}

namespace {

Decisions decide(const Request& request) {
  const Stage tensor = mec_stage(request.problem, request.dtype, window_order(request));
  return StripConvolution<Lowered::columns>(request, tensor).decide(request.dtype);
}

}  // namespace

const Algorithm& mec_ref() {
  static const Algorithm row{
      .id = "mec.ref",
      .family = "mec",
      .unit = Unit::cpu,
      .title = "MEC, the dual of im2win",
      .sentence = "Copies the input columns of each output column into a strip; im2win with H and W exchanged.",
      .source = "Cho & Brand, ICML 2017, arXiv 1706.06873",
      .options = {window_option()},
      .rules = {},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens
