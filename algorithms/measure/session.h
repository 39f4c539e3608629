// A session: one plan made ready to run, with tensors and workspace allocated through the ledger, in the plan's place,
// and filled with data.
//
// Benchmarks, the command line and the viewer's worker all run plans through it, so that what they report about bytes
// is what was allocated.
#pragma once

#include <cstdint>
#include <memory>

#include "algorithms/interface/plan.h"
#include "algorithms/measure/ledger.h"

namespace convlens {

// x, w, bias and y of a request, dense, in its place. x, w and bias are uniform in [−1, 1), functions of the seed and
// the logical coordinates alone; y holds garbage.
class Operands {
 public:
  // Throws Unsupported when there is too little memory.
  Operands(const Request& request, std::uint64_t seed);

  const Arguments& arguments() const { return arguments_; }
  const Ledger& ledger() const { return ledger_; }

 private:
  Ledger ledger_;
  PlacedBuffer x_, w_, bias_, y_;  // bias is empty when the problem has none
  Arguments arguments_;
};

class Session {
 public:
  // With tensors and a workspace of its own. Throws Unsupported when there is too little memory.
  Session(std::shared_ptr<const Plan> plan, std::uint64_t seed);

  // On tensors and memory that several sessions share, one running after the other. `arena` is in the plan's place and
  // holds at least its workspace; the ledger has what the plan uses of it.
  Session(std::shared_ptr<const Plan> plan, std::shared_ptr<const Operands> operands,
          std::shared_ptr<const PlacedBuffer> arena);

  // Computes y once; the main kernel alone, on what `run` has left (Plan::run_kernel).
  void run();
  void run_kernel();

  // Puts the work into a device's queue; on the host the same as `run`.
  void queue(Stream stream);
  void queue_kernel(Stream stream);

  const Plan& plan() const { return *plan_; }
  const Ledger& ledger() const { return ledger_; }
  ConstTensorView x() const { return operands_->arguments().x; }
  ConstTensorView w() const { return operands_->arguments().w; }
  BiasView bias() const { return operands_->arguments().bias; }
  ConstTensorView y() const { return operands_->arguments().y; }

 private:
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<const Operands> operands_;
  Ledger ledger_;
  std::shared_ptr<const PlacedBuffer> workspace_;
};

}  // namespace convlens
