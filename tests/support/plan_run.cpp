#include "tests/support/plan_run.h"

#include "algorithms/measure/placed_buffer.h"

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

void run_from_host(const Plan& plan, const Arguments& arguments, std::span<std::byte> workspace) {
  const Place place = plan.request().place;
  if (place == Place{}) return plan.run(arguments, workspace);
  const auto bytes = [](const void* data, DType dtype, std::int64_t count) {
    return std::span(static_cast<const std::byte*>(data), static_cast<std::size_t>(count * size_of(dtype)));
  };
  const auto all = [&](const auto& view) { return bytes(view.data, view.dtype, elements(view.shape)); };
  const BiasView& bias = arguments.bias;
  const Mirror x(place, all(arguments.x)), w(place, all(arguments.w)), y(place, all(arguments.y)),
      b(place, bytes(bias.data, bias.dtype, bias.size));
  Arguments there{x.view(arguments.x), w.view(arguments.w), {}, y.view(arguments.y)};
  if (bias.data != nullptr)
    there.bias = as_bias(b.view(ConstTensorView{bias.data, bias.dtype, {bias.size, 1, 1, 1}, {1, 1, 1, 1}, {}}));
  PlacedBuffer memory(place, static_cast<std::int64_t>(workspace.size()));
  memory.write(0, workspace);
  plan.run(there, memory.span());
  wait_for(place);
  const std::span<const std::byte> result = all(arguments.y);
  y.download({static_cast<std::byte*>(arguments.y.data), result.size()});
}

RunResult run_twice(const Plan& plan, const RunInputs& inputs, const Arrangement& where) {
  GuardedTensor y(plan.request().dtype, plan.problem().y_shape(), where);
  const GuardedWorkspace workspace(plan.workspace_bytes());
  const Place place = plan.request().place;
  const Mirror x_there(place, inputs.x_tensor().memory()), w_there(place, inputs.w_tensor().memory()),
      bias_there(place, inputs.bias_tensor().memory()), y_there(place, y.memory()),
      workspace_there(place, workspace.memory());
  const auto run = [&] {
    Arguments arguments{x_there.view(inputs.x()), w_there.view(inputs.w()), {}, y_there.view(y.view())};
    if (plan.problem().bias()) arguments.bias = as_bias(bias_there.view(inputs.bias_tensor().view()));
    plan.run(arguments, workspace_there.span(workspace.span()));
    wait_for(place);
    for (const auto& [there, here] :
         {std::pair(&x_there, inputs.x_tensor().memory()), std::pair(&w_there, inputs.w_tensor().memory()),
          std::pair(&bias_there, inputs.bias_tensor().memory()), std::pair(&y_there, y.memory()),
          std::pair(&workspace_there, workspace.memory())})
      there->download(here);
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
