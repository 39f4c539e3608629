#include "kernels/architecture.h"

#include "algorithms/error.h"

namespace convlens::gpu {

void check_architecture(const Kernel& kernel, const std::string& architecture) {
  const Architectures& may = kernel.architectures;
  // Instructions of a single generation exist in its 'a' variant alone; NVIDIA's PTX manual, target specifiers.
  const bool single = may.most == may.least, variant = architecture.back() == 'a';
  if (may.has(std::stoi(architecture.substr(3))) && (variant || !single)) return;
  std::string why = may.why;
  if (why.empty() && may.least == Architectures{}.least)
    why = "cp.async, by which the row's kernels copy; im2win.tc:async_copy=off does without";
  throw Unsupported(kernel.entry + ": " + architecture + ", must be sm_" + std::to_string(may.least) +
                    (single ? "a" : " or later") + (why.empty() ? "" : ", for " + why));
}

}  // namespace convlens::gpu
