// A batch of matrix products, and the two ways to make a program's steps of it: the kernel common/gemm.cu, or cuBLAS.
#pragma once

#include <vector>

#include "algorithms/interface/option.h"
#include "algorithms/interface/plan.h"
#include "kernels/program.h"

namespace convlens::gpu {

// Where the matrices of a batch lie, in elements: those of (outer, inner) begin outer·outer_step + inner·inner_step
// after the first, and `ld` is the step along the index that is not contiguous.
struct Matrices {
  Argument first;
  std::int64_t ld = 0;
  bool k_contiguous = false;  // of A and B
  std::int64_t outer_step = 0, inner_step = 0;
};

// C(i, j) = Σ_k A(i, k)·B(k, j) + bias, i < m, j < n, for outer × inner matrices; row i of C is contiguous.
struct Products {
  std::string sentence;
  std::int64_t m = 0, n = 0, k = 0, outer = 1, inner = 1;
  Matrices a, b, c;

  enum class Bias : std::uint8_t { none, of_rows, of_columns };  // inner·m or inner·n values, the call's bias
  Bias bias = Bias::none;

  // With segments, which divide n, column j of C lies at j / segment·segment_step + j % segment of its row: the images
  // of y in NCHW, say. Only for outer = 1.
  std::int64_t segment = 0, segment_step = 0;
};

// How common/gemm.cu cuts C: the part of a block, and the columns of a thread (its rows are 8).
struct Tiling {
  int tile_m = 64, tile_n = 64, thread_n = 8, stages = 4;
  bool vector_io = true;
};

// The options that shape common/gemm.cu, and what they ask for.
std::vector<Option> tiling_options();
Tiling tiling(const OptionSet& options, const Products& products);

Launch own_gemm(const Products& products, const Tiling& tiling, bool sizes_at_run_time);

Buffer cublas_workspace();

// One step an inner index; segments become a batch. cuBLAS adds no bias: with one, C must hold it already.
std::vector<Step> cublas_gemm(const Products& products, const Buffer& workspace);

}  // namespace convlens::gpu
