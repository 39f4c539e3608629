// What tests of the GPU runtime share: whether it is there, and tensors in a GPU's memory.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>

#include "algorithms/measure/device.h"
#include "algorithms/tensor/tensor.h"
#include "kernels/runtime.h"
#include "tests/catch.h"

namespace convlens::testing {

// Whether a test is skipped, for the reason that it is given, or "". Says so in a line; where the environment variable
// CONVLENS_REQUIRE_GPU is set, as on a server whose GPU is to be tested, the test fails instead.
inline bool skipped(const std::string& why) {
  if (why.empty()) return false;
  const char* required = std::getenv("CONVLENS_REQUIRE_GPU");
  if (required != nullptr && *required != '\0' && std::string(required) != "0")
    FAIL("CONVLENS_REQUIRE_GPU is set, and there is none: " << why);
  std::cout << "SKIP: " << why << "\n";
  return true;
}

// Where the runtime module is not built or cannot be loaded.
inline bool no_runtime() { return skipped(gpu::why_no_runtime()); }

// The same where there is no GPU.
inline bool no_gpu() { return no_runtime() || skipped(gpu::runtime().why_no_device()); }

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
