// What the runtime module does for the rest of the program. The module (kernels/runtime/) is built where the CUDA
// toolkit is and opened where it can be; no one else sees a CUDA header.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/interface/plan.h"
#include "algorithms/measure/device.h"
#include "kernels/program.h"
#include "kernels/trace.h"

namespace convlens::gpu {

// What the compiler says of one kernel.
struct Compiled {
  std::vector<std::byte> cubin;
  std::string ptx, log;
  int registers = 0;     // a thread
  int shared_bytes = 0;  // static, a block
  int spill_bytes = 0;   // stores and loads to local memory, a thread
};

// What a vendor's library says of a call before it is made.
struct VendorAnswer {
  enum class Method : std::uint8_t { sums, fft, winograd };

  std::string refusal;               // in the library's own words, or ""
  std::string engine;                // what will compute: "FFT_TILING", "engine 27, knobs 2=5"
  Method method = Method::sums;      // what that does, as far as the library tells
  std::int64_t workspace_bytes = 0;  // exact
  std::vector<std::string> notes;
};

class Runtime {
 public:
  virtual ~Runtime() = default;

  virtual std::vector<Device*> devices() = 0;
  virtual std::string why_no_device() const = 0;  // "no NVIDIA driver", …; "" when there is one

  // Queues the program's steps on `stream`. Compiles what isn't yet compiled.
  virtual void execute(const std::shared_ptr<const Program>& program, const Arguments& arguments,
                       const Workspace& workspace, Stream stream) = 0;

  // What the blocks of the program's traced kernel noted in its last execution, in launch order; waits for the GPU.
  virtual std::vector<BlockSpan> spans(const Program& program) = 0;

  // Asks the library of `call` whether it computes `request`, on the device that this names. Some answers take seconds,
  // when they are first asked for: the library's engines are timed.
  virtual VendorAnswer ask(const Request& request, const VendorCall& call) = 0;

  // Compiles for an architecture ("sm_90a"), by the cache where it can; needs no GPU. Throws BadInput with the
  // compiler's log when the text has an error, or when the compiler, which is a process of its own, dies of it or takes
  // more than it may; Unsupported once `stop`, asked again and again meanwhile, is true.
  virtual Compiled compile(const Kernel& kernel, const std::string& architecture,
                           const std::function<bool()>& stop) = 0;
  Compiled compile(const Kernel& kernel, const std::string& architecture) { return compile(kernel, architecture, {}); }

  // Compiled kernels are kept on disk (kernels/cache.h) unless this is switched off (`--no-cache`).
  virtual void use_disk_cache(bool wanted) = 0;
  virtual std::string disk_cache_state() const = 0;  // "3 MiB of 256 MiB in FOLDER", or why nothing is kept

  // What cuFFT asks for the transform, on the first GPU. Throws NoDevice where there is none.
  virtual std::int64_t fft_workspace_bytes(const Fft& fft) = 0;

  // The vendor's libraries and their versions, for records: {"cuBLAS", "13.1.0"}.
  virtual std::vector<std::pair<std::string, std::string>> libraries() const = 0;
};

// The module, opened at the first call. Throws NoDevice, saying why, where it is not built or cannot be opened.
Runtime& runtime();

// Why `runtime` would throw, or "".
std::string why_no_runtime();

// The workspace of a transform: what cuFFT asks for where there is a GPU. Elsewhere, where it cannot be asked and the
// program is only described, an estimate: nothing for lengths that factor into 2, 3, 5 and 7 (measured with cuFFT 12 on
// an H200, 8 to 1000 points), one array of half-spectra for others.
std::int64_t fft_workspace_bytes(const Fft& fft);

}  // namespace convlens::gpu
