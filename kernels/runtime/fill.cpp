#include "kernels/runtime/fill.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "kernels/runtime/kernel.h"
#include "kernels/runtime/status.h"

namespace convlens::gpu {

namespace {

constexpr int kThreads = 256;

// Loaded once a GPU and element type.
const LoadedKernel& fill_kernel(DType dtype) {
  static std::mutex mutex;
  // Never destroyed: at the program's end the driver may be gone before it.
  static auto& loaded = *new std::map<std::pair<int, DType>, std::unique_ptr<LoadedKernel>>;
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  const std::lock_guard lock(mutex);
  std::unique_ptr<LoadedKernel>& kernel = loaded[{device, dtype}];
  if (kernel == nullptr) {
    const Kernel text{.file = "common/fill_uniform.cu",
                      .entry = "fill_uniform",
                      .constants = {{"element_type", static_cast<int>(dtype)}, {"threads", kThreads}},
                      .sizes = {}};
    kernel = std::make_unique<LoadedKernel>(text, Dim3{kThreads});
  }
  return *kernel;
}

}  // namespace

void fill_uniform(const TensorView& view, std::uint64_t key) {
  const std::int64_t count = elements(view.shape);
  if (count == 0) return;
  struct {
    std::int64_t c, h, w, count;
    Strides strides;
  } tensor{view.shape[1], view.shape[2], view.shape[3], count, view.strides};
  void* data = view.data;
  char sizes = 0;  // the kernel's `Sizes` is empty
  std::array<void*, 4> parameters{&data, &key, &tensor, &sizes};
  const Dim3 grid{std::min<std::int64_t>(ceil_div(count, kThreads), 1 << 20)};
  fill_kernel(view.dtype).launch(grid, parameters.data(), nullptr);
  check(cudaStreamSynchronize(nullptr), "filling a tensor");
}

}  // namespace convlens::gpu
