#include "kernels/runtime/cudnn_search.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "algorithms/error.h"
#include "algorithms/problem/parse.h"
#include "algorithms/tensor/random.h"
#include "kernels/runtime/cudnn_bench.h"

namespace convlens::gpu {

namespace {

// Plans of engines that are compiled at run time take up to seconds each, so that several threads make them.
std::vector<TimedEngine> planned(std::vector<EngineConfig> configs) {
  std::vector<TimedEngine> engines;
  for (EngineConfig& config : configs) engines.push_back({std::move(config), nullptr, 0});
  int device = 0;
  cudaGetDevice(&device);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    cudaSetDevice(device);
    for (std::size_t k = next++; k < engines.size(); k = next++) try {
        engines[k].call = engine_call(engines[k].config);
      } catch (const Unsupported&) {
        // The heuristics propose engines that then refuse; they are counted below.
      }
  };
  std::vector<std::jthread> threads;
  for (unsigned k = 0; k < std::min(8u, std::max(1u, std::thread::hardware_concurrency())); ++k)
    threads.emplace_back(work);
  threads.clear();
  return engines;
}

EngineSearch searched(const Request& request) {
  std::vector<EngineConfig> configs = proposed_engines(convolution_graph(request));
  EngineSearch search;
  search.proposed = static_cast<int>(configs.size());
  search.short_precision = static_cast<int>(
      std::erase_if(configs, [&](const EngineConfig& config) { return config.short_precision(request.dtype); }));
  search.engines = planned(std::move(configs));
  std::erase_if(search.engines, [](const TimedEngine& engine) { return engine.call == nullptr; });

  CudnnBench bench(request);
  std::optional<double> best;
  for (TimedEngine& engine : search.engines) {
    const std::optional<double> ms = bench.time(*engine.call, best);
    if (!ms) engine.call = nullptr;
    engine.ms = ms.value_or(0);
    if (ms) best = std::min(best.value_or(*ms), *ms);
  }
  std::erase_if(search.engines, [](const TimedEngine& engine) { return engine.call == nullptr; });
  search.refused = search.proposed - search.short_precision - static_cast<int>(search.engines.size());
  std::ranges::stable_sort(search.engines, {}, &TimedEngine::ms);
  return search;
}

// What a search depends on.
std::string key(const Request& request) {
  int device = 0;
  cudaGetDevice(&device);
  return std::to_string(device) + " " + to_text(request.problem.spec()) + " " + std::string(name(request.dtype)) + " " +
         std::string(name(request.layouts.x));
}

}  // namespace

std::shared_ptr<const EngineSearch> search_engines(const Request& request) {
  // One search at a time: two would disturb each other's timings.
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const EngineSearch>> kept;
  constexpr std::size_t kMost = 256;  // layers; fuzzing asks for a new one each time

  const std::lock_guard lock(mutex);
  if (kept.size() >= kMost) kept.clear();
  std::shared_ptr<const EngineSearch>& search = kept[key(request)];
  if (search == nullptr) search = std::make_shared<EngineSearch>(searched(request));
  return search;
}

}  // namespace convlens::gpu
