// im2col.ref: store every window as a row of a matrix, then multiply by the filter matrix.
//
//   A(r, k) = im2col(x)   r = (n, p, q), k = (c, u, v)        (im2col_map.h)
//   y(n, o, p, q) = bias(o) + Σ_k A(r, k) · W(o, k)           one GEMM a group
//
// Source: Chellapilla, Puri & Simard 2006. The matrix may be made for the whole batch at once or in passes:
//
//   batching   resident rows               who does so
//   image      H_o·W_o of one image        PyTorch on CPU and GPU
//   chunk      a mini-batch of images      cuDNN's GEMM algorithm
//   full       N·H_o·W_o                   the textbook
//   tile       what fits half a MiB        cache blocking
#include <algorithm>
#include <optional>

#include "algorithms/im2col/im2col.h"
#include "algorithms/im2col/im2col_map.h"
#include "algorithms/interface/dot.h"
#include "algorithms/interface/fill.h"
#include "algorithms/interface/tensor_maps.h"
#include "algorithms/peers/blas.h"

namespace convlens {

Stage im2col_stage(const ConvProblem& p, DType dtype) {
  Stage stage;
  stage.id = "im2col";
  stage.title = "im2col matrix";
  stage.meaning =
      "row (n, p, q), column (c, u, v): the value that tap (u, v) of channel c reads for output pixel (p, q)";
  stage.made_from = {kInput};
  stage.axes = {{"n", "N", p.n(), p.n()},     {"p", "H_o", p.ho(), p.ho()}, {"q", "W_o", p.wo(), p.wo()},
                {"c", "C_i", p.ci(), p.ci()}, {"u", "H_f", p.hf(), p.hf()}, {"v", "W_f", p.wf(), p.wf()}};
  stage.dtype = dtype;
  stage.map = erase(Im2colMap(p));
  stage.lay_out();
  return stage;
}

namespace {

constexpr std::int64_t kTileBytes = 512 * 1024;

// Only the slowest axis that is longer than one may be cut, so that any pass is a dense block of rows.
void cut_into_passes(Stage& matrix, const Request& request) {
  Axis &n = matrix.axes[0], &p = matrix.axes[1], &q = matrix.axes[2];
  const std::string& batching = request.options["batching"];
  if (batching == "full") return;
  n.resident = std::min<std::int64_t>(n.extent, batching == "chunk" ? request.options.integer("chunk_images") : 1);
  if (batching == "tile") {
    const std::int64_t row_bytes = request.problem.ci() * request.problem.taps() * matrix.cell_bytes();
    const std::int64_t rows = std::max<std::int64_t>(1, kTileBytes / row_bytes);
    p.resident = std::clamp<std::int64_t>(rows / q.extent, 1, p.extent);
    if (p.resident == 1) q.resident = std::min(rows, q.extent);
  }
  matrix.lay_out();
}

// The rows of one pass and the outputs they make.
struct Rows {
  Box box;  // of the im2col stage
  std::int64_t count() const { return box.extent[0] * box.extent[1] * box.extent[2]; }
  Coord output(std::int64_t row) const {  // (n, p, q)
    const std::int64_t q = row % box.extent[2], p = row / box.extent[2] % box.extent[1],
                       n = row / box.extent[2] / box.extent[1];
    return {box.first[0] + n, box.first[1] + p, box.first[2] + q};
  }
};

template <class T>
struct Operands {
  const ConvProblem& problem;
  const T* matrix;  // (rows, C_i·H_f·W_f)
  const T* filter;  // (C_o, K)
  Bias<T> bias;
  View<T> y;
  int threads;
};

template <class T>
void multiply_by_loops(const Operands<T>& op, const Rows& rows) {
  const ConvProblem& p = op.problem;
  const std::int64_t row_length = p.ci() * p.taps();
#pragma omp parallel for num_threads(op.threads)
  for (std::int64_t r = 0; r < rows.count(); ++r) {
    const Coord at = rows.output(r);
    for (std::int64_t o = 0; o < p.co(); ++o) {
      const T* window = op.matrix + r * row_length + p.group_of_output(o) * p.reduction();
      op.y(at[0], o, at[1], at[2]) =
          static_cast<T>(op.bias[o] + dot(window, op.filter + o * p.reduction(), p.reduction()));
    }
  }
}

// Whether y's pixels of `rows` lie evenly spaced, and that spacing; then y is a matrix that BLAS can write.
template <class T>
std::optional<std::int64_t> pixel_step(const View<T>& y, const Rows& rows) {
  const auto [n, p, q, c, u, v] = rows.box.extent;
  const std::int64_t step = y.strides[3];
  if (p > 1 && y.strides[2] != q * step) return std::nullopt;
  if (n > 1 && y.strides[0] != p * q * step) return std::nullopt;
  return step;
}

template <class T>
bool multiply_by_blas(const Operands<T>& op, const Rows& rows) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    const ConvProblem& p = op.problem;
    const std::int64_t row_length = p.ci() * p.taps(), channel_step = op.y.strides[1];
    const std::optional<std::int64_t> step = pixel_step(op.y, rows);
    const bool channels_last = step && channel_step == 1 && *step >= p.co();         // C = A·Wᵀ
    const bool channels_first = step && *step == 1 && channel_step >= rows.count();  // C = W·Aᵀ
    if (!channels_last && !channels_first) return false;

