// What the runtime module does for the rest of the program. The module (kernels/runtime/) is built where the CUDA
// toolkit is and opened where it can be; no one else sees a CUDA header.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/interface/plan.h"
#include "algorithms/measure/device.h"
#include "kernels/program.h"

namespace convlens::gpu {

// What the compiler says of one kernel.
struct Compiled {
  std::vector<std::byte> cubin;
  std::string ptx, log;
  int registers = 0;     // a thread
  int shared_bytes = 0;  // static, a block
  int spill_bytes = 0;   // stores and loads to local memory, a thread
};

class Runtime {
 public:
  virtual ~Runtime() = default;

  virtual std::vector<Device*> devices() = 0;
  virtual std::string why_no_device() const = 0;  // "no NVIDIA driver", …; "" when there is one

  // Queues the program's steps on `stream`. Compiles what isn't yet compiled.
  virtual void execute(const std::shared_ptr<const Program>& program, const Arguments& arguments,
                       const Workspace& workspace, Stream stream) = 0;

  // Compiles for an architecture ("sm_90a"), by the cache where it can; needs no GPU. Throws BadInput with the
  // compiler's log when the text has an error.
  virtual Compiled compile(const Kernel& kernel, const std::string& architecture) = 0;
};

// The module, opened at the first call. Throws NoDevice, saying why, where it is not built or cannot be opened.
Runtime& runtime();

// Why `runtime` would throw, or "".
std::string why_no_runtime();

}  // namespace convlens::gpu
