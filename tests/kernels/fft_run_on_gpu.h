// What tests of fft.cc and fft.tc on a GPU share: one run, and all that it leaves in memory.
#pragma once

#include "tests/fft/fft_support.h"
#include "tests/kernels/gpu.h"

namespace convlens::testing {

// A run on the first GPU, from memory full of NaN; y is copied back, and so is the workspace.
inline std::vector<std::byte> run_on_gpu(const Plan& plan, fft_test::Tensors& t) {
  const Request& r = plan.request();
  const GpuTensor x(t.x), w(t.w), bias(t.bias), y(r.dtype, r.layouts.y, t.y.shape());
  const DeviceBuffer memory(first_gpu(), plan.workspace_bytes());
  first_gpu().set(memory.data(), std::byte{0xff}, memory.bytes());
  const TensorView b = bias.view();
  plan.run({.x = x.view(),
            .w = w.view(),
            .bias = {b.shape[0] > 0 ? b.data : nullptr, b.dtype, b.shape[0], 1, kGpu},
            .y = y.view()},
           memory.span());
  first_gpu().synchronize();
  y.download(t.y);
  std::vector<std::byte> workspace(static_cast<std::size_t>(memory.bytes()));
  first_gpu().download(workspace, memory.data());
  return workspace;
}

}  // namespace convlens::testing
