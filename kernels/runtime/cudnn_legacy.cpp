// The legacy interface of cuDNN: cudnnConvolutionForward with an algorithm that the caller names.
// Source: cuDNN 9 API reference, cudnn_cnn library.
#include <array>
#include <utility>

#include "algorithms/error.h"
#include "kernels/runtime/cudnn_call.h"

namespace convlens::gpu {

namespace {

constexpr std::array<std::pair<const char*, cudnnConvolutionFwdAlgo_t>, 8> kAlgorithms{{
    {"IMPLICIT_GEMM", CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM},
    {"IMPLICIT_PRECOMP_GEMM", CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM},
    {"GEMM", CUDNN_CONVOLUTION_FWD_ALGO_GEMM},
    {"DIRECT", CUDNN_CONVOLUTION_FWD_ALGO_DIRECT},
    {"FFT", CUDNN_CONVOLUTION_FWD_ALGO_FFT},
    {"FFT_TILING", CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING},
    {"WINOGRAD", CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD},
    {"WINOGRAD_NONFUSED", CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED},
}};

cudnnConvolutionFwdAlgo_t algorithm_of(const std::string& name) {
  for (const auto& [known, value] : kAlgorithms)
    if (name == known) return value;
  throw BadInput("algorithm: " + name + ", no forward algorithm of cuDNN");
}

// The three kinds of descriptor, each destroyed with its owner.
class Tensor {
 public:
  Tensor(DType dtype, cudnnTensorFormat_t format, const Shape& shape) {
    check_cudnn(cudnn().CreateTensorDescriptor(&descriptor_), "cudnnCreateTensorDescriptor");
    const auto size = [&](std::size_t axis) { return static_cast<int>(shape[axis]); };
    check_cudnn(
        cudnn().SetTensor4dDescriptor(descriptor_, format, cudnn_type(dtype), size(0), size(1), size(2), size(3)),
        "cudnnSetTensor4dDescriptor");
  }
  ~Tensor() { cudnn().DestroyTensorDescriptor(descriptor_); }
  Tensor(const Tensor&) = delete;
  operator cudnnTensorDescriptor_t() const { return descriptor_; }

 private:
  cudnnTensorDescriptor_t descriptor_ = nullptr;
};

class Filter {
 public:
  Filter(DType dtype, cudnnTensorFormat_t format, const Shape& shape) {
    check_cudnn(cudnn().CreateFilterDescriptor(&descriptor_), "cudnnCreateFilterDescriptor");
    const auto size = [&](std::size_t axis) { return static_cast<int>(shape[axis]); };
    check_cudnn(
        cudnn().SetFilter4dDescriptor(descriptor_, cudnn_type(dtype), format, size(0), size(1), size(2), size(3)),
        "cudnnSetFilter4dDescriptor");
  }
  ~Filter() { cudnn().DestroyFilterDescriptor(descriptor_); }
  Filter(const Filter&) = delete;
  operator cudnnFilterDescriptor_t() const { return descriptor_; }

 private:
  cudnnFilterDescriptor_t descriptor_ = nullptr;
};

class Convolution {
 public:
  explicit Convolution(const ConvSpec& spec, DType dtype) {
    check_cudnn(cudnn().CreateConvolutionDescriptor(&descriptor_), "cudnnCreateConvolutionDescriptor");
    const auto size = [](std::int64_t value) { return static_cast<int>(value); };
    check_cudnn(cudnn().SetConvolution2dDescriptor(descriptor_, size(spec.pad_top), size(spec.pad_left),
                                                   size(spec.stride_h), size(spec.stride_w), size(spec.dilation_h),
                                                   size(spec.dilation_w), CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
                "cudnnSetConvolution2dDescriptor");
    check_cudnn(cudnn().SetConvolutionGroupCount(descriptor_, size(spec.groups)), "cudnnSetConvolutionGroupCount");
    // Without FMA_MATH cuDNN may round f32 inputs to TF32.
    check_cudnn(
        cudnn().SetConvolutionMathType(descriptor_, dtype == DType::f32 ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH),
        "cudnnSetConvolutionMathType");
  }
  ~Convolution() { cudnn().DestroyConvolutionDescriptor(descriptor_); }
  Convolution(const Convolution&) = delete;
  operator cudnnConvolutionDescriptor_t() const { return descriptor_; }

 private:
  cudnnConvolutionDescriptor_t descriptor_ = nullptr;
};

cudnnTensorFormat_t format_of(const Request& request) {
  return request.layouts.x == Layout::NHWC ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
}

class LegacyCall : public CudnnCall {
 public:
  LegacyCall(const Request& request, const std::string& algorithm)
      : algorithm_(algorithm_of(algorithm)),
        x_(request.dtype, format_of(request), request.problem.x_shape()),
        w_(request.dtype, format_of(request), request.problem.w_shape()),
        y_(request.dtype, format_of(request), request.problem.y_shape()),
        convolution_(request.problem.spec(), request.dtype) {
    const CudnnHandle handle(nullptr);
    check_cudnn(
        cudnn().GetConvolutionForwardWorkspaceSize(handle, x_, w_, convolution_, y_, algorithm_, &workspace_bytes_),
        "cuDNN " + cudnn_version() + " refuses " + algorithm);
  }

  std::int64_t workspace_bytes() const override { return static_cast<std::int64_t>(workspace_bytes_); }
  std::vector<std::string> notes() const override { return {"cuDNN " + cudnn_version() + ", legacy interface"}; }

  void execute(cudnnHandle_t handle, const CudnnOperands& o) const override {
    const float one = 1, zero = 0;  // y = 1·(x ⋆ w) + 0·y, where cuDNN does not read y
    check_cudnn(cudnn().ConvolutionForward(handle, &one, x_, o.x, w_, o.w, convolution_, algorithm_, o.workspace,
                                           workspace_bytes_, &zero, y_, o.y),
                "cudnnConvolutionForward");
  }

 private:
  cudnnConvolutionFwdAlgo_t algorithm_;
  Tensor x_;
  Filter w_;
  Tensor y_;
  Convolution convolution_;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace

cudnnDataType_t cudnn_type(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return CUDNN_DATA_HALF;
    case DType::bf16:
      return CUDNN_DATA_BFLOAT16;
    case DType::f32:
      return CUDNN_DATA_FLOAT;
    case DType::f64:
      break;
  }
  return CUDNN_DATA_DOUBLE;
}

std::shared_ptr<const CudnnCall> forced_algorithm(const Request& request, const std::string& algorithm) {
  return std::make_shared<LegacyCall>(request, algorithm);
}

}  // namespace convlens::gpu
