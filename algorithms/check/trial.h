// Runs a plan on given data in watched memory, as often as asked, and sees what it does besides computing y.
//
// For a plan on a device the watched tensors are copied there, margins and garbage included, and back after each run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/check/oracle.h"
#include "algorithms/check/watched.h"
#include "algorithms/interface/plan.h"

namespace convlens {

class Trial {
 public:
  // The tensors get the layouts of the plan's request. Throws Unsupported when the host or the device has too little
  // memory.
  Trial(std::shared_ptr<const Plan> plan, const Inputs& inputs, Spacing spacing = Spacing::dense);

  // Runs once. y and the workspace hold NaN the first time, and what the run before left after that.
  // Returns y in NCHW order, widened to float64.
  std::vector<double> run();

  // What a run so far did that it may not do ("wrote into x"), or "".
  const std::string& fault() const { return fault_; }

 private:
  void notice(bool happened, const std::string& what);

  std::shared_ptr<const Plan> plan_;
  WatchedTensor x_, w_, bias_, y_;
  std::optional<Mirror> x_there_, w_there_, bias_there_, y_there_;  // where the plan runs
  WatchedMemory workspace_;
  std::string fault_;
};

}  // namespace convlens
