// Fourier transforms by cuFFT: two-dimensional, real ↔ half-spectra, dense and out of place, without scaling.
//
// A plan never allocates: its work area is the program's buffer, handed over anew for each call.
#include <cufftXt.h>

#include <map>
#include <mutex>
#include <tuple>

#include "algorithms/error.h"
#include "kernels/runtime/status.h"
#include "kernels/runtime/step.h"

namespace convlens::gpu {

namespace {

class FftPlan {
 public:
  explicit FftPlan(const Fft& fft) {
    const auto what = [&] {
      return "planning " + std::to_string(fft.batch) + " transforms of " + std::to_string(fft.rows) + "x" +
             std::to_string(fft.columns);
    };
    check(cufftCreate(&handle_), what);
    try {
      check(cufftSetAutoAllocation(handle_, 0), what);
      const bool forward = fft.direction == Fft::Direction::real_to_complex;
      const cudaDataType real = CUDA_R_32F, complex = CUDA_C_32F;
      const long long rows = fft.rows, points = rows * fft.columns, bins = rows * (fft.columns / 2 + 1);
      long long extents[]{rows, fft.columns};
      std::size_t bytes = 0;
      check(cufftXtMakePlanMany(handle_, 2, extents, nullptr, 1, forward ? points : bins, forward ? real : complex,
                                nullptr, 1, forward ? bins : points, forward ? complex : real, fft.batch, &bytes,
                                CUDA_C_32F),
            what);
      work_bytes_ = static_cast<std::int64_t>(bytes);
    } catch (...) {
      cufftDestroy(handle_);
      throw;
    }
  }
  ~FftPlan() { cufftDestroy(handle_); }
  FftPlan(const FftPlan&) = delete;
  FftPlan& operator=(const FftPlan&) = delete;

  cufftHandle get() const { return handle_; }
  std::int64_t work_bytes() const { return work_bytes_; }

 private:
  cufftHandle handle_ = 0;
  std::int64_t work_bytes_ = 0;
};

class FftStep final : public PreparedStep {
 public:
  explicit FftStep(const Fft& fft) : fft_(fft), plan_(fft) {
    if (const std::int64_t least = plan_.work_bytes(); least > 0 && fft.workspace_bytes < least + kWorkAreaAlignment)
      throw Unsupported("workspace of a transform: " + std::to_string(fft.workspace_bytes) + " bytes, must be ≥ " +
                        std::to_string(least + kWorkAreaAlignment) + " for cuFFT");
  }

  void run(const Call& call) override {
    const auto what = [&] { return fft_.sentence; };
    const bool forward = fft_.direction == Fft::Direction::real_to_complex;
    const std::lock_guard lock(mutex_);
    check(cufftSetStream(plan_.get(), call.stream), what);
    if (plan_.work_bytes() > 0)
      check(cufftSetWorkArea(plan_.get(), work_area(fft_.workspace, fft_.workspace_bytes, call).data), what);
    check(cufftXtExec(plan_.get(), address(fft_.in, call), address(fft_.out, call),
                      forward ? CUFFT_FORWARD : CUFFT_INVERSE),
          what);
  }

 private:
  Fft fft_;
  FftPlan plan_;
  std::mutex mutex_;  // a plan has one stream and one work area at a time
};

}  // namespace

std::unique_ptr<PreparedStep> prepare(const Fft& fft) { return std::make_unique<FftStep>(fft); }

std::int64_t fft_work_bytes(const Fft& fft) {
  static std::mutex mutex;
  static std::map<std::tuple<Fft::Direction, std::int64_t, std::int64_t, std::int64_t>, std::int64_t> known;
  const std::lock_guard lock(mutex);
  const auto [entry, added] = known.try_emplace({fft.direction, fft.rows, fft.columns, fft.batch});
  if (added) {
    try {
      const std::int64_t bytes = FftPlan(fft).work_bytes();
      entry->second = bytes > 0 ? bytes + kWorkAreaAlignment : 0;
    } catch (...) {
      known.erase(entry);
      throw;
    }
  }
  return entry->second;
}

}  // namespace convlens::gpu
