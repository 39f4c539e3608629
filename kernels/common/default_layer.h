// A layer for those who read a kernel alone (an editor, plain nvcc): cv9 of the named layers with N = 256, NHWC. In the
// program the same names come from its decisions, and this file is empty.
#pragma once

#ifndef CONVLENS_CONFIGURED
enum Layout { NCHW, NHWC, CHWN };
enum FilterLayout { OIHW, OHWI };
enum DType { f16, bf16, f32, f64 };
struct Sizes {
  static constexpr int n = 256, ci = 64, hi = 56, wi = 56, co = 64, hf = 3, wf = 3, ho = 54, wo = 54;
  static constexpr int stride_h = 1, stride_w = 1, pad_top = 0, pad_left = 0, dilation_h = 1, dilation_w = 1;
  static constexpr int groups = 1, cig = 64, cog = 64;
  static constexpr int x_n = 56 * 56 * 64, x_c = 1, x_h = 56 * 64, x_w = 64;
  static constexpr int w_o = 9 * 64, w_c = 1, w_h = 3 * 64, w_w = 64;
  static constexpr int y_n = 54 * 54 * 64, y_c = 1, y_h = 54 * 64, y_w = 64;
  // Of the im2win tensor and the filter beside it, for tensor cores.
  static constexpr int column = 3 * 64, columns = 56, window = 9 * 64, window_pitch = 9 * 64, filter_rows = 64;
  // Of the im2col matrix; of Winograd's tiles, F(2×2, 3×3); of the matrices of common/gemm.cu, beside n.
  static constexpr int row_n = 54 * 54, row_pixel = 1;
  static constexpr int tiles_h = 27, tiles_w = 27, pitch = 256 * 27 * 27;
  static constexpr int m = 64, k = 64, lda = 64, ldb = 256, ldc = 256, segment = 1, segment_step = 1;
};
constexpr bool sizes_are_constants = true, has_bias = false;
constexpr Layout x_layout = NHWC, y_layout = NHWC;
constexpr FilterLayout w_layout = OHWI;
constexpr DType dtype = f16;  // of kernels for tensor cores
#endif
