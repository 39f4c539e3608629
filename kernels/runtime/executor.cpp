#include "kernels/runtime/executor.h"

#include <algorithm>
#include <mutex>

#include "kernels/runtime/status.h"

namespace convlens::gpu {

namespace {
// Prepared programs hold memory on the GPU (code, plans). Beyond this many, the half used longest ago is forgotten.
constexpr std::size_t kMostPrograms = 512;
}  // namespace

void Executor::execute(const Program& program, const Call& call) {
  check(cudaSetDevice(device_), "choosing the device");
  for (const std::shared_ptr<Prepared> ready = prepared(program); const auto& step : ready->steps) step->run(call);
}

std::vector<BlockSpan> Executor::spans(const Program& program) {
  check(cudaSetDevice(device_), "choosing the device");
  check(cudaDeviceSynchronize(), "waiting for a traced kernel");
  std::vector<BlockSpan> all;
  for (const std::shared_ptr<Prepared> ready = prepared(program); const auto& step : ready->steps)
    if (all.empty()) all = step->spans();
  return all;
}

std::shared_ptr<Executor::Prepared> Executor::prepared(const Program& program) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = programs_.find(program.id); found != programs_.end()) {
      found->second->last_use = ++uses_;
      return found->second;
    }
  }
  // Prepared outside the lock, so that others run meanwhile; of two threads that prepare the same one, the first wins.
  std::shared_ptr<Prepared> made = prepare_anew(program);
  made->last_use = ++uses_;
  const std::unique_lock lock(mutex_);
  if (programs_.size() >= kMostPrograms) forget_old();
  return programs_.emplace(program.id, std::move(made)).first->second;
}

std::shared_ptr<Executor::Prepared> Executor::prepare_anew(const Program& program) const {
  check(cudaSetDevice(device_), "choosing the device");
  auto made = std::make_shared<Prepared>();
  for (const Step& step : program.steps)
    made->steps.push_back(std::visit(
        [&]<class S>(const S& s) {
          if constexpr (std::is_same_v<S, VendorCall>)
            return gpu::prepare(program, s);
          else
            return gpu::prepare(s);
        },
        step));
  return made;
}

void Executor::forget_old() {
  check(cudaDeviceSynchronize(), "waiting for the GPU");  // their work may be queued still
  std::vector<std::uint64_t> uses;
  for (const auto& [id, program] : programs_) uses.push_back(program->last_use);
  std::nth_element(uses.begin(), uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2), uses.end());
  const std::uint64_t oldest_kept = uses[uses.size() / 2];
  std::erase_if(programs_, [&](const auto& entry) { return entry.second->last_use < oldest_kept; });
}

}  // namespace convlens::gpu
