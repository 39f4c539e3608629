// What tests of the GPU runtime share: whether it is there, and tensors in a GPU's memory.
#pragma once

#include <iostream>

#include "algorithms/measure/device.h"
#include "algorithms/tensor/tensor.h"
#include "kernels/runtime.h"

namespace convlens::testing {

// True, after a line that marks the test as skipped, where the runtime module is not built or cannot be loaded.
inline bool no_runtime() {
  const std::string why = gpu::why_no_runtime();
  if (!why.empty()) std::cout << "SKIP: " << why << "\n";
  return !why.empty();
}

// The same where there is no GPU.
inline bool no_gpu() {
  if (no_runtime()) return true;
  const std::string why = gpu::runtime().why_no_device();
  if (!why.empty()) std::cout << "SKIP: " << why << "\n";
  return !why.empty();
}

inline Device& first_gpu() { return *gpu::runtime().devices().front(); }
inline constexpr Place kGpu{Place::Kind::device, 0};

// A tensor of the first GPU, full of NaN, or a copy of one of the host's.
class GpuTensor {
 public:
  template <class AnyLayout>
  GpuTensor(DType dtype, AnyLayout layout, const Shape& shape)
      : memory_(first_gpu(), elements(shape) * size_of(dtype)),
        view_{memory_.data(), dtype, shape, dense_strides(layout, shape), kGpu} {
    first_gpu().set(memory_.data(), std::byte{0xff}, memory_.bytes());
  }
  explicit GpuTensor(const Tensor& host)
      : memory_(first_gpu(), host.bytes()),
        view_{memory_.data(), host.dtype(), host.shape(), host.view().strides, kGpu} {
    first_gpu().upload(memory_.data(), {static_cast<const std::byte*>(host.view().data), bytes()});
  }

  TensorView view() const { return view_; }
  void download(Tensor& to) const {
    first_gpu().download({static_cast<std::byte*>(to.view().data), bytes()}, memory_.data());
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(memory_.bytes()); }

  DeviceBuffer memory_;
  TensorView view_;
};

}  // namespace convlens::testing
