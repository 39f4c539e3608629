// A batch of matrix products, and the two ways to make a program's steps of it: an own kernel, common/gemm.cu on CUDA
// cores and common/gemm_tc.cu on tensor cores, or cuBLAS.
#pragma once

#include <string_view>
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
  DType in = DType::f32, out = DType::f32;  // of A and B, and of C; on tensor cores where A and B are short
  bool tf32 = false;                        // or where they are f32 and cuBLAS may read 10 of their bits

  enum class Bias : std::uint8_t { none, of_rows, of_columns };  // inner·m or inner·n values, the call's bias
  Bias bias = Bias::none;

  // With segments, which divide n, column j of C lies at j / segment·segment_step + j % segment of its row: the images
  // of y in NCHW, say. Only for outer = 1.
  std::int64_t segment = 0, segment_step = 0;
};

// How the own kernels cut C: the part of a block, and on CUDA cores the columns of a thread (its rows are 8).
struct Tiling {
  int tile_m = 64, tile_n = 64, thread_n = 8, stages = 4;
  bool vector_io = true;
};

// The options that shape the own kernels on CUDA cores and on tensor cores, and what they ask for.
std::vector<Option> tiling_options();
std::vector<Option> tensor_tiling_options();
Tiling tiling(const OptionSet& options, const Products& products, std::string_view tile_option = "tile");

Launch own_gemm(const Products& products, const Tiling& tiling, bool sizes_at_run_time);

// The part of C that a block of the own kernels computes.
struct ProductTile {
  std::int64_t outer = 0, inner = 0, i = 0, j = 0, rows = 0, columns = 0;
};
ProductTile product_tile(const Products& products, const Tiling& tiling, const Dim3& block);

// The boxes that `count` cells from the flattened index `first` on fill among rows of `across` cells, `down` rows an
// image: what a range of the rows of a matrix is as pixels, or tiles, of images.
struct Run {
  std::int64_t image = 0, row = 0, column = 0, count = 0;
};
std::vector<Run> runs_of_range(std::int64_t first, std::int64_t count, std::int64_t down, std::int64_t across);

Buffer cublas_workspace();

// One step an inner index; segments become a batch. cuBLAS adds no bias: with one, C must hold it already.
std::vector<Step> cublas_gemm(const Products& products, const Buffer& workspace);

}  // namespace convlens::gpu
