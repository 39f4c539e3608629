#include "algorithms/measure/session.h"

#include "algorithms/measure/device.h"
#include "algorithms/tensor/random.h"

namespace convlens {

namespace {

// x, w and bias are streams 0, 1 and 2 of the seed; an element's number in its stream is its NCHW index.
void fill_uniform(const TensorView& view, std::uint64_t seed, std::uint64_t stream) {
  if (elements(view.shape) == 0) return;
  const std::uint64_t key = random_bits(seed, stream);
  if (view.place.kind == Place::Kind::device) return device(view.place).fill_uniform(view, key);
  const Shape& s = view.shape;
  fill(view, [key, s](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
    return random_uniform(key, static_cast<std::uint64_t>(((n * s[1] + c) * s[2] + h) * s[3] + w));
  });
}

template <class AnyLayout>
TensorView dense(const PlacedBuffer& memory, DType dtype, AnyLayout layout, const Shape& shape) {
  return {memory.span().data(), dtype, shape, dense_strides(layout, shape), memory.place()};
}

}  // namespace

Operands::Operands(const Request& request, std::uint64_t seed) {
  const ConvProblem& problem = request.problem;
  const DType dtype = request.dtype;
  x_ = ledger_.allocate("x", request.x_bytes(), request.place);
  w_ = ledger_.allocate("w", request.w_bytes(), request.place);
  if (problem.bias()) bias_ = ledger_.allocate("bias", request.bias_bytes(), request.place);
  y_ = ledger_.allocate("y", request.y_bytes(), request.place);

  const TensorView x = dense(x_, dtype, request.layouts.x, problem.x_shape());
  const TensorView w = dense(w_, dtype, request.layouts.w, problem.w_shape());
  arguments_ = {x, w, {}, dense(y_, dtype, request.layouts.y, problem.y_shape())};
  fill_uniform(x, seed, 0);
  fill_uniform(w, seed, 1);
  if (!problem.bias()) return;
  const TensorView bias = dense(bias_, dtype, Layout::NCHW, {problem.co(), 1, 1, 1});
  fill_uniform(bias, seed, 2);
  arguments_.bias = as_bias(bias);
}

Session::Session(std::shared_ptr<const Plan> plan, std::uint64_t seed)
    : plan_(std::move(plan)),
      operands_(std::make_shared<Operands>(plan_->request(), seed)),
      ledger_(operands_->ledger()),
      workspace_(std::make_shared<PlacedBuffer>(ledger_.allocate_workspace(*plan_))) {}

Session::Session(std::shared_ptr<const Plan> plan, std::shared_ptr<const Operands> operands,
                 std::shared_ptr<const PlacedBuffer> arena)
    : plan_(std::move(plan)),
      operands_(std::move(operands)),
      ledger_(operands_->ledger()),
      workspace_(std::move(arena)) {
  for (const Buffer& buffer : plan_->workspace()) ledger_.note(buffer.name, buffer.bytes);
}

void Session::run() {
  queue({});
  wait_for(plan_->request().place);
}

void Session::run_kernel() {
  queue_kernel({});
  wait_for(plan_->request().place);
}

void Session::queue_kernel(Stream stream) { plan_->run_kernel(operands_->arguments(), workspace_->span(), stream); }

void Session::queue(Stream stream) { plan_->run(operands_->arguments(), workspace_->span(), stream); }

}  // namespace convlens
