#include "kernels/runtime/cudnn_bench.h"

#include <algorithm>

#include "algorithms/error.h"
#include "kernels/common/tensor_cores.h"

namespace convlens::gpu {

namespace {

// Repeated it is a number in each type whose last bit is set: half a unit in the last place too much rounds to another.
constexpr std::byte kBiasByte{0x3d};

// What is asked of a transform, whose own bound a few outputs cannot tell: 1 % of Σ|x||w|.
ErrorModel grossly_right() {
  ErrorModel model;
  model.worst_case = [](const BoundInputs& inputs, std::span<double> bound) {
    for (std::size_t k = 0; k < bound.size(); ++k) bound[k] = 0.01 * inputs.sum_abs[k];
  };
  return model;
}

}  // namespace

CudnnBench::CudnnBench(const Request& request, const std::vector<TimedEngine>& engines, CudaDevice& device)
    : request_(request),
      device_(device),
      x_(device, request.x_bytes()),
      w_(device, request.w_bytes()),
      y_(device, request.y_bytes()),
      bias_(device, std::max<std::int64_t>(1, request.bias_bytes())),
      operands_{x_.data(), w_.data(), request.problem.bias() ? bias_.data() : nullptr, y_.data(), nullptr},
      samples_(request.problem, request.dtype) {
  fill_uniform();
  constexpr std::int64_t kForOthers = std::int64_t{1} << 30;  // the cache's flush, cuDNN's kernels
  const std::int64_t there = device.free_memory() - kForOthers;
  std::int64_t most = 1;
  for (const TimedEngine& engine : engines)
    if (engine.call->workspace_bytes() <= there) most = std::max(most, engine.call->workspace_bytes());
  workspace_.emplace(device, most);
  operands_.workspace = workspace_->data();
}

void CudnnBench::fill_uniform() {
  const ConvProblem& p = request_.problem;
  const auto fill = [&](const DeviceBuffer& buffer, auto layout, const Shape& shape, std::uint64_t key) {
    device_.fill_uniform({buffer.data(), request_.dtype, shape, dense_strides(layout, shape), request_.place}, key);
  };
  fill(x_, request_.layouts.x, p.x_shape(), SampledOutputs::kKeyX);
  fill(w_, request_.layouts.w, p.w_shape(), SampledOutputs::kKeyW);
  if (p.bias()) fill(bias_, Layout::NCHW, {1, p.co(), 1, 1}, SampledOutputs::kKeyBias);
}

std::vector<EngineConfig> CudnnBench::take_out_wrong(std::vector<TimedEngine>& engines) {
  std::vector<EngineConfig> wrong;
  const auto take_out = [&](bool (CudnnBench::*keeps)(const TimedEngine&)) {
    std::erase_if(engines, [&](const TimedEngine& engine) {
      try {
        if (!fits(engine) || (this->*keeps)(engine)) return false;
      } catch (const Unsupported&) {
        return false;  // refused when it is timed, too
      }
      wrong.push_back(engine.config);
      return true;
    });
  };
  take_out(&CudnnBench::keeps_bound);
  if (request_.problem.bias()) {
    device_.set(x_.data(), std::byte{0}, x_.bytes());
    device_.set(bias_.data(), kBiasByte, bias_.bytes());
    take_out(&CudnnBench::keeps_bias);
    fill_uniform();
  }
  return wrong;
}

void CudnnBench::run_on_poisoned(const TimedEngine& engine) {
  constexpr std::byte kNaN{0xff};
  device_.set(y_.data(), kNaN, y_.bytes());
  device_.set(workspace_->data(), kNaN, engine.call->workspace_bytes());
  device_.synchronize();
  engine.call->execute(CudnnHandle(nullptr), operands_);
  device_.synchronize();
}

bool CudnnBench::keeps_bound(const TimedEngine& engine) {
  run_on_poisoned(engine);
  const ErrorModel model =
      engine.config.transforms() ? grossly_right() : tensor_core_sum_model(request_.problem, request_.dtype);
  return samples_.compare([this](const Shape& output) { return downloaded(output); }, model).kept;
}

bool CudnnBench::keeps_bias(const TimedEngine& engine) {
  run_on_poisoned(engine);
  std::vector<std::byte> y(static_cast<std::size_t>(std::min<std::int64_t>(y_.bytes(), 1 << 16)));
  device_.download(y, y_.data());
  return std::ranges::all_of(y, [](std::byte byte) { return byte == kBiasByte; });
}

double CudnnBench::downloaded(const Shape& output) {
  const Strides strides = dense_strides(request_.layouts.y, request_.problem.y_shape());
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < 4; ++axis) offset += output[axis] * strides[axis];
  return visit(request_.dtype, [&]<class T>() {
    T value;
    device_.download(std::as_writable_bytes(std::span(&value, 1)), y_.data() + offset * size_of(request_.dtype));
    return static_cast<double>(value);
  });
}

void CudnnBench::time(std::span<TimedEngine> engines, int samples) {
  std::vector<std::function<void(Stream)>> calls;
  for (const TimedEngine& engine : engines)
    calls.emplace_back([&engine, this](Stream stream) {
      engine.call->execute(CudnnHandle(static_cast<cudaStream_t>(stream.handle)), operands_);
    });
  const std::vector<Timing> timings =
      device_.measure(calls, {.warmup = 1, .repeats = samples, .cold_cache = true, .stop = {}});
  for (std::size_t k = 0; k < engines.size(); ++k) engines[k].ms = timings[k].median_ms();
}

}  // namespace convlens::gpu
