// implicit_gemm.cpu: im2col's product, fast, with a matrix that exists only as pointers.
//
//   y(n, o, p, q) = bias(o) + Σ_(u,v) Σ_c A(n, p, q, c, u, v) · w(o, c, u, v)       A as in im2col_map.h
//
// In NHWC the C_i values of one tap lie together in x, so a row of A is H_f·W_f runs: for each pixel of a register tile
// the map is asked once a tap where its run begins, and padding is a run of zeros. The pointers serve all output
// channels. A run of fewer channels than a vector has lanes is too short for a pointer of its own; there the taps of a
// filter row, which lie together too, share one (simd/windows_in_place.h). Source: Dukhan, "The indirect convolution
// algorithm", 2019, arXiv 1907.02129; Chetlur et al. 2014, arXiv 1410.0759.
#include <algorithm>

#include "algorithms/im2col/im2col.h"
#include "algorithms/im2col/im2col_map.h"
#include "algorithms/simd/block_loop.h"
#include "algorithms/simd/picture.h"
#include "algorithms/simd/windows_in_place.h"

namespace convlens {

namespace {

struct ImplicitWindows {
  const ConvProblem& problem;
  Im2colMap map;
  View<const float> x;
  const float* zeros;

  std::int64_t segments() const { return problem.taps(); }
  std::int64_t length() const { return problem.ci_per_group(); }
  void prepare(const simd::Block&, std::int64_t, int) const {}

  void rows(const simd::Block&, std::int64_t n, std::int64_t p, std::int64_t q, std::int64_t count, std::int64_t g,
            std::int64_t s, int, const float** out) const {
    const std::int64_t u = s / problem.wf(), v = s % problem.wf();
    for (std::int64_t i = 0; i < count; ++i) {
      const Gathered cell = map.gather({n, p, q + i, g * problem.ci_per_group(), u, v});
      out[i] = cell.kind == SourceKind::element ? &x(cell.at[0], cell.at[1], cell.at[2], cell.at[3]) : zeros;
    }
  }
};

bool pointer_a_row(const ConvProblem& p) {
  constexpr std::int64_t kShort = 16;
  return p.ci() < kShort && simd::WindowsInPlace::whole_rows(p);
}

Decisions decide(const Request& request) {
  const simd::Panels panels(request.problem, simd::kRowTapChannel);
  const bool rows = pointer_a_row(request.problem);
  const std::int64_t size = size_of(request.dtype);
  const simd::LoopPlan loop(request, panels, simd::picture_row_bytes(request),
                            rows ? simd::WindowsInPlace::border_length(request.problem, 1, 1) * size : 0);
  std::vector<Stage> stages = simd::picture_stages(request);
  stages.push_back(im2col_stage(request.problem, request.dtype));
  stages.back().stored = false;

  const std::int64_t border_rows = loop.blocking.images * loop.blocking.rows;
  std::vector<Buffer> scratch{{"zeros", simd::WindowsInPlace::zeros_length(request.problem) * size}};
  if (rows)
    scratch.push_back(
        {"border", simd::WindowsInPlace::border_length(request.problem, loop.threads, border_rows) * size});
  Decisions d = loop.decisions(stages, scratch);
  d.notes.push_back(rows ? "a pointer a filter row" : "a pointer a tap");
  simd::set_calls(d, [=](const Arguments& a, const Workspace& workspace, bool packed_already) {
    const simd::Picture picture(request, a.x, workspace, packed_already);
    float* const zeros = workspace.get<float>("zeros");
    if (!packed_already) std::fill_n(zeros, simd::WindowsInPlace::zeros_length(loop.problem), 0.0f);
    if (rows)
      loop.run(a, workspace, packed_already,
               simd::WindowsInPlace{loop.problem, picture.view(), zeros, workspace.get<float>("border"), border_rows});
    else
      loop.run(a, workspace, packed_already,
               ImplicitWindows{loop.problem, Im2colMap(loop.problem), picture.view(), zeros});
  });
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
