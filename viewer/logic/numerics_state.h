// What the Numerics panel shows, as a part of the state.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/tensor/dtype.h"

namespace convlens::viewer {

struct NumericsState {
  std::string run = {};                    // whose error map is in front; "" for the first that can run here
  std::optional<DType> dtype = {};         // nothing: that of the tensors
  std::int64_t channel = 0;                // of y, that the map shows
  std::int64_t exponent = 0;               // x is multiplied by 2 to this power
  std::string injection = "none";          // into one element of x: none | nan | inf | outlier
  std::int64_t down = 50, across = 50;     // where in the image, in per cent
  std::vector<std::int64_t> element = {};  // (n, o, p, q), whose terms are listed; empty for the worst

  bool operator==(const NumericsState&) const = default;
};

inline constexpr std::int64_t kLargestExponent = 40;
const std::vector<std::string>& injection_names();

nlohmann::ordered_json to_json(const NumericsState& state);

// Throws BadInput with one line that names the field, its value and the rule; fields left out keep their first value.
NumericsState numerics_from_json(const nlohmann::ordered_json& json);

}  // namespace convlens::viewer
