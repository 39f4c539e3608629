// im2col.cpu: im2col, fast. The rows of a block of outputs are formed in the L2 cache and multiplied there.
//
//   A(r, k) = im2col(x), r = (n, p, q), k = (u, v, c)       the matrix of im2col_map.h, its columns in NHWC's order
//   y(n, o, p, q) = bias(o) + Σ_k A(r, k) · W(o, k)
//
//   batching=tile   a thread forms the rows of its block of output rows: cache-sized output tiles; with pack=block a
//   few
//                   channels of all taps at a time
//   batching=full   the whole matrix is stored first, then multiplied
#include "algorithms/im2col/im2col.h"
#include "algorithms/im2col/im2col_map.h"
#include "algorithms/simd/block_loop.h"
#include "algorithms/simd/fill_runs.h"

namespace convlens {

namespace {

struct Im2colWindows {
  const ConvProblem& problem;
  const Stage& matrix;
  View<const float> x;
  float* memory;
  bool stored;
  std::int64_t pieces;  // of the channels; only where there are no groups

  std::int64_t channels() const { return problem.ci() / pieces; }  // of a tap that are in memory
  // With groups, each tap's channels are a segment of their own.
  std::int64_t segments() const { return problem.groups() == 1 ? 1 : problem.taps(); }
  std::int64_t length() const { return problem.reduction() / pieces / segments(); }

  float* row(const simd::Block& block, std::int64_t n, std::int64_t p, int thread) const {
    const std::int64_t in_n = stored ? n : n - block.first_n, in_p = stored ? p : p - block.first_p;
    const std::int64_t copy = stored ? 0 : thread * matrix.resident_cells();
    return memory + copy + in_n * matrix.axes[0].stride + in_p * matrix.axes[1].stride;
  }

  void fill(const simd::Block& block, std::int64_t piece, float* to) const {
    const Box box{{block.first_n, block.first_p, 0, piece * channels(), 0, 0},
                  {block.images, block.rows, problem.wo(), channels(), problem.hf(), problem.wf()}};
    simd::fill_runs<0, 1, 2, 4, 5, 3>(Im2colMap(problem), box, x, to);
  }

  void prepare(const simd::Block& block, std::int64_t piece, int thread) const {
    if (!stored) fill(block, piece, row(block, block.first_n, block.first_p, thread));
  }

  void rows(const simd::Block& block, std::int64_t n, std::int64_t p, std::int64_t q, std::int64_t count,
            std::int64_t g, std::int64_t s, int thread, const float** out) const {
    const std::int64_t step = matrix.axes[2].stride;
    const float* const first = row(block, n, p, thread) + q * step + s * problem.ci() + g * problem.ci_per_group();
    for (std::int64_t i = 0; i < count; ++i) out[i] = first + i * step;
  }
};

Decisions decide(const Request& request) {
  const bool stored = request.options.is("batching", "full");
  Stage matrix = im2col_stage(request.problem, request.dtype);
  const std::vector<int> order{0, 1, 2, 4, 5, 3};
  matrix.lay_out(order);
  const std::int64_t pieces = stored ? 1 : simd::channel_pieces(request);
  const simd::Panels panels(request.problem, simd::kRowTapChannel, false, pieces);
  const std::int64_t row_bytes = matrix.axes[1].stride * matrix.cell_bytes() / pieces;
  const simd::LoopPlan loop(request, panels, row_bytes, stored ? 0 : row_bytes);
  if (!stored) {
    matrix.axes[0].resident = std::min(matrix.axes[0].extent, loop.blocking.images);
    matrix.axes[1].resident = loop.blocking.rows;
    matrix.axes[3].resident /= pieces;
    matrix.copies = loop.threads;
    matrix.lay_out(order);
  }

  Decisions d = loop.decisions({matrix}, {});
  simd::set_calls(d, [=](const Arguments& a, const Workspace& workspace, bool packed_already) {
    const Im2colWindows windows{loop.problem, matrix, a.x.as<float>(), workspace.get<float>("im2col"), stored, pieces};
    if (stored && !packed_already) {
#pragma omp parallel for collapse(2) num_threads(loop.threads)
      for (std::int64_t n = 0; n < loop.problem.n(); ++n)
        for (std::int64_t p = 0; p < loop.problem.ho(); ++p) {
          const simd::Block row{n, 1, p, 1};
          windows.fill(row, 0, windows.row(row, n, p, 0));
        }
    }
    loop.run(a, workspace, packed_already, windows);
  });
  return d;
}

std::vector<Option> options() {
  std::vector<Option> all = simd::loop_options();
  all.push_back({"batching",
                 "Batching",
                 "Form the rows of a block of outputs in the cache, or store the whole matrix first.",
                 {"tile", "full"},
                 "tile",
                 true});
  return all;
}

}  // namespace

const Algorithm& im2col_cpu() {
  static const Algorithm row{
      .id = "im2col.cpu",
      .family = "im2col",
      .unit = Unit::cpu,
      .title = "im2col, fast",
      .sentence = "Forms the matrix rows of a few output rows in the cache and multiplies them in a register tile.",
      .source = "Chellapilla, Puri & Simard 2006",
      .options = options(),
      .rules = {simd::f32_only()},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens
