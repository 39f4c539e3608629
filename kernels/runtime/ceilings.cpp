#include "kernels/runtime/ceilings.h"

#include <algorithm>
#include <array>

#include "kernels/runtime/kernel.h"
#include "kernels/runtime/step.h"

namespace convlens::gpu {

namespace {

constexpr int kThreads = 256;

double typical_ms(Device& device, const std::function<void(Stream)>& call) {
  return device.measure({call}, {.warmup = 2, .repeats = 10}).front().median_ms();
}

double copy_tbytes(Device& device) {
  const Kernel text{.file = "common/copy.cu", .entry = "copy", .constants = {{"threads", kThreads}}, .sizes = {}};
  const LoadedKernel kernel(text, Dim3{kThreads});
  constexpr std::int64_t kPiece = 16 * kThreads;  // bytes that a block copies
  const std::int64_t blocks = std::min<std::int64_t>(std::int64_t{2} << 30, device.free_memory() / 4) / kPiece;
  const DeviceBuffer from(device, blocks * kPiece), to(device, blocks * kPiece);
  device.set(from.data(), std::byte{1}, from.bytes());
  const double ms = typical_ms(device, [&](Stream stream) {
    std::byte *source = from.data(), *target = to.data();
    char sizes = 0;  // the kernel's `Sizes` is empty
    std::array<void*, 3> parameters{&source, &target, &sizes};
    kernel.launch({blocks}, parameters.data(), static_cast<cudaStream_t>(stream.handle));
  });
  return 2.0 * static_cast<double>(from.bytes()) / ms * 1e-9;
}

// C = A·B, or Aᵀ·B, of side×side matrices with numbers in [−1, 1): what the power limit allows depends on the data.
class Product {
 public:
  Product(Device& device, DType dtype, std::int64_t side)
      : device_(device),
        side_(side),
        a_(device, side * side * size_of(dtype)),
        b_(device, a_.bytes()),
        c_(device, a_.bytes()),
        workspace_(device, kWorkspace),
        arguments_{.x = matrix(a_, dtype), .w = matrix(b_, dtype), .bias = {}, .y = matrix(c_, dtype)} {
    device.fill_uniform(matrix(a_, dtype), 1);
    device.fill_uniform(matrix(b_, dtype), 2);
  }

  double tflops(bool transpose_a) {
    const auto step = prepare(Gemm{.sentence = "multiplies",
                                   .m = side_,
                                   .n = side_,
                                   .k = side_,
                                   .a = x(),
                                   .b = w(),
                                   .c = y(),
                                   .lda = side_,
                                   .ldb = side_,
                                   .ldc = side_,
                                   .transpose_a = transpose_a,
                                   .in = arguments_.x.dtype,
                                   .out = arguments_.x.dtype,
                                   .workspace = "cublas",
                                   .workspace_bytes = kWorkspace});
    const Buffer buffer{"cublas", kWorkspace, 0};
    const Workspace memory({workspace_.data(), static_cast<std::size_t>(kWorkspace)}, {&buffer, 1});
    const double ms = typical_ms(device_, [&](Stream stream) {
      step->run({arguments_, memory, static_cast<cudaStream_t>(stream.handle)});
    });
    return convlens::tflops(2 * side_ * side_ * side_, ms);
  }

 private:
  static constexpr std::int64_t kWorkspace = std::int64_t{32} << 20;  // what cuBLAS's manual advises on Hopper

  TensorView matrix(const DeviceBuffer& memory, DType dtype) const {
    const Shape shape{1, 1, side_, side_};
    return {memory.data(), dtype, shape, dense_strides(Layout::NCHW, shape)};
  }

  Device& device_;
  std::int64_t side_;
  DeviceBuffer a_, b_, c_, workspace_;
  Arguments arguments_;
};

// The faster of the two ways in which A may lie; on an H200 the transposed one, by 4 % in f32.
double product_tflops(Device& device, DType dtype, std::int64_t side) {
  Product product(device, dtype, side);
  return std::max(product.tflops(false), product.tflops(true));
}

}  // namespace

DeviceCeilings measure_ceilings(Device& device) {
  // The largest power of two up to 8192 whose three f32 matrices fit in half of what is free.
  std::int64_t side = 8192;
  while (side > 1024 && 3 * side * side * 4 > device.free_memory() / 2) side /= 2;
  return {.copy_tbytes = copy_tbytes(device),
          .f32_tflops = product_tflops(device, DType::f32, side),
          .f16_tflops = product_tflops(device, DType::f16, side)};
}

}  // namespace convlens::gpu
