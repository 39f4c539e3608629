#include "tests/support/fake_device.h"

#include <algorithm>

#include "algorithms/error.h"
#include "algorithms/tensor/random.h"
#include "algorithms/tensor/tensor.h"

namespace convlens::testing {

FakeDevice::FakeDevice(std::int64_t memory)
    : facts_{.name = "Pretended GPU",
             .architecture = "sm_90",
             .multiprocessors = 4,
             .clock_mhz = 1980,
             .memory_clock_mhz = 3201,
             .memory = memory,
             .l2 = std::int64_t{1} << 20,
             .shared_per_block = 227 << 10,
             .driver = "580.1",
             .toolkit = "13.0"} {}

std::int64_t FakeDevice::free_memory() const { return facts_.memory - used_; }

std::byte* FakeDevice::allocate(std::int64_t bytes) {
  if (bytes > free_memory())
    throw Unsupported("memory: " + std::to_string(bytes) + " bytes asked for, " + std::to_string(free_memory()) +
                      " free");
  HostBuffer buffer(bytes);
  std::fill_n(buffer.data(), bytes, std::byte{0xa5});  // garbage, and no NaN
  std::byte* const data = buffer.data();
  allocated_.emplace(data, std::move(buffer));
  used_ += bytes;
  most_used = std::max(most_used, used_);
  return data;
}

void FakeDevice::release(std::byte* memory) noexcept {
  used_ -= allocated_.at(memory).bytes();
  allocated_.erase(memory);
}

bool FakeDevice::owns(const void* memory, std::int64_t bytes) const {
  const auto* const first = static_cast<const std::byte*>(memory);
  return std::ranges::any_of(allocated_, [&](const auto& entry) {
    return first >= entry.first && first + bytes <= entry.first + entry.second.bytes();
  });
}

void FakeDevice::require(const void* memory, std::int64_t bytes) const {
  if (!owns(memory, bytes)) throw BadInput("memory: no part of an allocation of the device");
}

void FakeDevice::upload(std::byte* to, std::span<const std::byte> from) {
  require(to, static_cast<std::int64_t>(from.size()));
  std::ranges::copy(from, to);
  ++uploads;
}

void FakeDevice::download(std::span<std::byte> to, const std::byte* from) {
  require(from, static_cast<std::int64_t>(to.size()));
  std::copy_n(from, to.size(), to.data());
  ++downloads;
}

void FakeDevice::set(std::byte* to, std::byte value, std::int64_t bytes) {
  require(to, bytes);
  std::fill_n(to, bytes, value);
}

void FakeDevice::fill_uniform(const TensorView& view, std::uint64_t key) {
  require(view.data, elements(view.shape) * size_of(view.dtype));
  const Shape& s = view.shape;
  TensorView host = view;
  host.place = {};
  fill(host, [&](auto n, auto c, auto h, auto w) {
    return random_uniform(key, static_cast<std::uint64_t>(((n * s[1] + c) * s[2] + h) * s[3] + w));
  });
}

void FakeDevice::prepare(const Plan& plan) {
  if (!lacks.empty()) throw Unsupported(lacks);
  prepared.push_back(plan.run_name());
}

std::vector<Timing> FakeDevice::measure(const std::vector<std::function<void(Stream)>>& calls,
                                        const RulerOptions& options) {
  std::vector<Timing> timings(calls.size());
  for (int round = 0; round < options.warmup + options.repeats; ++round)
    for (std::size_t k = 0; k < calls.size(); ++k) {
      calls[k](Stream{this});
      if (round < options.warmup)
        ++timings[k].warmup;
      else
        timings[k].samples_ms.push_back(1.0 + static_cast<double>(k));
    }
  return timings;
}

FakeMachine::FakeMachine(std::int64_t memory)
    : device(memory), before_(provide_devices([this] {
        return FoundDevices{{&device}, ""};
      })) {}

Algorithm FakeMachine::on_device(const Algorithm& row, Unit unit, Spoil spoil) {
  Algorithm result = row;
  result.id = row.family + (unit == Unit::tc ? ".faketc" : ".fakecc");
  result.unit = unit;
  result.decide = [this, &row, id = result.id, spoil](const Request& request) {
    Request on_host = request;
    on_host.place = {};
    on_host.threads = 1;
    const std::shared_ptr<const Plan> plan = row.plan(on_host);
    Decisions d;
    if (plan->workspace_bytes() > 0) d.scratch = {{"everything", plan->workspace_bytes()}};
    d.executed_flops = plan->executed_flops();
    d.error_model = plan->error_model();
    d.dense_views = true;
    d.execute = [this, plan, id, spoil](const Arguments& there, const Workspace& workspace, int, Stream) {
      Arguments here = there;
      for (Place* place : {&here.x.place, &here.w.place, &here.bias.place, &here.y.place}) *place = {};
      std::byte* const memory = plan->workspace_bytes() > 0 ? workspace.get<std::byte>("everything") : nullptr;
      const Request& r = plan->request();
      const bool owned = device.owns(here.x.data, r.x_bytes()) && device.owns(here.w.data, r.w_bytes()) &&
                         device.owns(here.y.data, r.y_bytes()) &&
                         (here.bias.data == nullptr || device.owns(here.bias.data, r.bias_bytes())) &&
                         (memory == nullptr || device.owns(memory, plan->workspace_bytes()));
      if (!owned) throw BadInput("arguments: not in the device's memory");
      plan->run(here, {memory, static_cast<std::size_t>(plan->workspace_bytes())});
      if (spoil) spoil(here);
      device.run.push_back(id);
      ++device.queued;
    };
    return d;
  };
  return result;
}

}  // namespace convlens::testing
