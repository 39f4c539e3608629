#include "kernels/runtime/device.h"

#include "algorithms/error.h"
#include "kernels/runtime/ceilings.h"
#include "kernels/runtime/facts.h"
#include "kernels/runtime/fill.h"
#include "kernels/runtime/ruler.h"
#include "kernels/runtime/status.h"

namespace convlens::gpu {

namespace {
std::string bytes_text(std::int64_t bytes) { return std::to_string(bytes) + " bytes"; }
}  // namespace

CudaDevice::CudaDevice(int index) : index_(index), facts_(device_facts(index)), executor_(index) {}

void CudaDevice::make_current() const { check(cudaSetDevice(index_), "choosing the device"); }

std::int64_t CudaDevice::free_memory() const {
  make_current();
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  return static_cast<std::int64_t>(free);
}

DeviceCeilings CudaDevice::ceilings() {
  const std::lock_guard lock(mutex_);
  if (!ceilings_) ceilings_ = measure_ceilings(*this);
  return *ceilings_;
}

std::byte* CudaDevice::allocate(std::int64_t bytes) {
  make_current();
  void* memory = nullptr;
  check(cudaMalloc(&memory, static_cast<std::size_t>(bytes)), [&] { return "allocating " + bytes_text(bytes); });
  return static_cast<std::byte*>(memory);
}

void CudaDevice::release(std::byte* memory) noexcept {
  // Fails only on a GPU that is lost already, which the next call says.
  if (cudaSetDevice(index_) == cudaSuccess) cudaFree(memory);
}

void CudaDevice::upload(std::byte* to, std::span<const std::byte> from) {
  make_current();
  check(cudaMemcpy(to, from.data(), from.size(), cudaMemcpyHostToDevice),
        [&] { return "copying " + std::to_string(from.size()) + " bytes to the GPU"; });
}

void CudaDevice::download(std::span<std::byte> to, const std::byte* from) {
  make_current();
  check(cudaMemcpy(to.data(), from, to.size(), cudaMemcpyDeviceToHost),
        [&] { return "copying " + std::to_string(to.size()) + " bytes from the GPU"; });
}

void CudaDevice::set(std::byte* to, std::byte value, std::int64_t bytes) {
  make_current();
  check(cudaMemset(to, std::to_integer<int>(value), static_cast<std::size_t>(bytes)),
        [&] { return "setting " + bytes_text(bytes); });
}

void CudaDevice::fill_uniform(const TensorView& view, std::uint64_t key) {
  make_current();
  gpu::fill_uniform(view, key);
}

void CudaDevice::prepare(const Plan& plan) {
  make_current();
  if (plan.program() == nullptr)
    throw Unsupported(plan.run_name() + ": runs on the host, not on gpu" + std::to_string(index_));
  executor_.prepare(*plan.program());
}

void CudaDevice::synchronize() {
  make_current();
  check(cudaDeviceSynchronize(), "waiting for its work");
}

std::vector<Timing> CudaDevice::measure(const std::vector<std::function<void(Stream)>>& calls,
                                        const RulerOptions& options) {
  make_current();
  return gpu::measure(calls, options, facts_.l2);
}

}  // namespace convlens::gpu
