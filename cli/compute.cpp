#include "cli/compute.h"

#include <cstring>
#include <limits>

namespace convlens::cli {

Computed compute(const Plan& plan, const Tensor& x, const Tensor& w, const RulerOptions& ruler) {
  const Request& request = plan.request();
  Ledger ledger;
  Computed result{Tensor(request.dtype, request.layouts.y, plan.problem().y_shape()), {}, {}};
  ledger.note("x", x.bytes());
  ledger.note("w", w.bytes());
  ledger.note("y", result.y.bytes());
  const HostBuffer workspace = ledger.allocate_workspace(plan);
  constexpr int kNaN = 0xff;  // in every byte: a NaN of every element type
  if (workspace.bytes() > 0) std::memset(workspace.data(), kNaN, static_cast<std::size_t>(workspace.bytes()));
  fill(result.y.view(), [](auto...) { return std::numeric_limits<double>::quiet_NaN(); });

  const Arguments arguments{x.view(), w.view(), {}, result.y.view()};
  const std::span<std::byte> memory(workspace.data(), static_cast<std::size_t>(workspace.bytes()));
  result.timing = measure([&] { plan.run(arguments, memory); }, ruler);
  result.bytes = ledger.lines();
  return result;
}

}  // namespace convlens::cli
