// A device that is none: its memory is a part of the host's, and its rows compute on the host. So all that carries data
// to a device and back, runs plans there and measures them is tested on machines that have none.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "algorithms/interface/algorithm.h"
#include "algorithms/measure/device.h"
#include "algorithms/tensor/tensor.h"

namespace convlens::testing {

class FakeDevice : public Device {
 public:
  explicit FakeDevice(std::int64_t memory);

  const DeviceFacts& facts() const override { return facts_; }
  std::int64_t free_memory() const override;
  DeviceCeilings ceilings() override { return {4, 50, 700}; }

  std::byte* allocate(std::int64_t bytes) override;
  void release(std::byte* memory) noexcept override;
  void upload(std::byte* to, std::span<const std::byte> from) override;
  void download(std::span<std::byte> to, const std::byte* from) override;
  void set(std::byte* to, std::byte value, std::int64_t bytes) override;
  void fill_uniform(const TensorView& view, std::uint64_t key) override;
  void prepare(const Plan& plan) override;
  void synchronize() override { queued = 0; }
  std::vector<Timing> measure(const std::vector<std::function<void(Stream)>>& calls,
                              const RulerOptions& options) override;

  // Whether all these bytes lie in one allocation.
  bool owns(const void* memory, std::int64_t bytes) const;
  std::size_t allocations() const { return allocated_.size(); }

  std::string lacks;                  // what its rows need: `prepare` throws it as Unsupported, unless it is ""
  std::vector<std::string> prepared;  // runs, in the order of `prepare`
  std::vector<std::string> run;       // the same of all calls of its rows
  std::int64_t most_used = 0;         // bytes
  int queued = 0;                     // calls since the last `synchronize`
  int uploads = 0, downloads = 0;

 private:
  void require(const void* memory, std::int64_t bytes) const;

  DeviceFacts facts_;
  std::map<std::byte*, HostBuffer> allocated_;
  std::int64_t used_ = 0;
};

// A machine whose one device is this, for as long as the object lives.
class FakeMachine {
 public:
  explicit FakeMachine(std::int64_t memory = std::int64_t{1} << 30);
  ~FakeMachine() { provide_devices(before_); }
  FakeMachine(const FakeMachine&) = delete;
  FakeMachine& operator=(const FakeMachine&) = delete;

  FakeDevice device;

  // `row`, as a row of this device: it wants dense views in the device's memory. `spoil` may change what a call has
  // computed.
  using Spoil = std::function<void(const Arguments&)>;
  Algorithm on_device(const Algorithm& row, Unit unit = Unit::cc, Spoil spoil = nullptr);

 private:
  FindDevices before_;
};

inline constexpr Place kFakePlace{Place::Kind::device, 0};

}  // namespace convlens::testing
