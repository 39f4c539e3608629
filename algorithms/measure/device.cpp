#include "algorithms/measure/device.h"

#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "algorithms/error.h"
#include "algorithms/interface/algorithm.h"

namespace convlens {

namespace {

std::mutex g_mutex;
FindDevices g_find;
std::optional<FoundDevices> g_found;

const FoundDevices& found() {
  const std::scoped_lock lock(g_mutex);
  if (!g_found) g_found = g_find ? g_find() : FoundDevices{{}, "this program has no GPU rows"};
  return *g_found;
}

}  // namespace

double floor_ms(const Plan& plan, const DeviceCeilings& ceilings) {
  if (plan.flops() == 0 || plan.request().dtype == DType::f64) return std::numeric_limits<double>::quiet_NaN();
  const Unit unit = plan.algorithm().unit_for(plan.request().dtype);
  const double peak = unit == Unit::tc ? ceilings.f16_tflops : ceilings.f32_tflops;
  return floor_ms(plan.flops(), plan.request().tensor_bytes(), Ceilings{1e3 * peak, 1e3 * ceilings.copy_tbytes, ""});
}

DeviceBuffer::DeviceBuffer(Device& device, std::int64_t bytes)
    : data_(bytes > 0 ? device.allocate(bytes) : nullptr, Release{&device}), bytes_(bytes) {}

std::vector<Device*> devices() { return found().devices; }
std::string why_no_device() { return found().devices.empty() ? found().why_none : ""; }

Device& device(Place place) {
  const FoundDevices& there = found();
  if (there.devices.empty()) throw NoDevice("device: gpu" + std::to_string(place.index) + ", " + there.why_none);
  if (place.index < 0 || place.index >= static_cast<int>(there.devices.size()))
    throw NoDevice("device: gpu" + std::to_string(place.index) + ", must be from gpu0 to gpu" +
                   std::to_string(there.devices.size() - 1));
  return *there.devices[static_cast<std::size_t>(place.index)];
}

void wait_for(Place place) {
  if (place.kind == Place::Kind::device) device(place).synchronize();
}

std::string why_not_here(const Algorithm& row) {
  if (row.missing)
    if (std::string why = row.missing(); !why.empty()) return why;
  return row.unit == Unit::cpu ? "" : why_no_device();
}

FindDevices provide_devices(FindDevices find) {
  const std::scoped_lock lock(g_mutex);
  g_found.reset();
  return std::exchange(g_find, std::move(find));
}

}  // namespace convlens
