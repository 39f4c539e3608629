// im2win.cpu: im2win, fast. The windows of a few output rows are formed where they are needed, in the L2 cache.
//
//   Î(n, c, m, k, u) as in im2win_map.h, in the order (n, m, k, u, c)
//   y(n, o, m, j) = bias(o) + Σ_(v,u,c) Î[m][(j·s_w + v·d_w)·H_f·C_i + …] · w(o, c, u, v)
//
// Without dilation and groups a window is one run of W_f·H_f·C_i values: one segment of the micro-kernel, whatever the
// filter, the padding or the input's layout; all of these were settled when the strip was formed. That is what im2win
// is for. Sources: Lu, Chu & Liu, HPEC 2022, arXiv 2306.14320; NHWC windows: arXiv 2408.00278.
//
//   windows=block    a thread forms the strips of its block of output rows, a few channels at a time; Î as a whole
//   never
//                    exists. With the filter packed piece by piece as well (pack=block) what a thread holds is small
//                    enough for its caches, however many channels the layer has
//   windows=stored   all of Î is stored first, as the papers do
#include "algorithms/im2win/im2win.h"
#include "algorithms/im2win/im2win_map.h"
#include "algorithms/simd/block_loop.h"
#include "algorithms/simd/fill_runs.h"

namespace convlens {

namespace {

struct Im2winWindows {
  const ConvProblem& problem;
  const Stage& tensor;
  View<const float> x;
  float* memory;
  bool stored;
  std::int64_t pieces;  // of the channels; only where there are no groups

  std::int64_t channels() const { return problem.ci() / pieces; }  // of a cell that are in memory
  // Taps that follow each other in a strip: all of them, or without gaps between taps v or channel groups.
  bool one_run() const { return problem.groups() == 1 && problem.spec().dilation_w == 1; }
  std::int64_t segments() const { return one_run() ? 1 : problem.wf() * (problem.groups() == 1 ? 1 : problem.hf()); }
  std::int64_t length() const { return problem.reduction() / pieces / segments(); }

  float* strip(const simd::Block& block, std::int64_t n, std::int64_t m, int thread) const {
    const std::int64_t in_n = stored ? n : n - block.first_n, in_m = stored ? m : m - block.first_p;
    const std::int64_t copy = stored ? 0 : thread * tensor.resident_cells();
    return memory + copy + in_n * tensor.axes[0].stride + in_m * tensor.axes[2].stride;
  }

  Box box(const simd::Block& block, std::int64_t piece) const {
    return {{block.first_n, piece * channels(), block.first_p, 0, 0, 0},
            {block.images, channels(), block.rows, tensor.axes[3].extent, tensor.axes[4].extent, 1}};
  }

  void prepare(const simd::Block& block, std::int64_t piece, int thread) const {
    if (!stored) fill(block, piece, strip(block, block.first_n, block.first_p, thread));
  }
  void fill(const simd::Block& block, std::int64_t piece, float* to) const {
    simd::fill_runs<5, 0, 2, 3, 4, 1>(Im2winMap(problem), box(block, piece), x, to);
  }

  void rows(const simd::Block& block, std::int64_t n, std::int64_t m, std::int64_t j, std::int64_t count,
            std::int64_t g, std::int64_t s, int thread, const float** out) const {
    const std::int64_t v = problem.groups() == 1 ? s : s / problem.hf(),
                       u = problem.groups() == 1 ? 0 : s % problem.hf();
    const std::int64_t k = j * problem.spec().stride_w + v * problem.spec().dilation_w;
    const float* const first =
        strip(block, n, m, thread) + (k * problem.hf() + u) * channels() + g * problem.ci_per_group();
    const std::int64_t step = problem.spec().stride_w * problem.hf() * channels();
    for (std::int64_t i = 0; i < count; ++i) out[i] = first + i * step;
  }
};

Decisions decide(const Request& request) {
  const bool stored = request.options.is("windows", "stored");
  const std::int64_t pieces = stored ? 1 : simd::channel_pieces(request);
  Stage tensor = im2win_stage(request.problem, request.dtype, WindowOrder::NHWC);
  const simd::Panels panels(request.problem, simd::kTapRowChannel, false, pieces);
  const std::int64_t row_bytes = tensor.axes[2].stride * tensor.cell_bytes() / pieces;
  const simd::LoopPlan loop(request, panels, row_bytes, stored ? 0 : row_bytes);
  if (!stored) {
    tensor.axes[0].resident = std::min(tensor.axes[0].extent, loop.blocking.images);
    tensor.axes[1].resident /= pieces;
    tensor.axes[2].resident = loop.blocking.rows;
    tensor.copies = loop.threads;
    tensor.lay_out({0, 2, 3, 4, 1});
  }

  Decisions d = loop.decisions({tensor}, {});
  simd::set_calls(d, [=](const Arguments& a, const Workspace& workspace, bool packed_already) {
    const Im2winWindows windows{loop.problem, tensor, a.x.as<float>(), workspace.get<float>("im2win"), stored, pieces};
    if (stored && !packed_already) {
#pragma omp parallel for collapse(2) num_threads(loop.threads)
      for (std::int64_t n = 0; n < loop.problem.n(); ++n)
        for (std::int64_t m = 0; m < loop.problem.ho(); ++m) {
          const simd::Block row{n, 1, m, 1};
          windows.fill(row, 0, windows.strip(row, n, m, 0));
        }
    }
    loop.run(a, workspace, packed_already, windows);
  });
  return d;
}

std::vector<Option> options() {
  std::vector<Option> all = simd::loop_options();
  all.push_back({"windows",
                 "Windows",
                 "Form the windows of a block of output rows in the cache, or store all of them first.",
                 {"block", "stored"},
                 "block",
                 true});
  return all;
}

}  // namespace

const Algorithm& im2win_cpu() {
  static const Algorithm row{
      .id = "im2win.cpu",
      .family = "im2win",
      .unit = Unit::cpu,
      .title = "im2win, fast",
      .sentence = "Forms the strips of a few output rows in the cache and multiplies their windows in a register tile.",
      .source = "Lu, Chu & Liu, HPEC 2022, arXiv 2306.14320; arXiv 2408.00278",
      .options = options(),
      .rules = {simd::f32_only()},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens
