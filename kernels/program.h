// A program: what a row on a GPU does in one call, as data. Steps are kernel launches and library calls, in order.
//
// A row's `decide` writes the program down and needs no GPU, no toolkit and no driver for it. `convlens explain` and
// the viewer show it, `convlens kernel` prints its texts, the compile test compiles them, and the runtime module
// executes it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "algorithms/interface/index_map.h"
#include "algorithms/interface/request.h"
#include "kernels/tensor_map.h"

namespace convlens::gpu {

// Extents of a grid (in blocks) or of a block (in threads), or a block's index.
struct Dim3 {
  std::int64_t x = 1, y = 1, z = 1;
  std::int64_t count() const { return x * y * z; }
  bool operator==(const Dim3&) const = default;
};

// One line at the top of a kernel: `constexpr int tile_m = 128;`
struct Constant {
  std::string name, type, value;

  Constant(std::string name, int value) : name(std::move(name)), type("int"), value(std::to_string(value)) {}
  Constant(std::string name, bool value) : name(std::move(name)), type("bool"), value(value ? "true" : "false") {}
  Constant(std::string name, Layout value) : name(std::move(name)), type("Layout"), value(convlens::name(value)) {}
  Constant(std::string name, FilterLayout value)
      : name(std::move(name)), type("FilterLayout"), value(convlens::name(value)) {}
  Constant(std::string name, DType value) : name(std::move(name)), type("DType"), value(convlens::name(value)) {}
  Constant(const std::string& name, const std::vector<double>& values);        // an array of float
  Constant(const std::string& name, const std::vector<std::int64_t>& values);  // of int, in constant memory
};

// One size of the layer, a member of the kernel's parameter `Sizes s`.
struct Size {
  std::string name;  // "ho"
  std::int64_t value = 0;
  bool operator==(const Size&) const = default;
};

// Every size of the layer that kernels use: n, ci, hi, wi, co, hf, wf, ho, wo, stride_h, stride_w, pad_top, pad_left,
// dilation_h, dilation_w, groups, cig (C_i/groups), cog (C_o/groups), and the strides of the dense tensors in elements:
// x_n, x_c, x_h, x_w, w_o, w_c, w_h, w_w, y_n, y_c, y_h, y_w.
std::vector<Size> layer_sizes(const Request& request);

// The GPUs that a kernel's instructions exist on, by compute capability times ten.
struct Architectures {
  int least = 80;                              // copies from global to shared memory that pass by the registers
  int most = std::numeric_limits<int>::max();  // 90 for Hopper's own, which later ones lack
  const char* why = "";                        // what needs them, for who has another: "async_copy=on: cp.async"
  bool has(int architecture) const { return least <= architecture && architecture <= most; }
};
inline constexpr Architectures kHopper{90, 90};  // wgmma

// A kernel as it is compiled: a text, and what stands above it.
//
// With `sizes` as constants, `Sizes` has only static constexpr members, and the compiler knows every one; at run time
// they are ordinary ints. The kernel's last parameter is `const Sizes s` in both cases, and its code is the same.
struct Kernel {
  std::string file;                 // below kernels/: "im2win/im2win_cc.cu"
  std::string entry;                // the name of its extern "C" __global__ function
  std::vector<Constant> constants;  // from the row's options and layouts
  std::vector<Size> sizes;
  bool sizes_at_run_time = false;
  Architectures architectures = {};

  // In place of the files of these names, such as what somebody has edited: "im2win/im2win_cc.cu" and its text.
  std::map<std::string, std::string> texts = {};

  bool traced = false;  // whether its blocks note where and when they ran (kernels/trace.h)
};

// What a step reads or writes: an operand of the call, a part of the workspace, or a number handed to a kernel.
struct Argument {
  enum class Kind : std::uint8_t { x, w, bias, y, buffer, number };
  Kind kind = Kind::x;
  std::string buffer;       // its name, for Kind::buffer
  std::int64_t offset = 0;  // in bytes, from the operand's or buffer's first
  std::int64_t number = 0;  // for Kind::number; the kernel's parameter is a `long long`

  // Handed over in place of the address: the kernel's parameter is a `const __grid_constant__ TensorMap`.
  std::optional<TensorMap> map = std::nullopt;

  Argument at(std::int64_t bytes) const;  // the same, `bytes` further on
  Argument as(TensorMap map) const;       // the same, by a tensor map
};
Argument x();
Argument w();
Argument bias();  // a null pointer when the layer has none
Argument y();
Argument buffer(std::string name);
Argument number(std::int64_t value);

struct Launch {
  std::string sentence;  // "forms the im2win tensor"
  Kernel kernel;
  Dim3 grid, block;
  std::int64_t shared_bytes = 0;    // dynamic shared memory of a block
  std::vector<Argument> arguments;  // those before `Sizes s`

  // The part of its result that a block computes, in coordinates of y (n, c, h, w) or of the stage `writes`; the same
  // function that the kernel uses (kernels/common/schedule.h). Null where blocks have no such part.
  std::string writes = "y";
  std::function<std::vector<Box>(const Dim3& block)> tiles = nullptr;
};

// C = A·B (+ C) for `batch` matrices, by cuBLAS. Row-major: A is m×k (or k×m when transposed), B is k×n (or n×k), C is
// m×n; ld* are the row strides and batch_* the strides between matrices, in elements (pairs when complex).
struct Gemm {
  std::string sentence;
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  Argument a, b, c;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  std::int64_t batch_a = 0, batch_b = 0, batch_c = 0;
  bool transpose_a = false, transpose_b = false;
  bool conjugate_a = false, conjugate_b = false;  // of a complex, transposed operand
  bool accumulate = false;                        // C += instead of C =
  bool complex = false;
  DType in = DType::f32, out = DType::f32;  // accumulated in f32
  bool tf32 = false;      // f32 operands on tensor cores, which read 10 of their bits: only where an option says so
  std::string workspace;  // the buffer that cuBLAS may use; its size is the buffer's
  std::int64_t workspace_bytes = 0;
};

// `batch` transforms of rows×columns points, by cuFFT. Real data have `columns` columns, complex half-spectra
// columns/2 + 1.
struct Fft {
  enum class Direction : std::uint8_t { real_to_complex, complex_to_real };
  std::string sentence;
  Direction direction = Direction::real_to_complex;
  std::int64_t rows = 0, columns = 0, batch = 1;
  Argument in, out;
  std::string workspace;  // the buffer that cuFFT works in
  std::int64_t workspace_bytes = 0;
};

// A call of a vendor's convolution: what is asked for is in words that only the module reads.
struct VendorCall {
  std::string sentence;
  std::string library;  // "cudnn"
  std::string engine;   // "IMPLICIT_PRECOMP_GEMM", or an engine's configuration
  std::string workspace;
  std::int64_t workspace_bytes = 0;
};

using Step = std::variant<Launch, Gemm, Fft, VendorCall>;

// A number that no other program of this process has.
std::uint64_t new_program_id();

struct Program {
  Request request;  // what it computes
  std::vector<Step> steps;

  // By which the runtime finds what it has prepared; a program that is changed after it has run needs a new one.
  std::uint64_t id = new_program_id();
};

// The kernel that a row is known for: the last that writes y, or else the last of all; null where a library does all.
const Launch* main_launch(const Program& program);

// Whether a step is a library's, which may take memory of its own.
bool calls_library(const Program& program);

// ⌈a / b⌉, for block counts.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace convlens::gpu
