// A step of a program, prepared for one GPU: compiled, loaded, planned. Running it only queues work.
//
// Any number of threads may run one at once. What a library cannot do at once on one handle is guarded by the step.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/interface/plan.h"
#include "kernels/program.h"
#include "kernels/runtime.h"

namespace convlens::gpu {

// What one execution of a program is given.
struct Call {
  const Arguments& arguments;
  const Workspace& workspace;
  cudaStream_t stream;
};

class PreparedStep {
 public:
  virtual ~PreparedStep() = default;
  virtual void run(const Call& call) = 0;

  // What the blocks of a traced kernel noted in its last run, which is over; of every other step nothing.
  virtual std::vector<BlockSpan> spans() const { return {}; }
};

// The address that an argument stands for; null for the bias of a layer without one.
std::byte* address(const Argument& argument, const Call& call);

// The part of a buffer that a library may work in: it begins at a multiple of 256 bytes, as cuBLAS and cuFFT ask, and
// buffers at multiples of 64.
struct WorkArea {
  std::byte* data = nullptr;
  std::int64_t bytes = 0;
};
WorkArea work_area(const std::string& buffer, std::int64_t bytes, const Call& call);
inline constexpr std::int64_t kWorkAreaAlignment = 256;

// Each prepares one kind of step for the current GPU.
std::unique_ptr<PreparedStep> prepare(const Launch& launch);
std::unique_ptr<PreparedStep> prepare(const Gemm& gemm);
std::unique_ptr<PreparedStep> prepare(const Fft& fft);

// A vendor's convolution. A file that drives one registers how its calls are asked for and prepared, both on the
// current GPU:
//
//   const bool registered = register_vendor("cudnn", {.version = …, .ask = …, .prepare = …});
struct Vendor {
  std::function<std::pair<std::string, std::string>()> version;  // {"cuDNN", "9.19.0"}
  std::function<VendorAnswer(const Request&, const VendorCall&)> ask;
  std::function<std::unique_ptr<PreparedStep>(const Program&, const VendorCall&)> prepare;
};
bool register_vendor(const std::string& library, Vendor vendor);
std::unique_ptr<PreparedStep> prepare(const Program& program, const VendorCall& call);
VendorAnswer ask(const Request& request, const VendorCall& call);
std::vector<std::pair<std::string, std::string>> vendor_versions();

// What cuFFT asks for `fft` on the current GPU, in bytes.
std::int64_t fft_work_bytes(const Fft& fft);

}  // namespace convlens::gpu
