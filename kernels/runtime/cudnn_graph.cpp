#include "kernels/runtime/cudnn_graph.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>

namespace convlens::gpu {

namespace {

// Names of the tensors for the variant pack.
enum Uid : std::int64_t { kX = 1, kW, kBias, kY, kSum };

constexpr std::int64_t kAlignment = 16;  // bytes; what we promise of every pointer, and cuDNN's vector width

struct TensorTraits {
  DType dtype;
  std::int64_t uid;
  bool is_virtual = false;
};

Descriptor tensor(const Shape& shape, const Strides& strides, const TensorTraits& traits) {
  Descriptor t(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  t.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, traits.uid)
      .set(CUDNN_ATTR_TENSOR_DATA_TYPE, cudnn_type(traits.dtype))
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, std::vector<std::int64_t>(shape.begin(), shape.end()))
      .set(CUDNN_ATTR_TENSOR_STRIDES, std::vector<std::int64_t>(strides.begin(), strides.end()))
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignment)
      .set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, traits.is_virtual);
  return t.finalize();
}

Descriptor convolution(const ConvSpec& s) {
  const auto pair = [](std::int64_t h, std::int64_t w) { return std::vector<std::int64_t>{h, w}; };
  Descriptor c(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  c.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2})
      .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT)
      .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
      .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, pair(s.pad_top, s.pad_left))
      .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, pair(s.pad_bottom, s.pad_right))
      .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, pair(s.dilation_h, s.dilation_w))
      .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, pair(s.stride_h, s.stride_w));
  return c.finalize();
}

Descriptor convolve(const Request& request, const Descriptor& result) {
  const ConvProblem& p = request.problem;
  const Descriptor x = tensor(p.x_shape(), dense_strides(request.layouts.x, p.x_shape()), {request.dtype, kX});
  const Descriptor w = tensor(p.w_shape(), dense_strides(request.layouts.w, p.w_shape()), {request.dtype, kW});
  Descriptor operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, convolution(p.spec()))
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, result)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.0f)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.0f);
  return operation.finalize();
}

Descriptor add_bias(const Request& request, const Descriptor& sum, const Descriptor& y) {
  Descriptor add(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  add.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_POINTWISE_ADD).set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
  const std::int64_t co = request.problem.co();
  Descriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, add.finalize())
      .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, sum)
      .set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, tensor({1, co, 1, 1}, {co, 1, co, co}, {request.dtype, kBias}))
      .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  return operation.finalize();
}

EngineConfig described(const Descriptor& descriptor, const Descriptor& engine) {
  EngineConfig config{descriptor, engine.value<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX), {}, {}};
  config.notes =
      engine.values<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  for (const Descriptor& knob : descriptor.descriptors(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                                       CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_KNOB_TYPE_COUNTS))
    config.knobs.emplace_back(knob.value<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE),
                              knob.value<std::int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
  std::ranges::sort(config.knobs);
  return config;
}

// A mode that knows no engine for the graph proposes none.
std::vector<EngineConfig> proposed_by(cudnnBackendHeurMode_t mode, const Descriptor& graph) {
  Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph).set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
  if (heuristics.try_finalize() != CUDNN_STATUS_SUCCESS) return {};
  std::vector<EngineConfig> configs;
  const std::int64_t count = heuristics.count_descriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS);
  for (const Descriptor& result :
       heuristics.descriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, count))
    configs.push_back(
        described(result, result.descriptors(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1).at(0)));
  return configs;
}

// The engine of that number with the knobs that it has by default; nothing when it does not know the graph.
std::optional<EngineConfig> by_default(std::int64_t number, const Descriptor& graph) {
  Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph).set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, number);
  if (engine.try_finalize() != CUDNN_STATUS_SUCCESS) return std::nullopt;
  Descriptor config(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  config.set(CUDNN_ATTR_ENGINECFG_ENGINE, engine);
  if (config.try_finalize() != CUDNN_STATUS_SUCCESS) return std::nullopt;
  return described(config, engine);
}

