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

struct Device {
  std::string id;  // "cpu"
  std::vector<DeviceFact> facts;
};

// Why no GPU can be asked for, or "" when one can.
std::string why_no_gpu();

// With `measure`, the CPU's ceilings too, for `threads` threads (0: all): takes a second or so.
std::vector<Device> devices(bool measure, int threads);

}  // namespace convlens::cli
