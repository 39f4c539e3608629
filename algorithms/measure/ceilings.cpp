// What the CPU can do at most, measured: multiply-adds in registers, and a copy through memory.
//
// The loop runs twelve independent chains s ← s·a + b, enough to hide the latency of two multiply-add units. It is
// compiled three times, for vectors of 16, 32 and 64 bytes, and the widest that the CPU has is taken.
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>

#include "algorithms/measure/machine.h"
#include "algorithms/tensor/tensor.h"

// ISO C++ forbids the compiler to fuse s·a + b on its own; here the fused instruction is what is to be measured.
#pragma GCC optimize("fp-contract=fast")

namespace convlens {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kChains = 12;

using Vector4 [[gnu::vector_size(16)]] = float;
using Vector8 [[gnu::vector_size(32)]] = float;
using Vector16 [[gnu::vector_size(64)]] = float;

template <class Vector>
[[gnu::always_inline]] inline float multiply_adds(std::int64_t steps, float a, float b) {
  Vector sums[kChains];
  float first = 0;
  for (Vector& sum : sums) sum = Vector{} + (first += b);  // each another value, so that none can stand for another
  for (std::int64_t step = 0; step < steps; ++step)
    for (Vector& sum : sums) sum = sum * a + b;
  Vector total = {};
  for (const Vector& sum : sums) total += sum;
  return total[0];
}

struct Loop {
  const char* vectors;
  int lanes;
  float (*run)(std::int64_t steps, float a, float b);
};

float with_16_bytes(std::int64_t steps, float a, float b) { return multiply_adds<Vector4>(steps, a, b); }

#ifdef __x86_64__
[[gnu::target("avx2,fma")]] float with_32_bytes(std::int64_t steps, float a, float b) {
  return multiply_adds<Vector8>(steps, a, b);
}
[[gnu::target("avx512f")]] float with_64_bytes(std::int64_t steps, float a, float b) {
  return multiply_adds<Vector16>(steps, a, b);
}

Loop widest_loop() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return {"AVX-512", 16, with_64_bytes};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {"AVX2", 8, with_32_bytes};
  return {"SSE2", 4, with_16_bytes};
}
#else
Loop widest_loop() { return {"128-bit vectors", 4, with_16_bytes}; }
#endif

// The shortest of `tries` times that work(attempt, thread) takes on all threads at once, in seconds.
template <class Work>
double best_seconds(int threads, int tries, const Work& work) {
  double best = 0;
  for (int attempt = 0; attempt < tries; ++attempt) {
    Clock::time_point start;
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
#pragma omp master
      start = Clock::now();
      work(attempt, omp_get_thread_num());
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (attempt == 0 || seconds < best) best = seconds;
  }
  return best;
}

double measured_gflops(const Loop& loop, int threads) {
  // A try takes less than a millisecond, so that on a busy machine some are not interrupted.
  constexpr std::int64_t kSteps = 200'000;
  std::atomic<float> kept = 0;  // so that the work has a result that someone may want
  const double seconds = best_seconds(threads, 100, [&](int, int) { kept = loop.run(kSteps, 0.999f, 0.001f); });
  return 2.0 * kChains * loop.lanes * kSteps * threads / seconds * 1e-9;
}

double measured_gbytes(int threads) {
  // Arrays far larger than the cache, copied piece after piece, so that each piece has left the cache when it comes
  // again; a piece takes about a millisecond.
  constexpr std::int64_t kPiece = std::int64_t{16} << 20;
  const std::int64_t far_more = std::max<std::int64_t>(4, 4 * machine().last_level_cache / kPiece);
  const std::int64_t affordable = machine().memory > 0 ? machine().memory / 8 / kPiece : far_more;
  const std::int64_t pieces = std::clamp<std::int64_t>(affordable, 1, far_more);
  const HostBuffer from(pieces * kPiece), to(pieces * kPiece);
  std::memset(from.data(), 1, static_cast<std::size_t>(from.bytes()));
  std::memset(to.data(), 1, static_cast<std::size_t>(to.bytes()));
  const double seconds = best_seconds(threads, static_cast<int>(4 * pieces), [&](int attempt, int thread) {
    const std::int64_t piece = attempt % pieces * kPiece;
    const std::int64_t first = piece + kPiece * thread / threads, end = piece + kPiece * (thread + 1) / threads;
    std::memcpy(to.data() + first, from.data() + first, static_cast<std::size_t>(end - first));
  });
  return 2.0 * kPiece / seconds * 1e-9;
}

}  // namespace

const Ceilings& cpu_ceilings(int threads) {
  static std::mutex mutex;
  static std::map<int, Ceilings> measured;
  // More threads than cores take turns, and reach no more than as many as there are.
  const int running = std::min(machine().cores, omp_get_thread_limit());
  const int count = threads > 0 ? std::min(threads, running) : running;
  const std::lock_guard lock(mutex);
  const auto found = measured.find(count);
  if (found != measured.end()) return found->second;
  const Loop loop = widest_loop();
  return measured[count] = {measured_gflops(loop, count), measured_gbytes(count), loop.vectors};
}

double floor_ms(std::int64_t flops, std::int64_t bytes, const Ceilings& ceilings) {
  const double computing = static_cast<double>(flops) / (ceilings.gflops * 1e6);
  const double moving = static_cast<double>(bytes) / (ceilings.gbytes * 1e6);
  return std::max(computing, moving);
}

}  // namespace convlens