class EngineCall : public CudnnCall {
 public:
  EngineCall(const EngineConfig& config, cudnnHandle_t handle)
      : name_(config.name()), notes_(config.note_names()), plan_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle).set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config.descriptor);
    check_cudnn(plan_.try_finalize(), "cuDNN refuses " + name_);
    workspace_bytes_ = plan_.value<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  }

  std::int64_t workspace_bytes() const override { return workspace_bytes_; }
  std::vector<std::string> notes() const override {
    return {"cuDNN " + cudnn_version() + ", graph interface: " + name_, "numerical notes: " + notes_};
  }

  void execute(cudnnHandle_t handle, const CudnnOperands& o) const override {
    std::vector<std::int64_t> uids{kX, kW, kY};
    std::vector<void*> pointers{const_cast<void*>(o.x), const_cast<void*>(o.w), o.y};
    if (o.bias != nullptr) {
      uids.push_back(kBias);
      pointers.push_back(const_cast<void*>(o.bias));
    }
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, uids)
        .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, pointers)
        .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, o.workspace)
        .finalize();
    // Not every engine allows two threads in one plan (cuDNN's release notes, limitations).
    const std::lock_guard lock(mutex_);
    check_cudnn(cudnn().BackendExecute(handle, plan_.get(), pack.get()), "cuDNN, " + name_);
  }

 private:
  std::string name_, notes_;
  Descriptor plan_;
  std::int64_t workspace_bytes_ = 0;
  mutable std::mutex mutex_;
};

}  // namespace

bool EngineConfig::notes_any(std::initializer_list<cudnnBackendNumericalNote_t> wanted) const {
  return std::ranges::find_first_of(notes, wanted) != notes.end();
}

bool EngineConfig::transforms() const {
  return notes_any({CUDNN_NUMERICAL_NOTE_FFT, CUDNN_NUMERICAL_NOTE_WINOGRAD, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4,
                    CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13});
}

// Tensor cores take f32 as TF32. Of f16 and bf16, whose results are rounded to as few bits in the end, cuDNN's legacy
// interface allows sums in short precision too.
bool EngineConfig::short_precision(DType dtype) const {
  if (notes_any({CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS})) return true;
  return dtype == DType::f32 &&
         notes_any({CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION});
}

std::string EngineConfig::name() const {
  std::string text = "engine " + std::to_string(engine) + (knobs.empty() ? "" : ", knobs");
  for (const auto& [type, value] : knobs) text += " " + std::to_string(type) + "=" + std::to_string(value);
  return text;
}

std::string EngineConfig::note_names() const {
  constexpr std::array names{"TENSOR_CORE",
                             "DOWN_CONVERT_INPUTS",
                             "REDUCED_PRECISION_REDUCTION",
                             "FFT",
                             "NONDETERMINISTIC",
                             "WINOGRAD",
                             "WINOGRAD_TILE_4x4",
                             "WINOGRAD_TILE_6x6",
                             "WINOGRAD_TILE_13x13",
                             "STRICT_NAN_PROP"};
  std::string text;
  for (cudnnBackendNumericalNote_t note : notes) {
    const auto number = static_cast<std::size_t>(note);
    text += (text.empty() ? "" : ", ") + (number < names.size() ? names[number] : "note " + std::to_string(number));
  }
  return text.empty() ? "none" : text;
}

Descriptor convolution_graph(const Request& request) {
  const ConvProblem& p = request.problem;
  const Strides strides = dense_strides(request.layouts.y, p.y_shape());
  const Descriptor y = tensor(p.y_shape(), strides, {request.dtype, kY});
  std::vector<Descriptor> operations;
  if (p.bias()) {
    const Descriptor sum = tensor(p.y_shape(), strides, {DType::f32, kSum, true});
    operations = {convolve(request, sum), add_bias(request, sum, y)};
  } else {
    operations = {convolve(request, y)};
  }
  const CudnnHandle handle(nullptr);
  Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, static_cast<cudnnHandle_t>(handle))
      .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations);
  return graph.finalize();
}

std::vector<EngineConfig> engines_for(const Descriptor& graph) {
  std::vector<EngineConfig> all;
  for (cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK})
    for (EngineConfig& config : proposed_by(mode, graph))
      if (std::ranges::find(all, config.name(), &EngineConfig::name) == all.end()) all.push_back(std::move(config));
  const auto count = graph.value<std::int64_t>(CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT);
  for (std::int64_t number = 0; number < count; ++number) {
    if (std::ranges::find(all, number, &EngineConfig::engine) != all.end()) continue;
    if (auto config = by_default(number, graph)) all.push_back(*std::move(config));
  }
  return all;
}

std::shared_ptr<const CudnnCall> engine_call(const EngineConfig& config) {
  return std::make_shared<EngineCall>(config, CudnnHandle(nullptr));
}

}  // namespace convlens::gpu
