// A session: one plan made ready to run, with tensors and workspace allocated through the ledger and filled with data.
//
// Benchmarks, the command line and the viewer's worker all run plans through it, so that what they report about bytes
// is what was allocated.
#pragma once

#include <cstdint>
#include <memory>

#include "algorithms/interface/plan.h"
#include "algorithms/measure/ledger.h"
#include "algorithms/tensor/tensor.h"

namespace convlens {

class Session {
 public:
  // x, w and bias are uniform in [−1, 1), functions of `seed` and the logical coordinates alone; y holds garbage.
  // Throws Unsupported when the host has too little memory, or when the plan is for a device.
  Session(std::shared_ptr<const Plan> plan, std::uint64_t seed);

  // Computes y once; the main kernel alone, on what `run` has left (Plan::run_kernel).
  void run();
  void run_kernel();

  const Plan& plan() const { return *plan_; }
  const Ledger& ledger() const { return ledger_; }
  TensorView x() { return x_.view(); }
  TensorView w() { return w_.view(); }
  BiasView bias() const;
  ConstTensorView y() const { return y_.view(); }

 private:
  Arguments arguments();
  std::span<std::byte> memory() { return {workspace_.data(), static_cast<std::size_t>(workspace_.bytes())}; }

  std::shared_ptr<const Plan> plan_;
  Ledger ledger_;
  Tensor x_, w_, bias_, y_;  // bias is C_o×1×1×1, or empty
  HostBuffer workspace_;
};

}  // namespace convlens
