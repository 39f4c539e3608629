// direct.cpu: the definition, fast, on pictures in NHWC that are read where they are (others are copied to NHWC first).
//
//   y(n, o, p, q) = bias(o) + Σ_u Σ_(v,c) x(n, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left, c) · w(o, u, v, c)
//
// In NHWC the channels of a pixel are contiguous, and without dilation so are the W_f pixels under a row of the filter:
// a window is H_f runs of W_f·C_i values, long ones even for C_i = 3. The micro-kernel takes a pointer a run. Rows
// above and below the picture point to zeros; of the few windows that overlap the padding at its sides, runs are
// copied, with zeros, into a border buffer. With dilation or groups a run is one tap's channels and needs no border.
//
// Source: Zhang, Franchetti & Low, "High performance zero-memory overhead direct convolutions", ICML 2018,
// arXiv 1809.10170.
#include <algorithm>

#include "algorithms/direct/direct.h"
#include "algorithms/interface/tensor_maps.h"
#include "algorithms/simd/block_loop.h"
#include "algorithms/simd/picture.h"

namespace convlens {

namespace {

struct WindowsInPlace {
  const ConvProblem& problem;
  View<const float> x;
  const float* zeros;
  float* border;  // [threads][rows of a block][border columns][H_f][run]
  std::int64_t border_rows;
  std::int64_t first_inner = left(problem), end_inner = right(problem);

  static bool whole_rows(const ConvProblem& p) { return p.groups() == 1 && p.spec().dilation_w == 1; }
  static std::int64_t run(const ConvProblem& p) { return p.ci_per_group() * (whole_rows(p) ? p.wf() : 1); }

  // Output columns 0 … left − 1 and right … W_o − 1 overlap the padding at the sides.
  static std::int64_t left(const ConvProblem& p) {
    const std::int64_t s = p.spec().stride_w;
    return whole_rows(p) ? std::min(p.wo(), (p.spec().pad_left + s - 1) / s) : 0;
  }
  static std::int64_t right(const ConvProblem& p) {
    if (!whole_rows(p)) return p.wo();
    std::int64_t q = p.wo();
    while (q > left(p) && p.input_column(q - 1, p.wf() - 1) >= p.wi()) --q;
    return q;
  }
  static std::int64_t border_columns(const ConvProblem& p) { return left(p) + p.wo() - right(p); }

  std::int64_t segments() const { return problem.hf() * (whole_rows(problem) ? 1 : problem.wf()); }
  std::int64_t length() const { return run(problem); }

  float* border_run(std::int64_t row, std::int64_t q, std::int64_t u, int thread) const {
    const std::int64_t columns = border_columns(problem);
    const std::int64_t column = q < first_inner ? q : first_inner + q - end_inner;
    return border + (((thread * border_rows + row) * columns + column) * problem.hf() + u) * run(problem);
  }

  void prepare(const simd::Block& block, int thread) const {
    if (border_columns(problem) == 0) return;
    std::int64_t row = 0;
    for (std::int64_t n = block.first_n; n < block.first_n + block.images; ++n)
      for (std::int64_t p = block.first_p; p < block.first_p + block.rows; ++p, ++row)
        for (std::int64_t u = 0; u < problem.hf(); ++u) {
          for (std::int64_t q = 0; q < first_inner; ++q)
            copy_run(n, problem.input_row(p, u), q, border_run(row, q, u, thread));
          for (std::int64_t q = end_inner; q < problem.wo(); ++q)
            copy_run(n, problem.input_row(p, u), q, border_run(row, q, u, thread));
        }
  }

  void copy_run(std::int64_t n, std::int64_t h, std::int64_t q, float* to) const {
    for (std::int64_t v = 0; v < problem.wf(); ++v)
      for (std::int64_t c = 0; c < problem.ci(); ++c) *to++ = x.padded(n, c, h, problem.input_column(q, v));
  }

  void rows(const simd::Block& block, std::int64_t n, std::int64_t p, std::int64_t q, std::int64_t count,
            std::int64_t g, std::int64_t s, int thread, const float** out) const {
    const bool whole = whole_rows(problem);
    const std::int64_t u = whole ? s : s / problem.wf(), v = whole ? 0 : s % problem.wf();
    const std::int64_t h = problem.input_row(p, u);
    if (whole) {
      const std::int64_t inner = std::clamp(first_inner - q, std::int64_t{0}, count);
      const std::int64_t end = std::clamp(end_inner - q, inner, count);
      const std::int64_t row = (n - block.first_n) * block.rows + p - block.first_p;
      for (std::int64_t i = 0; i < inner; ++i) out[i] = border_run(row, q + i, u, thread);
      inner_runs(n, h, q + inner, end - inner, out + inner);
      for (std::int64_t i = end; i < count; ++i) out[i] = border_run(row, q + i, u, thread);
      return;
    }
    const bool row_inside = h >= 0 && h < problem.hi();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t w = problem.input_column(q + i, v);
      out[i] = row_inside && w >= 0 && w < problem.wi() ? &x(n, g * problem.ci_per_group(), h, w) : zeros;
    }
  }

  // Runs that lie within the picture's columns; only their row may be padding.
  void inner_runs(std::int64_t n, std::int64_t h, std::int64_t q, std::int64_t count, const float** out) const {
    const bool inside = h >= 0 && h < problem.hi();
    const float* run = inside ? &x(n, 0, h, problem.input_column(q, 0)) : zeros;
    const std::int64_t step = inside ? problem.spec().stride_w * x.strides[3] : 0;
    for (std::int64_t i = 0; i < count; ++i, run += step) out[i] = run;
  }
};

Decisions decide(const Request& request) {
  const ConvProblem& problem = request.problem;
  const simd::LoopPlan loop(request, simd::kRowTapChannel, simd::picture_row_bytes(request));
  const std::int64_t run_bytes = WindowsInPlace::run(problem) * size_of(request.dtype);
  const std::int64_t border_rows = loop.blocking.images * loop.blocking.rows;
  const std::int64_t border_runs = border_rows * WindowsInPlace::border_columns(problem) * problem.hf();

  std::vector<Stage> pictures = simd::picture_stages(request);
  if (pictures.empty()) pictures = {input_stage(problem, request.dtype)};
  Decisions d = loop.decisions(pictures, {{"zeros", run_bytes}, {"border", loop.threads * border_runs * run_bytes}});
  d.execute = [=](const Arguments& a, const Workspace& workspace, int, Stream) {
    const simd::Picture picture(request, a.x, workspace);
    float* const zeros = workspace.get<float>("zeros");
    std::fill_n(zeros, WindowsInPlace::run(loop.problem), 0.0f);
    loop.run(a, workspace,
             WindowsInPlace{loop.problem, picture.view(), zeros, workspace.get<float>("border"), border_rows});
  };
  return d;
}

}  // namespace

const Algorithm& direct_cpu() {
  static const Algorithm row{
      .id = "direct.cpu",
      .family = "direct",
      .unit = Unit::cpu,
      .title = "Direct, fast",
      .sentence = "Reads NHWC pictures where they are, a pointer a filter row, into a register tile.",
      .source = "Zhang, Franchetti & Low 2018, arXiv 1809.10170",
      .options = simd::loop_options(),
      .rules = {simd::f32_only()},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens
