#include "kernels/runtime/cudnn_vendor.h"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <optional>

#include "algorithms/error.h"
#include "kernels/runtime/cudnn_search.h"

namespace convlens::gpu {

namespace {

using Method = VendorAnswer::Method;

VendorAnswer prepared(std::string engine, Method method, std::shared_ptr<const CudnnCall> call) {
  VendorAnswer answer;
  answer.engine = std::move(engine);
  answer.method = method;
  answer.workspace_bytes = call->workspace_bytes();
  answer.notes = call->notes();
  answer.prepared = std::move(call);
  return answer;
}

Method method_of(const EngineConfig& config) {
  if (config.notes_any({CUDNN_NUMERICAL_NOTE_FFT})) return Method::fft;
  return config.transforms() ? Method::winograd : Method::sums;
}

std::string milliseconds(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g ms", ms);
  return text;
}

VendorAnswer best_engine(const Request& request, bool without_transforms) {
  const std::shared_ptr<const EngineSearch> search = search_engines(request);
  const auto fits = [&](const TimedEngine& engine) {
    return !request.memory_limit || request.tensor_bytes() + engine.call->workspace_bytes() <= *request.memory_limit;
  };
  for (const TimedEngine& engine : search->engines) {
    if ((without_transforms && engine.config.transforms()) || !fits(engine)) continue;
    VendorAnswer answer = prepared(engine.config.name(), method_of(engine.config), engine.call);
    answer.notes.push_back("the fastest of " + std::to_string(search->engines.size()) + " engines that ran, " +
                           milliseconds(engine.ms) + "; of " + std::to_string(search->proposed) +
                           " that the heuristics A, B and fallback propose " + std::to_string(search->refused) +
                           " refused, " + std::to_string(search->short_precision) +
                           " were left out for computing in short precision");
    return answer;
  }
  throw Unsupported("cuDNN: " + std::to_string(search->proposed) + " engines proposed, " +
                    std::to_string(search->short_precision) + " of them in short precision, " +
                    std::to_string(search->refused) + " refused, and none left " +
                    (without_transforms ? "that is neither FFT nor Winograd" : "that runs") +
                    (request.memory_limit ? " within the memory limit" : ""));
}

Method method_of(const std::string& algorithm) {
  if (algorithm.starts_with("FFT")) return Method::fft;
  return algorithm.starts_with("WINOGRAD") ? Method::winograd : Method::sums;
}

}  // namespace

VendorAnswer ask_cudnn(const Request& request, const VendorCall& call) {
  try {
    if (const cudaError_t status = cudaSetDevice(request.place.index); status != cudaSuccess)
      throw NoDevice("device: gpu:" + std::to_string(request.place.index) + ", " + cudaGetErrorString(status));
    if (call.engine.starts_with("best")) return best_engine(request, call.engine != "best");
    return prepared(call.engine, method_of(call.engine), forced_algorithm(request, call.engine));
  } catch (const Unsupported& refusal) {
    VendorAnswer answer;
    answer.engine = call.engine;
    answer.refusal = refusal.what();
    return answer;
  }
}

void execute_cudnn(const VendorCall& call, const Arguments& arguments, const Workspace& workspace, Stream stream) {
  const CudnnHandle handle(static_cast<cudaStream_t>(stream.handle));
  static_cast<const CudnnCall*>(call.prepared.get())
      ->execute(handle, {arguments.x.data, arguments.w.data, arguments.bias.data, arguments.y.data,
                         workspace.get<std::byte>(call.workspace)});
}

}  // namespace convlens::gpu
