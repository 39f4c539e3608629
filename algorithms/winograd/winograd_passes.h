// The four passes of non-fused Winograd: fill V, fill U, multiply them point by point into M, transform M
// into y.
//
//   V (n_h, n_w, N, tiles_h, tiles_w, C_i)   U (n_h, n_w, C_o, C_i/G)   M (n_h, n_w, N, tiles_h, tiles_w,
//   C_o)
//
// all dense in this order, so that for each pair of points M is a matrix product with contiguous channels. V
// and U are rounded to the type S they are stored in, everything else happens in the accumulator. Every pass is
// parallel over what it writes: the result does not depend on the number of threads.
#pragma once

#include "algorithms/interface/dot.h"
#include "algorithms/tensor/view.h"
#include "algorithms/winograd/nested.h"
#include "algorithms/winograd/sandwich.h"

namespace convlens {

// The three transforms in the numbers they are computed in, as `Nested` scales them.
template <class Real>
struct Transforms {
  Sandwich<Real> input, filter, output;

  explicit Transforms(const Nested& f, Coefficients which = Coefficients::signed_values)
      : input(f.scaled_h.bt, f.w.bt, which), filter(f.scaled_h.g, f.w.g, which), output(f.scaled_h.at, f.w.at, which) {}
};

template <class T, class S>
void transform_input(const Nested& f, const Sandwich<Accumulator<T>>& transform, View<const T> x, S* v, int threads) {
  const std::int64_t images = x.shape[0], channels = x.shape[1], tiles_h = f.rows.tiles(), tiles_w = f.columns.tiles();
  const std::int64_t point_step = images * tiles_h * tiles_w * channels;
#pragma omp parallel for collapse(4) num_threads(threads)
  for (std::int64_t n = 0; n < images; ++n)
    for (std::int64_t t = 0; t < tiles_h; ++t)
      for (std::int64_t s = 0; s < tiles_w; ++s)
        for (std::int64_t c = 0; c < channels; ++c) {
          typename Sandwich<Accumulator<T>>::Tile d, points;
          std::size_t k = 0;
          for (std::int64_t i = 0; i < f.rows.n(); ++i)
            for (std::int64_t j = 0; j < f.columns.n(); ++j)
              d[k++] = x.padded(n, c, f.rows.first_input(t) + i, f.columns.first_input(s) + j);
          transform(d, points);
          S* cell = v + ((n * tiles_h + t) * tiles_w + s) * channels + c;
          for (std::int64_t point = 0; point < f.products(); ++point)
            cell[point * point_step] = static_cast<S>(points[static_cast<std::size_t>(point)]);
        }
}

template <class T, class S>
void transform_filter(const Nested& f, const Sandwich<Accumulator<T>>& transform, View<const T> w, S* u, int threads) {
  const std::int64_t outputs = w.shape[0], channels = w.shape[1];
#pragma omp parallel for collapse(2) num_threads(threads)
  for (std::int64_t o = 0; o < outputs; ++o)
    for (std::int64_t c = 0; c < channels; ++c) {
      typename Sandwich<Accumulator<T>>::Tile g, points;
      std::size_t k = 0;
      for (std::int64_t i = 0; i < f.rows.r; ++i)
        for (std::int64_t j = 0; j < f.columns.r; ++j) g[k++] = static_cast<Accumulator<T>>(w(o, c, i, j));
      transform(g, points);
      for (std::int64_t point = 0; point < f.products(); ++point)
        u[(point * outputs + o) * channels + c] = static_cast<S>(points[static_cast<std::size_t>(point)]);
    }
}

template <class S>
void multiply(const Nested& f, const ConvProblem& p, const S* v, const S* u, Accumulator<S>* m, int threads) {
  constexpr std::int64_t kBlock = 16;  // tiles that share a row of U while it is in the cache
  const std::int64_t tiles = p.n() * f.tiles(), channels = p.ci_per_group();
#pragma omp parallel for collapse(2) num_threads(threads)
  for (std::int64_t point = 0; point < f.products(); ++point)
    for (std::int64_t block = 0; block < tiles; block += kBlock)
      for (std::int64_t o = 0; o < p.co(); ++o) {
        const S* filter = u + (point * p.co() + o) * channels;
        for (std::int64_t tile = block; tile < std::min(block + kBlock, tiles); ++tile) {
          const S* input = v + (point * tiles + tile) * p.ci() + p.group_of_output(o) * channels;
          m[(point * tiles + tile) * p.co() + o] = dot(input, filter, channels);
        }
      }
}

// Tail tiles are computed whole; what overhangs y is dropped.
template <class T>
void transform_output(const Nested& f, const Sandwich<Accumulator<T>>& transform, const Accumulator<T>* m, Bias<T> bias,
                      View<T> y, int threads) {
  const std::int64_t images = y.shape[0], outputs = y.shape[1], tiles_h = f.rows.tiles(), tiles_w = f.columns.tiles();
  const std::int64_t point_step = images * tiles_h * tiles_w * outputs;
#pragma omp parallel for collapse(4) num_threads(threads)
  for (std::int64_t n = 0; n < images; ++n)
    for (std::int64_t t = 0; t < tiles_h; ++t)
      for (std::int64_t s = 0; s < tiles_w; ++s)
        for (std::int64_t o = 0; o < outputs; ++o) {
          typename Sandwich<Accumulator<T>>::Tile points, sums;
          const Accumulator<T>* cell = m + ((n * tiles_h + t) * tiles_w + s) * outputs + o;
          for (std::int64_t point = 0; point < f.products(); ++point)
            points[static_cast<std::size_t>(point)] = cell[point * point_step];
          transform(points, sums);
          for (std::int64_t p = 0; p < f.rows.kept(t); ++p)
            for (std::int64_t q = 0; q < f.columns.kept(s); ++q)
              y(n, o, t * f.rows.m + p, s * f.columns.m + q) =
                  static_cast<T>(bias[o] + sums[static_cast<std::size_t>(p * f.columns.m + q)]);
        }
}

}  // namespace convlens
