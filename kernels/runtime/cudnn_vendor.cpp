// The steps of a program that are calls of cuDNN: asked for when a plan is made, prepared and run by the executor.
#include <algorithm>
#include <cstdio>
#include <set>

#include "algorithms/error.h"
#include "kernels/runtime/cudnn_search.h"
#include "kernels/runtime/step.h"

namespace convlens::gpu {

namespace {

using Method = VendorAnswer::Method;

VendorAnswer answer(std::string engine, Method method, const CudnnCall& call) {
  VendorAnswer said;
  said.engine = std::move(engine);
  said.method = method;
  said.workspace_bytes = call.workspace_bytes();
  said.notes = call.notes();
  return said;
}

Method method_of(const EngineConfig& config) {
  if (config.notes_any({CUDNN_NUMERICAL_NOTE_FFT})) return Method::fft;
  return config.transforms() ? Method::winograd : Method::sums;
}

Method method_of(const std::string& algorithm) {
  if (algorithm.starts_with("FFT")) return Method::fft;
  return algorithm.starts_with("WINOGRAD") ? Method::winograd : Method::sums;
}

// ", left out for wrong results: engines 26, 29", or "".
std::string wrong_engines(const EngineSearch& search) {
  std::set<std::int64_t> numbers;
  for (const EngineConfig& config : search.wrong) numbers.insert(config.engine);
  std::string list;
  for (const std::int64_t number : numbers) list += (list.empty() ? "" : ", ") + std::to_string(number);
  return list.empty() ? ""
                      : ", left out for wrong results: engine" + std::string(numbers.size() > 1 ? "s " : " ") + list;
}

// "the fastest of 9 engines that ran, 1.234 ms; of 20 there are 3 refused, …"; of `allowed` where not all may be
// chosen.
std::string summary(const EngineSearch& search, const TimedEngine& chosen, std::size_t allowed) {
  char ms[32];
  std::snprintf(ms, sizeof ms, "%.4g ms", chosen.ms);
  const std::size_t ran = search.engines.size();
  return "the fastest of " + (allowed < ran ? std::to_string(allowed) + " allowed among " : "") + std::to_string(ran) +
         " engines that ran, " + ms + "; of " + std::to_string(search.known) + " there are " +
         std::to_string(search.refused()) + " refused, " + std::to_string(search.short_precision) +
         " were left out for short precision" + wrong_engines(search);
}

VendorAnswer best_engine(const Request& request, bool without_transforms) {
  const std::shared_ptr<const EngineSearch> search = search_engines(request);
  const auto allowed = [&](const TimedEngine& engine) {
    if (without_transforms && engine.config.transforms()) return false;
    return !request.memory_limit || request.tensor_bytes() + engine.call->workspace_bytes() <= *request.memory_limit;
  };
  const auto chosen = std::ranges::find_if(search->engines, allowed);
  if (chosen == search->engines.end())
    throw Unsupported("cuDNN: " + std::to_string(search->known) + " engines known, " +
                      std::to_string(search->short_precision) + " of them in short precision, " +
                      std::to_string(search->refused()) + " refused" + wrong_engines(*search) +
                      ", none left that runs" + (without_transforms ? " and is neither FFT nor Winograd" : "") +
                      (request.memory_limit ? " within the memory limit" : ""));
  VendorAnswer said = answer(chosen->config.name(), method_of(chosen->config), *chosen->call);
  said.notes.push_back(
      summary(*search, *chosen, static_cast<std::size_t>(std::ranges::count_if(search->engines, allowed))));
  return said;
}

VendorAnswer ask_cudnn(const Request& request, const VendorCall& call) {
  if (call.engine == "best") return best_engine(request, false);
  if (call.engine == "best but FFT and Winograd") return best_engine(request, true);
  return answer(call.engine, method_of(call.engine), *forced_algorithm(request, call.engine));
}

class CudnnStep final : public PreparedStep {
 public:
  CudnnStep(std::shared_ptr<const CudnnCall> call, std::string workspace)
      : call_(std::move(call)), workspace_(std::move(workspace)) {}

  void run(const Call& call) override {
    const Arguments& a = call.arguments;
    call_->execute(CudnnHandle(call.stream),
                   {a.x.data, a.w.data, a.bias.data, a.y.data, call.workspace.get<std::byte>(workspace_)});
  }

 private:
  std::shared_ptr<const CudnnCall> call_;
  std::string workspace_;
};

std::unique_ptr<PreparedStep> prepare_cudnn(const Program& program, const VendorCall& call) {
  if (!call.engine.starts_with("engine "))
    return std::make_unique<CudnnStep>(forced_algorithm(program.request, call.engine), call.workspace);
  for (const TimedEngine& engine : search_engines(program.request)->engines)
    if (engine.config.name() == call.engine) return std::make_unique<CudnnStep>(engine.call, call.workspace);
  throw Unsupported("cuDNN: " + call.engine + ", not among the engines that run on this GPU");
}

[[maybe_unused]] const bool registered = register_vendor(
    "cudnn",
    {.version = [] { return std::pair("cuDNN", cudnn_version()); }, .ask = ask_cudnn, .prepare = prepare_cudnn});

}  // namespace

}  // namespace convlens::gpu
