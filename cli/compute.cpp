#include "cli/compute.h"

#include <algorithm>

#include "algorithms/measure/device.h"

namespace convlens::cli {

Computed compute(const Plan& plan, const Tensor& x, const Tensor& w, const RulerOptions& ruler) {
  const Request& request = plan.request();
  Ledger ledger;
  Computed result{Tensor(request.dtype, request.layouts.y, plan.problem().y_shape()), {}, {}};
  ledger.note("x", x.bytes());
  ledger.note("w", w.bytes());
  ledger.note("y", result.y.bytes());
  PlacedBuffer workspace = ledger.allocate_workspace(plan);
  constexpr std::byte kNaN{0xff};  // in every byte: a NaN of every element type
  workspace.set(kNaN);
  std::ranges::fill(bytes_of(result.y), kNaN);

  const Mirror x_there(request.place, bytes_of(x)), w_there(request.place, bytes_of(w)),
      y_there(request.place, bytes_of(result.y));
  const Arguments arguments{x_there.view(x.view()), w_there.view(w.view()), {}, y_there.view(result.y.view())};
  const auto call = [&](Stream stream) { plan.run(arguments, workspace.span(), stream); };
  if (request.place == Place{}) {
    result.timing = measure([&] { call({}); }, ruler);
  } else {
    Device& gpu = device(request.place);
    gpu.prepare(plan);
    result.timing = gpu.measure({call}, ruler).front();
    gpu.synchronize();
  }
  y_there.download(bytes_of(result.y));
  result.bytes = ledger.lines();
  return result;
}

}  // namespace convlens::cli
