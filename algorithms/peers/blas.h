// GEMM from the BLAS that the build found, behind one call. Built without a BLAS, `blas::name` is empty.
#pragma once

#include <cstdint>
#include <string>

namespace convlens::blas {

// "OpenBLAS 0.3.21 SkylakeX", the kernels it runs included, or "" when there is none.
std::string name();

inline bool available() { return !name().empty(); }

// C ← C + A·B, or with A or B transposed as told; row-major, leading dimensions in elements.
// A is m×k, B is k×n and C is m×n after transposition. Only call when available().
template <class T>
struct Gemm {
  bool transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0;
  const T* a = nullptr;
  std::int64_t lda = 0;
  const T* b = nullptr;
  std::int64_t ldb = 0;
  T* c = nullptr;
  std::int64_t ldc = 0;
};
void accumulate(const Gemm<float>& gemm, int threads);
void accumulate(const Gemm<double>& gemm, int threads);

}  // namespace convlens::blas
