#include "kernels/runtime/ruler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "kernels/runtime/handles.h"

namespace convlens::gpu {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kSampleMs = 1;                // warm, a sample repeats a call until it takes about this long
constexpr int kMostRepeats = 200;              // but no more often
constexpr std::chrono::milliseconds kRest{1};  // before each sample

// Memory of two and a half times the L2 cache, overwritten before each cold sample.
class CacheFlush {
 public:
  explicit CacheFlush(std::int64_t l2) : bytes_(static_cast<std::size_t>(l2) * 5 / 2) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes_), [&] { return "allocating " + std::to_string(bytes_) + " bytes to flush L2"; });
    memory_.reset(memory);
  }
  void operator()(cudaStream_t stream) {
    check(cudaMemsetAsync(memory_.get(), ++value_ & 0xff, bytes_, stream), "overwriting the L2 cache");
  }

 private:
  struct Free {
    void operator()(void* memory) const { cudaFree(memory); }
  };
  std::size_t bytes_;
  std::unique_ptr<void, Free> memory_;
  int value_ = 0;
};

class Ruler {
 public:
  Ruler(const RulerOptions& options, std::int64_t l2) : options_(options) {
    if (options.cold_cache) flush_ = std::make_unique<CacheFlush>(l2);
  }

  // Runs it `options.warmup` times, and at least once, so that all is loaded; then records it.
  bool add(const std::function<void(Stream)>& call, Timing& timing) {
    const Stream stream{stream_.get()};
    double last_ms = 0;
    do {
      if (stopped()) return false;
      start_.record(stream_.get());
      call(stream);
      stop_.record(stream_.get());
      stream_.synchronize();
      last_ms = stop_.milliseconds_since(start_);
    } while (++timing.warmup < options_.warmup);
    const double fitting = options_.cold_cache ? 1 : std::ceil(kSampleMs / std::max(last_ms, 1e-3));
    const int repeats = static_cast<int>(std::clamp(fitting, 1.0, static_cast<double>(kMostRepeats)));
    samples_.push_back({Graph(stream_.get(),
                              [&] {
                                for (int k = 0; k < repeats; ++k) call(stream);
                              }),
                        repeats});
    return true;
  }

  // One sample of call number k.
  double sample_ms(std::size_t k) {
    const auto& [graph, repeats] = samples_[k];
    std::this_thread::sleep_for(kRest);
    if (flush_)
      (*flush_)(stream_.get());
    else
      graph.launch(stream_.get());
    start_.record(stream_.get());
    graph.launch(stream_.get());
    stop_.record(stream_.get());
    stream_.synchronize();
    return stop_.milliseconds_since(start_) / repeats;
  }

  bool stopped() const { return options_.stop && options_.stop(); }

 private:
  struct Sample {
    Graph graph;
    int repeats;
  };
  const RulerOptions& options_;
  OwnedStream stream_;
  Event start_, stop_;
  std::unique_ptr<CacheFlush> flush_;
  std::vector<Sample> samples_;
};

}  // namespace

std::vector<Timing> measure(const std::vector<std::function<void(Stream)>>& calls, const RulerOptions& options,
                            std::int64_t l2) {
  check(cudaDeviceSynchronize(), "waiting for earlier work");
  std::vector<Timing> timings(calls.size());
  const auto interrupted = [&] {
    for (Timing& timing : timings) timing.interrupted = true;
    return timings;
  };

  Ruler ruler(options, l2);
  for (std::size_t k = 0; k < calls.size(); ++k)
    if (!ruler.add(calls[k], timings[k])) return interrupted();

  const Clock::time_point begin = Clock::now();
  const double seconds = options.seconds * static_cast<double>(calls.size());
  for (int round = 0; round < options.repeats || std::chrono::duration<double>(Clock::now() - begin).count() < seconds;
       ++round)
    for (std::size_t k = 0; k < calls.size(); ++k) {
      if (ruler.stopped()) return interrupted();
      timings[k].samples_ms.push_back(ruler.sample_ms(k));
    }
  return timings;
}

}  // namespace convlens::gpu
