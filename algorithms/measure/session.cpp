#include "algorithms/measure/session.h"

#include "algorithms/error.h"
#include "algorithms/tensor/random.h"

namespace convlens {

namespace {

// x, w and bias are streams 0, 1 and 2 of the seed; an element's number in its stream is its NCHW index.
void fill_uniform(const TensorView& view, std::uint64_t seed, std::uint64_t stream) {
  const std::uint64_t key = random_bits(seed, stream);
  const Shape& s = view.shape;
  fill(view, [key, s](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
    return random_uniform(key, static_cast<std::uint64_t>(((n * s[1] + c) * s[2] + h) * s[3] + w));
  });
}

template <class AnyLayout>
Tensor allocate(Ledger& ledger, const char* name, DType dtype, AnyLayout layout, const Shape& shape) {
  Tensor tensor(dtype, layout, shape);
  ledger.note(name, tensor.bytes());
  return tensor;
}

}  // namespace

Session::Session(std::shared_ptr<const Plan> plan, std::uint64_t seed) : plan_(std::move(plan)) {
  const Request& request = plan_->request();
  const ConvProblem& problem = request.problem;
  if (request.place != Place{})
    throw Unsupported("place: " + plan_->run_name() + " is planned for a device, must be the host");

  x_ = allocate(ledger_, "x", request.dtype, request.layouts.x, problem.x_shape());
  w_ = allocate(ledger_, "w", request.dtype, request.layouts.w, problem.w_shape());
  if (problem.bias()) bias_ = allocate(ledger_, "bias", request.dtype, Layout::NCHW, {problem.co(), 1, 1, 1});
  y_ = allocate(ledger_, "y", request.dtype, request.layouts.y, problem.y_shape());
  workspace_ = ledger_.allocate_workspace(*plan_);

  fill_uniform(x_.view(), seed, 0);
  fill_uniform(w_.view(), seed, 1);
  if (problem.bias()) fill_uniform(bias_.view(), seed, 2);
}

BiasView Session::bias() const {
  if (!plan_->problem().bias()) return {};
  const ConstTensorView view = bias_.view();
  return {view.data, view.dtype, view.shape[0], view.strides[0], view.place};
}

Arguments Session::arguments() { return {x_.view(), w_.view(), bias(), y_.view()}; }

void Session::run() { plan_->run(arguments(), memory()); }
void Session::run_kernel() { plan_->run_kernel(arguments(), memory()); }

}  // namespace convlens
