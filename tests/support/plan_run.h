// Running a plan, wherever it runs, on poisoned memory of the host, and what can be wrong with a run whatever it
// computes.
#pragma once

#include <string>
#include <vector>

#include "tests/support/guarded_tensor.h"
#include "tests/support/reference.h"

namespace convlens::testing {

// Where the three tensors of a run lie.
struct Arrangements {
  Arrangement x, w, y;

  // The dense ones that a request declares.
  static Arrangements of(const Request& request);
};

// plan.run on dense tensors of the host: a plan on a device gets copies there, and y comes back.
void run_from_host(const Plan& plan, const Arguments& arguments, std::span<std::byte> workspace);

// x, w and bias in memory of their own, read by any number of runs.
class RunInputs {
 public:
  RunInputs(const Reference& reference, const Arrangement& x, const Arrangement& w);

  ConstTensorView x() const { return x_.view(); }
  ConstTensorView w() const { return w_.view(); }
  BiasView bias() const;
  bool untouched() const;  // they still hold what they were made with

  const GuardedTensor& x_tensor() const { return x_; }
  const GuardedTensor& w_tensor() const { return w_; }
  const GuardedTensor& bias_tensor() const { return bias_; }

 private:
  const Reference* reference_;
  GuardedTensor x_, w_, bias_;
};

struct RunResult {
  std::vector<double> y;  // in logical order
  std::string complaint;  // "wrote beside y", or ""
};

// Runs `plan` with y and the workspace full of 0xFF, then again over what the first run left; both must
// agree, and neither may touch a byte that isn't its own.
RunResult run_twice(const Plan& plan, const RunInputs& inputs, const Arrangement& y);

// One run, in dense memory of the plan's layouts.
std::vector<double> computed(const Plan& plan, const Reference& reference);

}  // namespace convlens::testing