    for (std::int64_t r = 0; r < rows.count(); ++r) {
      const Coord at = rows.output(r);
      for (std::int64_t o = 0; o < p.co(); ++o) op.y(at[0], o, at[1], at[2]) = op.bias[o];
    }
    for (std::int64_t g = 0; g < p.groups(); ++g) {
      const std::int64_t o = g * p.co_per_group();
      const T* matrix = op.matrix + g * p.reduction();
      const T* filter = op.filter + o * p.reduction();
      T* c = &op.y(rows.box.first[0], o, rows.box.first[1], rows.box.first[2]);
      if (channels_last)
        blas::accumulate({false, true, rows.count(), p.co_per_group(), p.reduction(), matrix, row_length, filter,
                          p.reduction(), c, *step},
                         op.threads);
      else
        blas::accumulate({false, true, p.co_per_group(), rows.count(), p.reduction(), filter, p.reduction(), matrix,
                          row_length, c, channel_step},
                         op.threads);
    }
    return true;
  }
  return false;
}

template <class T>
void multiply(const Operands<T>& op, const Rows& rows, bool use_blas) {
  if (use_blas && multiply_by_blas(op, rows)) return;
  if (use_blas && rows.box.extent[0] > 1) {  // several images may still be matrices one by one
    const std::int64_t pixels = rows.box.extent[1] * rows.box.extent[2];
    for (std::int64_t n = 0; n < rows.box.extent[0]; ++n) {
      Rows image = rows;
      image.box.first[0] += n;
      image.box.extent[0] = 1;
      Operands<T> of_image = op;
      of_image.matrix += n * pixels * op.problem.ci() * op.problem.taps();
      if (!multiply_by_blas(of_image, image)) multiply_by_loops(of_image, image);
    }
    return;
  }
  multiply_by_loops(op, rows);
}

// Which GEMM a run uses, as its record says. Views with other strides than their layout's may still need the loops.
std::string gemm_note(const Request& request) {
  if (request.options.is("gemm", "loops")) return "gemm: loops";
  if (!blas::available()) return "gemm: loops (built without BLAS)";
  if (request.dtype != DType::f32 && request.dtype != DType::f64)
    return "gemm: loops (BLAS has no " + std::string(name(request.dtype)) + ")";
  if (request.layouts.y == Layout::CHWN && request.problem.n() > 1) return "gemm: loops (y in CHWN is no matrix)";
  return "gemm: " + blas::name();
}

Decisions decide(const Request& request) {
  const ConvProblem problem = request.problem;
  Stage matrix = im2col_stage(problem, request.dtype);
  cut_into_passes(matrix, request);
  const Stage filter = filter_stage(problem, request.dtype, {1, 2, 3});

  Decisions d;
  d.stages = {matrix, filter};
  d.executed_flops = problem.flops();
  d.error_model = plain_sum_model(problem, request.dtype);
  d.notes = {gemm_note(request)};
  const bool use_blas = request.options.is("gemm", "blas") && blas::available();
  d.execute = [=](const Arguments& a, const Workspace& workspace, int threads, Stream) {
    visit(a.y.dtype, [&]<class T>() {
      T* const a_matrix = workspace.get<T>("im2col");
      T* const w_matrix = workspace.get<T>("filter");
      fill(FilterMap(problem), filter, whole(filter), a.w.as<T>(), w_matrix, threads);
      const Operands<T> op{problem, a_matrix, w_matrix, a.bias.as<T>(), a.y.as<T>(), threads};
      for (std::int64_t n = 0; n < problem.n(); n += matrix.axes[0].resident)
        for (std::int64_t p = 0; p < problem.ho(); p += matrix.axes[1].resident)
          for (std::int64_t q = 0; q < problem.wo(); q += matrix.axes[2].resident) {
            const Rows rows{pass_at(matrix, {n, p, q})};
            fill(Im2colMap(problem), matrix, rows.box, a.x.as<T>(), a_matrix, threads);
            multiply(op, rows, use_blas);
          }
    });
  };
  return d;
}

}  // namespace

const Algorithm& im2col_ref() {
  static const Algorithm row{
      .id = "im2col.ref",
      .family = "im2col",
      .unit = Unit::cpu,
      .title = "im2col + GEMM, explicit",
      .sentence = "Copies every window into a row of a matrix, then multiplies two matrices.",
      .source = "Chellapilla, Puri & Simard 2006",
      .options = {{"batching",
                   "Batching",
                   "How much of the matrix exists at a time.",
                   {"image", "chunk", "full", "tile"},
                   "image"},
                  {"chunk_images",
                   "Images a chunk",
                   "How many images batching=chunk lowers at a time.",
                   {},
                   "8",
                   false,
                   integer_between(1, 1 << 20)},
                  {"gemm", "GEMM", "Who multiplies the matrices.", {"blas", "loops"}, "blas"}},
      .rules = {},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens
