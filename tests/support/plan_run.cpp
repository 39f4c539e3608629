#include "tests/support/plan_run.h"

namespace convlens::testing {

Arrangements Arrangements::of(const Request& request) {
  const ConvProblem& p = request.problem;
  return {dense(request.layouts.x, p.x_shape()), dense(request.layouts.w, p.w_shape()),
          dense(request.layouts.y, p.y_shape())};
}

namespace {
Shape bias_shape(const Reference& reference) { return {static_cast<std::int64_t>(reference.bias.size()), 1, 1, 1}; }
}  // namespace

RunInputs::RunInputs(const Reference& reference, const Arrangement& x, const Arrangement& w)
    : reference_(&reference),
      x_(reference.dtype, reference.problem.x_shape(), x),
      w_(reference.dtype, reference.problem.w_shape(), w),
      bias_(reference.dtype, bias_shape(reference), dense(Layout::NCHW, bias_shape(reference))) {
  x_.write(reference.x);
  w_.write(reference.w);
  bias_.write(reference.bias);
}

BiasView RunInputs::bias() const {
  if (reference_->bias.empty()) return {};
  return {bias_.view().data, reference_->dtype, reference_->problem.co(), 1, Place{}};
}

bool RunInputs::untouched() const {
  return same(x_.read(), reference_->x) && same(w_.read(), reference_->w) && same(bias_.read(), reference_->bias);
}

RunResult run_twice(const Plan& plan, const RunInputs& inputs, const Arrangement& where) {
  GuardedTensor y(plan.request().dtype, plan.problem().y_shape(), where);
  const GuardedWorkspace workspace(plan.workspace_bytes());
  const auto run = [&] {
    plan.run({inputs.x(), inputs.w(), inputs.bias(), y.view()}, workspace.span());
    return y.read();
  };
  RunResult result{run(), ""};
  const bool repeats = same(result.y, run());
  if (!repeats) result.complaint += "a second run gave something else; ";
  if (!y.surroundings_untouched()) result.complaint += "wrote beside y; ";
  if (!workspace.guards_untouched()) result.complaint += "wrote beside its workspace; ";
  return result;
}

std::vector<double> computed(const Plan& plan, const Reference& reference) {
  const Arrangements at = Arrangements::of(plan.request());
  return run_twice(plan, RunInputs(reference, at.x, at.w), at.y).y;
}

}  // namespace convlens::testing
