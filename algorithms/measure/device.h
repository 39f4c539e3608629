// Devices: what a machine must offer, beside the host, for plans to be run on it and measured.
//
// The library itself knows none. A module that drives devices (the GPU's) provides them; everything here that asks for
// a device says in one line why there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/interface/plan.h"
#include "algorithms/measure/machine.h"
#include "algorithms/measure/ruler.h"

namespace convlens {

struct DeviceFacts {
  std::string name;          // "NVIDIA H200"
  std::string architecture;  // "sm_90"
  int multiprocessors = 0;
  int clock_mhz = 0, memory_clock_mhz = 0;  // the highest
  std::int64_t memory = 0;                  // bytes
  std::int64_t l2 = 0;                      // bytes
  std::int64_t shared_per_block = 0;        // bytes, the most a block may ask for
  std::string driver, toolkit;              // "580.159", "13.0"
};

// What a device can do at most, measured there.
struct DeviceCeilings {
  double copy_tbytes = 0;  // read + write, 10¹² bytes a second
  double f32_tflops = 0;   // a large matrix product on CUDA cores, without TF32
  double f16_tflops = 0;   // on tensor cores, f32 accumulation
};

// The least time that the plan's layer can take there, in ms: max(FLOPs ÷ the peak of its unit, bytes of x, w and y ÷
// the copy rate); NaN for f64 and for no work.
double floor_ms(const Plan& plan, const DeviceCeilings& ceilings);

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceFacts& facts() const = 0;
  virtual std::int64_t free_memory() const = 0;  // bytes, now
  virtual DeviceCeilings ceilings() = 0;         // measured at the first call

  // Throws Unsupported with the bytes asked for and free; the next, smaller job works.
  virtual std::byte* allocate(std::int64_t bytes) = 0;
  virtual void release(std::byte* memory) noexcept = 0;
  virtual void upload(std::byte* to, std::span<const std::byte> from) = 0;
  virtual void download(std::span<std::byte> to, const std::byte* from) = 0;
  virtual void set(std::byte* to, std::byte value, std::int64_t bytes) = 0;

  // Fills a dense tensor with random_uniform(key, NCHW index), rounded once: the same values as on the host.
  virtual void fill_uniform(const TensorView& view, std::uint64_t key) = 0;

  // Compiles and loads what `plan` needs, so that its first run is no slower than the next.
  virtual void prepare(const Plan& plan) = 0;

  // Waits for all work; throws what went wrong in it.
  virtual void synchronize() = 0;

  // Samples of each call, interleaved: round by round one sample of every call, so that slow drifts of clock and
  // temperature meet all alike. Times are the device's own; short calls are replayed as graphs, so that the host's
  // time isn't measured.
  virtual std::vector<Timing> measure(const std::vector<std::function<void(Stream)>>& calls,
                                      const RulerOptions& options) = 0;
};

// Device memory with an owner.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(Device& device, std::int64_t bytes);

  std::byte* data() const { return data_.get(); }
  std::int64_t bytes() const { return bytes_; }
  std::span<std::byte> span() const { return {data_.get(), static_cast<std::size_t>(bytes_)}; }

 private:
  struct Release {
    Device* device;
    void operator()(std::byte* memory) const noexcept { device->release(memory); }
  };
  std::unique_ptr<std::byte, Release> data_;
  std::int64_t bytes_ = 0;
};

// The devices there are. `why_no_device` is "" when there is one.
std::vector<Device*> devices();
std::string why_no_device();

// Waits for all work in `place`, and throws what went wrong in it; on the host there is none.
void wait_for(Place place);

// Why this machine cannot run the row, whatever the layer: what the build lacks, or why there is no device for it; ""
// when it can. A row that only lacks its device is planned and explained all the same.
std::string why_not_here(const Algorithm& row);

// Throws NoDevice, with the reason or the numbers there are, when `place` is no device of this machine.
Device& device(Place place);

// How a module offers its devices; asked once, when a device is first wanted. Returns what was asked before.
struct FoundDevices {
  std::vector<Device*> devices;
  std::string why_none;
};
using FindDevices = std::function<FoundDevices()>;
FindDevices provide_devices(FindDevices find);

}  // namespace convlens
