#include "kernels/architecture.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "algorithms/error.h"
#include "algorithms/interface/algorithm.h"
#include "kernels/common/shared_memory.h"

namespace convlens::gpu {

namespace {

int number(const std::string& architecture) { return std::stoi(architecture.substr(3)); }

// The most dynamic shared memory of a launch of the program; nothing where one cannot run on `architecture`.
std::optional<std::int64_t> shared_bytes_on(const Program& program, const std::string& architecture) {
  std::int64_t most = 0;
  for (const Step& step : program.steps)
    if (const auto* launch = std::get_if<Launch>(&step)) {
      if (!why_not_on(*launch, architecture).empty()) return std::nullopt;
      most = std::max(most, launch->shared_bytes);
    }
  return most;
}

// The run nearest to the plan's that has no such launch: "im2win.tc:tile=64x128,async_copy=off takes 55296", or "".
std::string nearest_on(const Plan& plan, const std::string& architecture) {
  const Algorithm& row = plan.algorithm();
  std::string nearest;
  std::pair<std::int64_t, std::int64_t> least{std::numeric_limits<std::int64_t>::max(), 0};
  for (const Option& option : row.options)
    for (const std::string& value : option.values) {
      Request request = plan.request();
      request.options.set(option.id, value);
      if (!row.supports(request)) continue;
      const auto other = row.plan(request);
      const auto bytes = shared_bytes_on(*other->program(), architecture);
      if (!bytes || std::pair(other->executed_flops(), -*bytes) >= least) continue;
      least = {other->executed_flops(), -*bytes};
      nearest = other->run_name() + " takes " + std::to_string(*bytes);
    }
  return nearest;
}

}  // namespace

void check_architecture(const Kernel& kernel, const std::string& architecture) {
  const Architectures& may = kernel.architectures;
  // Instructions of a single generation exist in its 'a' variant alone; NVIDIA's PTX manual, target specifiers.
  const bool single = may.most == may.least, variant = architecture.back() == 'a';
  if (may.has(number(architecture)) && (variant || !single)) return;
  std::string why = may.why;
  if (why.empty() && may.least == Architectures{}.least) why = "cp.async, by which the row's kernels copy";
  throw Unsupported(kernel.entry + ": " + architecture + ", must be sm_" + std::to_string(may.least) +
                    (single ? "a" : " or later") + (why.empty() ? "" : ", for " + why));
}

std::optional<std::int64_t> most_shared_bytes(const std::string& architecture) {
  const std::int64_t bytes = shared_bytes_of_block(number(architecture));
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

void check_shared_bytes(const std::string& entry, std::int64_t bytes, std::int64_t most,
                        const std::string& architecture) {
  if (bytes > most)
    throw Unsupported(entry + ": " + std::to_string(bytes) + " bytes of shared memory a block, must be ≤ " +
                      std::to_string(most) + " on " + architecture);
}

std::string why_not_on(const Launch& launch, const std::string& architecture) {
  try {
    check_architecture(launch.kernel, architecture);
    if (const auto most = most_shared_bytes(architecture))
      check_shared_bytes(launch.kernel.entry, launch.shared_bytes, *most, architecture);
  } catch (const Unsupported& refusal) {
    return refusal.what();
  }
  return "";
}

void check_launch(const Plan& plan, const Launch& launch, const std::string& architecture) {
  check_architecture(launch.kernel, architecture);
  const std::string why = why_not_on(launch, architecture);
  if (why.empty()) return;
  const std::string nearest = nearest_on(plan, architecture);
  throw Unsupported(why + (nearest.empty() ? "" : "; " + nearest));
}

}  // namespace convlens::gpu
