#include "kernels/runtime/cudnn_search.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "algorithms/error.h"
#include "algorithms/problem/parse.h"
#include "kernels/runtime/cudnn_bench.h"
#include "kernels/runtime/discovery.h"

namespace convlens::gpu {

namespace {

constexpr double kClearlySlower = 1.5;  // times the fastest: after one sample, not worth more
constexpr int kSamples = 9;

// Those of `configs` that cuDNN makes a plan of. Engines that are compiled at run time take up to seconds each, so
// that several threads make them.
std::vector<TimedEngine> planned(const std::vector<EngineConfig>& configs, const CudaDevice& device) {
  std::vector<TimedEngine> engines;
  for (const EngineConfig& config : configs) engines.push_back({config, nullptr, 0});
  std::atomic<std::size_t> next = 0;
  const auto make_plans = [&] {
    device.make_current();
    for (std::size_t k = next++; k < engines.size(); k = next++) {
      try {
        engines[k].call = engine_call(engines[k].config);
      } catch (const Unsupported&) {
        // Some know the graph and yet refuse the layer. They are counted: EngineSearch::refused.
      }
    }
  };
  std::vector<std::future<void>> threads(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
  for (std::future<void>& thread : threads) thread = std::async(std::launch::async, make_plans);
  for (std::future<void>& thread : threads) thread.get();
  std::erase_if(engines, [](const TimedEngine& engine) { return engine.call == nullptr; });
  return engines;
}

// One sample of each engine, then more of those that may be the fastest, interleaved.
void time_all(std::vector<TimedEngine>& engines, CudnnBench& bench) {
  std::erase_if(engines, [&](TimedEngine& engine) {
    try {
      if (!bench.fits(engine)) return true;
      bench.time({&engine, 1}, 1);
      return false;
    } catch (const Unsupported&) {
      return true;  // refused when called, or not to be recorded as a graph
    }
  });
  if (engines.empty()) return;
  std::ranges::stable_sort(engines, {}, &TimedEngine::ms);
  const auto fast = std::ranges::find_if(
      engines, [&](const TimedEngine& engine) { return engine.ms > kClearlySlower * engines.front().ms; });
  bench.time({engines.begin(), fast}, kSamples);
  // The fastest that doesn't transform is asked for as well.
  const auto plain = std::ranges::find_if_not(fast, engines.end(), &EngineConfig::transforms, &TimedEngine::config);
  if (std::ranges::all_of(engines.begin(), fast, &EngineConfig::transforms, &TimedEngine::config) &&
      plain != engines.end()) {
    const auto rivals = std::ranges::find_if(
        plain, engines.end(), [&](const TimedEngine& engine) { return engine.ms > kClearlySlower * plain->ms; });
    bench.time({plain, rivals}, kSamples);
  }
  std::ranges::stable_sort(engines, {}, &TimedEngine::ms);
}

EngineSearch searched(const Request& request) {
  CudaDevice& device = cuda_device(request.place.index);
  device.make_current();
  std::vector<EngineConfig> configs = engines_for(convolution_graph(request));
  EngineSearch search;
  search.known = static_cast<int>(configs.size());
  search.short_precision = static_cast<int>(
      std::erase_if(configs, [&](const EngineConfig& config) { return config.short_precision(request.dtype); }));
  search.engines = planned(configs, device);
  CudnnBench bench(request, search.engines, device);
  search.wrong = bench.take_out_wrong(search.engines);
  time_all(search.engines, bench);
  return search;
}

// What a search depends on.
std::string key(const Request& request) {
  return std::to_string(request.place.index) + " " + to_text(request.problem.spec()) + " " +
         std::string(name(request.dtype)) + " " + std::string(name(request.layouts.x));
}

}  // namespace

std::shared_ptr<const EngineSearch> search_engines(const Request& request) {
  // One search at a time: two would disturb each other's timings. Never destroyed: at the program's end the driver may
  // be gone before the plans are.
  static std::mutex mutex;
  static auto& kept = *new std::map<std::string, std::shared_ptr<const EngineSearch>>;
  constexpr std::size_t kMost = 256;  // layers; fuzzing asks for a new one each time

  const std::lock_guard lock(mutex);
  const auto found = kept.find(key(request));
  if (found != kept.end()) return found->second;
  if (kept.size() >= kMost) kept.clear();
  return kept.emplace(key(request), std::make_shared<EngineSearch>(searched(request))).first->second;
}

}  // namespace convlens::gpu
