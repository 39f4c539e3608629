// implicit_gemm.cpu: im2col's product, fast, with a matrix that exists only as pointers.
//
//   y(n, o, p, q) = bias(o) + Σ_(u,v) Σ_c A(n, p, q, c, u, v) · w(o, c, u, v)       A as in im2col_map.h
//
// In NHWC the C_i values of one tap lie together in x, so a row of A is H_f·W_f runs: for each pixel of a register tile
// the map is asked once a tap where its run begins, and padding is a run of zeros. The pointers serve all output
// channels. Source: Dukhan, "The indirect convolution algorithm", 2019, arXiv 1907.02129; Chetlur et al. 2014, arXiv
// 1410.0759.
#include <algorithm>

#include "algorithms/im2col/im2col.h"
#include "algorithms/im2col/im2col_map.h"
#include "algorithms/simd/block_loop.h"
#include "algorithms/simd/picture.h"

namespace convlens {

namespace {

struct ImplicitWindows {
  const ConvProblem& problem;
  Im2colMap map;
  View<const float> x;
  const float* zeros;

  std::int64_t segments() const { return problem.taps(); }
  std::int64_t length() const { return problem.ci_per_group(); }
  void prepare(const simd::Block&, int) const {}

  void rows(const simd::Block&, std::int64_t n, std::int64_t p, std::int64_t q, std::int64_t count, std::int64_t g,
            std::int64_t s, int, const float** out) const {
    const std::int64_t u = s / problem.wf(), v = s % problem.wf();
    for (std::int64_t i = 0; i < count; ++i) {
      const Gathered cell = map.gather({n, p, q + i, g * problem.ci_per_group(), u, v});
      out[i] = cell.kind == SourceKind::element ? &x(cell.at[0], cell.at[1], cell.at[2], cell.at[3]) : zeros;
    }
  }
};

Decisions decide(const Request& request) {
  const simd::LoopPlan loop(request, simd::kRowTapChannel, simd::picture_row_bytes(request));
  std::vector<Stage> stages = simd::picture_stages(request);
  stages.push_back(im2col_stage(request.problem, request.dtype));
  stages.back().stored = false;

  const std::int64_t run = request.problem.ci_per_group();
  Decisions d = loop.decisions(stages, {{"zeros", run * size_of(request.dtype)}});
  d.execute = [=](const Arguments& a, const Workspace& workspace, int, Stream) {
    const simd::Picture picture(request, a.x, workspace);
    float* const zeros = workspace.get<float>("zeros");
    std::fill_n(zeros, run, 0.0f);
    loop.run(a, workspace, ImplicitWindows{loop.problem, Im2colMap(loop.problem), picture.view(), zeros});
  };
  return d;
}

}  // namespace

const Algorithm& implicit_gemm_cpu() {
  static const Algorithm row{
      .id = "implicit_gemm.cpu",
      .family = "implicit_gemm",
      .unit = Unit::cpu,
      .title = "Implicit GEMM, fast",
      .sentence =
          "Multiplies im2col's matrix without storing it: a pointer a pixel and tap says where each run of channels "
          "lies.",
      .source = "Dukhan 2019, arXiv 1907.02129",
      .options = simd::loop_options(),
      .rules = {simd::f32_only()},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens
