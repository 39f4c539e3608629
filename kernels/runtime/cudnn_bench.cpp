#include "kernels/runtime/cudnn_bench.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "algorithms/error.h"
#include "kernels/common/tensor_cores.h"

namespace convlens::gpu {

namespace {

// An error of no more than that share of Σ|x||w| + |bias|.
ErrorModel within(double share) {
  ErrorModel model;
  model.worst_case = [share](const BoundInputs& inputs, std::span<double> bound) {
    for (std::size_t k = 0; k < bound.size(); ++k) bound[k] = share * inputs.sum_abs[k];
  };
  return model;
}

// A tap that reads the image, not its padding, for some output; where there is none, the first.
std::pair<std::int64_t, std::int64_t> tap_in_image(const ConvProblem& p) {
  const auto reads = [](std::int64_t outputs, std::int64_t extent, auto place) {
    for (std::int64_t output = 0; output < outputs; ++output)
      if (place(output) >= 0 && place(output) < extent) return true;
    return false;
  };
  std::int64_t row = 0, column = 0;
  while (row < p.hf() - 1 && !reads(p.ho(), p.hi(), [&](auto output) { return p.input_row(output, row); })) ++row;
  while (column < p.wf() - 1 && !reads(p.wo(), p.wi(), [&](auto output) { return p.input_column(output, column); }))
    ++column;
  return {row, column};
}

}  // namespace

CudnnBench::CudnnBench(const Request& request, const std::vector<TimedEngine>& engines, CudaDevice& device)
    : request_(request),
      device_(device),
      x_(device, request.x_bytes()),
      w_(device, request.w_bytes()),
      y_(device, request.y_bytes()),
      bias_(device, std::max<std::int64_t>(1, request.bias_bytes())),
      operands_{x_.data(), w_.data(), request.problem.bias() ? bias_.data() : nullptr, y_.data(), nullptr} {
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
  fill(x_, request_.layouts.x, p.x_shape(), kKeyX);
  fill(w_, request_.layouts.w, p.w_shape(), kKeyW);
  if (p.bias()) fill(bias_, Layout::NCHW, {1, p.co(), 1, 1}, kKeyBias);
}

// x of one value v, w with a single one in each output channel, and bias −v: all outputs are 0, but for those whose tap
// reads padding.
Elements CudnnBench::fill_cancelling() {
  constexpr std::byte kRepeated{0x3d};  // v is no power of two, and its last bit is set, in every type
  const ConvProblem& p = request_.problem;
  const auto [row, column] = tap_in_image(p);
  const Strides strides = dense_strides(request_.layouts.w, p.w_shape());
  device_.set(x_.data(), kRepeated, x_.bytes());
  return visit(request_.dtype, [&, row = row, column = column]<class T>() -> Elements {
    std::array<std::byte, sizeof(T)> bytes;
    bytes.fill(kRepeated);
    const double value = static_cast<double>(std::bit_cast<T>(bytes));
    std::vector<T> w(static_cast<std::size_t>(elements(p.w_shape())), static_cast<T>(0.0));
    for (std::int64_t o = 0; o < p.co(); ++o)
      w[static_cast<std::size_t>(o * strides[0] + row * strides[2] + column * strides[3])] = static_cast<T>(1.0);
    const std::vector<T> bias(static_cast<std::size_t>(p.co()), static_cast<T>(-value));
    device_.upload(w_.data(), std::as_bytes(std::span(w)));
    device_.upload(bias_.data(), std::as_bytes(std::span(bias)));
    return {.x = [=](const Shape&) { return value; },
            .w = [=](const Shape& at) { return at[1] == 0 && at[2] == row && at[3] == column ? 1.0 : 0.0; },
            .bias = [=](const Shape&) { return -value; }};
  });
}

std::vector<EngineConfig> CudnnBench::take_out_wrong(std::vector<TimedEngine>& engines) {
  const ConvProblem& p = request_.problem;
  std::vector<EngineConfig> wrong;
  const auto take_out = [&](const Elements& elements, const ErrorModel& of_sums, const ErrorModel& of_transforms) {
    const SampledOutputs samples(p, request_.dtype, elements);
    std::erase_if(engines, [&](const TimedEngine& engine) {
      const ErrorModel& model = engine.config.transforms() ? of_transforms : of_sums;
      try {
        if (!fits(engine)) return false;
        run_on_poisoned(engine);
        if (samples.compare([this](const Shape& at) { return downloaded(at); }, model).kept) return false;
      } catch (const Unsupported&) {
        return false;  // refused when it is timed, too
      }
      wrong.push_back(engine.config);
      return true;
    });
  };
  // The bound of a transform is not one that a few outputs tell: of these only what is grossly wrong is seen, and a
  // bias that is not added at all.
  take_out(uniform_elements(p, request_.dtype), tensor_core_sum_model(p, request_.dtype), within(0.01));
  if (p.bias()) {
    take_out(fill_cancelling(), within(0x1p-14), within(0.1));
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
