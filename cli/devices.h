// The devices of this machine, as facts to list.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace convlens::cli {

struct DeviceFact {
  std::string key;                      // "memory_bytes"
  std::string title;                    // "memory"
  std::string value;                    // for people
  nlohmann::ordered_json json = value;  // for programs: a number without its unit
};

struct DeviceListing {
  std::string id;  // "cpu", "gpu0"
  std::vector<DeviceFact> facts;
};

// With `measure`, the ceilings too, the CPU's for `threads` threads (0: all): takes a second or so a device.
std::vector<DeviceListing> device_listings(bool measure, int threads);

}  // namespace convlens::cli
