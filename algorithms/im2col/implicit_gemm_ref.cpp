// implicit_gemm.ref: im2col's matrix product without im2col's matrix.
//
//   y(n, o, p, q) = bias(o) + Σ_k A(r, k) · W(o, k)      r = (n, p, q), k = (c, u, v),   A = im2col(x), never stored
//
// A is only its index map (im2col_map.h): when the product needs A(r, k), the map says which element of x that is, or
// that it is padding. W is the filter, read in place. The workspace is empty. Finding an element costs more than
// multiplying it, so the product is computed in register tiles of kPixels × kChannels outputs: for each k it fetches
// kPixels values of A and kChannels of W, and uses each several times (an outer product).
//
// Source: Chetlur et al., "cuDNN: Efficient primitives for deep learning", 2014, arXiv 1410.0759, where a GPU's thread
// block fetches its tiles of A in the same way.
#include <algorithm>
#include <array>

#include "algorithms/im2col/im2col.h"
#include "algorithms/im2col/im2col_map.h"

namespace convlens {

namespace {

constexpr int kPixels = 4, kChannels = 16;

template <class T>
struct ImplicitGemm {
  ConvProblem problem;
  Im2colMap map;
  View<const T> x, w;
  Bias<T> bias;
  View<T> y;
  using Sum = Accumulator<T>;

  std::int64_t rows() const { return problem.n() * problem.ho() * problem.wo(); }

  // (n, p, q) of a row of A.
  Coord pixel(std::int64_t row) const {
    const std::int64_t q = row % problem.wo(), p = row / problem.wo() % problem.ho();
    return {row / problem.wo() / problem.ho(), p, q};
  }

  // A(r, k): an element of x, or a zero of the padding, which is multiplied like any other value.
  Sum fetch(const Coord& pixel, std::int64_t c, std::int64_t u, std::int64_t v) const {
    const Gathered g = map.gather({pixel[0], pixel[1], pixel[2], c, u, v});
    return g.kind == SourceKind::element ? static_cast<Sum>(x(g.at[0], g.at[1], g.at[2], g.at[3])) : Sum{0};
  }

  // The outputs of rows first_row … and channels first_channel …, all of one group.
  template <int kRows, int kColumns>
  void tile(std::int64_t first_row, std::int64_t first_channel) const {
    std::array<Coord, kRows> pixels;
    for (int i = 0; i < kRows; ++i) pixels[i] = pixel(first_row + i);
    const std::int64_t c0 = problem.group_of_output(first_channel) * problem.ci_per_group();

    Sum sum[kRows][kColumns];
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kColumns; ++j) sum[i][j] = bias[first_channel + j];
    for (std::int64_t c = 0; c < problem.ci_per_group(); ++c)
      for (std::int64_t u = 0; u < problem.hf(); ++u)
        for (std::int64_t v = 0; v < problem.wf(); ++v) {
          Sum a[kRows], b[kColumns];
          for (int i = 0; i < kRows; ++i) a[i] = fetch(pixels[i], c0 + c, u, v);
          for (int j = 0; j < kColumns; ++j) b[j] = static_cast<Sum>(w(first_channel + j, c, u, v));
          for (int i = 0; i < kRows; ++i)
            for (int j = 0; j < kColumns; ++j) sum[i][j] += a[i] * b[j];
        }
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kColumns; ++j)
        y(pixels[i][0], first_channel + j, pixels[i][1], pixels[i][2]) = static_cast<T>(sum[i][j]);
  }

  // All channels of kRows pixels. A tile never reaches into the next group, so what doesn't fill one goes one by one.
  template <int kRows>
  void strip(std::int64_t first_row) const {
    for (std::int64_t o = 0; o < problem.co();) {
      const std::int64_t left = problem.co_per_group() - o % problem.co_per_group();
      if (left >= kChannels) {
        tile<kRows, kChannels>(first_row, o);
        o += kChannels;
      } else {
        tile<kRows, 1>(first_row, o);
        o += 1;
      }
    }
  }

  void run(int threads) const {
    const std::int64_t whole_strips = rows() / kPixels;
#pragma omp parallel for num_threads(threads)
    for (std::int64_t s = 0; s < whole_strips; ++s) strip<kPixels>(s * kPixels);
    for (std::int64_t r = whole_strips * kPixels; r < rows(); ++r) strip<1>(r);
  }
};

Decisions decide(const Request& request) {
  const ConvProblem problem = request.problem;
  Stage matrix = im2col_stage(problem, request.dtype);
  matrix.stored = false;

  Decisions d;
  d.stages = {matrix};
  d.executed_flops = problem.flops();
  d.error_model = plain_sum_model(problem, request.dtype);
  d.execute = [problem](const Arguments& a, const Workspace&, int threads, Stream) {
    visit(a.y.dtype, [&]<class T>() {
      ImplicitGemm<T>{problem, Im2colMap(problem), a.x.as<T>(), a.w.as<T>(), a.bias.as<T>(), a.y.as<T>()}.run(threads);
    });
  };
  return d;
}

}  // namespace

const Algorithm& implicit_gemm_ref() {
  static const Algorithm row{
      .id = "implicit_gemm.ref",
      .family = "implicit_gemm",
      .unit = Unit::cpu,
      .title = "Implicit GEMM",
      .sentence = "Multiplies as im2col does, but looks each value of the matrix up in x; stores nothing.",
      .source = "Chetlur et al. 2014, arXiv 1410.0759",
      .options = {},
      .rules = {},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens
