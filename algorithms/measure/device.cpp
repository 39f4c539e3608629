#include "algorithms/measure/device.h"

#include <mutex>
#include <optional>

#include "algorithms/error.h"

namespace convlens {

namespace {

std::mutex g_mutex;
std::function<FoundDevices()> g_find;
std::optional<FoundDevices> g_found;

const FoundDevices& found() {
  const std::scoped_lock lock(g_mutex);
  if (!g_found) g_found = g_find ? g_find() : FoundDevices{{}, "this program has no GPU rows"};
  return *g_found;
}

}  // namespace

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

void provide_devices(std::function<FoundDevices()> find) {
  const std::scoped_lock lock(g_mutex);
  g_find = std::move(find);
  g_found.reset();
}

}  // namespace convlens
