// WMMA on the host: every lane of a warp has the whole of a fragment, in float, and computes all of a product.
#pragma once

#include "cuda_fp16.h"

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

constexpr int kSide = 16;

template <class Use, int m, int n, int k, class T, class Order = void>
struct fragment {
  static_assert(m == kSide && n == kSide && k == kSide);
  float of[kSide][kSide];  // row, column
};

inline float widened(__half value) { return __half2float(value); }
inline float widened(__nv_bfloat16 value) { return __bfloat162float(value); }

template <class Use, class T, class Order>
void load_matrix_sync(fragment<Use, 16, 16, 16, T, Order>& to, const T* from, unsigned pitch) {
  host_gpu::require_aligned(from, 32);
  for (unsigned i = 0; i < kSide; ++i)
    for (unsigned j = 0; j < kSide; ++j)
      (std::is_same_v<Order, row_major> ? to.of[i][j] : to.of[j][i]) = widened(from[i * pitch + j]);
}

template <class Fragment>
void fill_fragment(Fragment& to, float value) {
  for (auto& row : to.of)
    for (float& element : row) element = value;
}

template <class Sum, class A, class B>
void mma_sync(Sum& d, const A& a, const B& b, const Sum& c) {
  Sum sum = c;
  for (int i = 0; i < kSide; ++i)
    for (int k = 0; k < kSide; ++k)
      for (int j = 0; j < kSide; ++j) sum.of[i][j] += a.of[i][k] * b.of[k][j];
  d = sum;
}

template <class Sum>
void store_matrix_sync(float* to, const Sum& sum, unsigned pitch, layout_t layout) {
  host_gpu::require_aligned(to, 32);
  for (unsigned i = 0; i < kSide; ++i)
    for (unsigned j = 0; j < kSide; ++j) to[layout == mem_row_major ? i * pitch + j : j * pitch + i] = sum.of[i][j];
}

}  // namespace nvcuda::wmma
