// What the Kernel panel shows, as a part of the state.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace convlens::viewer {

struct KernelState {
  std::string run;                           // a row on a GPU with its options; "" for the first that is chosen
  std::int64_t step = 0;                     // of the call, from 1; 0 for the row's main kernel
  std::string file;                          // "common/tile.cuh"; "" for the one with the kernel's entry
  std::string architecture;                  // "sm_90a"; "" for the GPU that is there
  std::map<std::string, std::string> texts;  // files that were edited, or brought along, in place of those of the name

  bool operator==(const KernelState&) const = default;
};

nlohmann::ordered_json to_json(const KernelState& state);

// Throws BadInput with one line that names the field, its value and the rule; fields left out keep their first value.
KernelState kernel_from_json(const nlohmann::ordered_json& json);

}  // namespace convlens::viewer
