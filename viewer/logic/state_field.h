// Reading the fields of a state: each with its rule, and one line for a value that breaks it.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "algorithms/error.h"
#include "algorithms/suggest.h"
#include "algorithms/tensor/dtype.h"

namespace convlens::viewer {

[[noreturn]] inline void refuse_field(const std::string& field, const nlohmann::ordered_json& value,
                                      const std::string& rule) {
  throw BadInput("state: " + field + ": " + value.dump() + ", must be " + rule);
}

// JSON has whole numbers beyond 64 bits with a sign.
inline bool is_whole(const nlohmann::ordered_json& json) {
  return json.is_number_integer() &&
         (!json.is_number_unsigned() ||
          json.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}

inline std::int64_t read_whole(const std::string& field, const nlohmann::ordered_json& json, std::int64_t least,
                               std::int64_t most) {
  if (!is_whole(json) || json.get<std::int64_t>() < least || json.get<std::int64_t>() > most)
    refuse_field(field, json, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return json.get<std::int64_t>();
}

inline std::string read_one_of(const std::string& field, const nlohmann::ordered_json& json,
                               const std::vector<std::string>& names) {
  const auto value = json.get<std::string>();
  for (const std::string& name : names)
    if (name == value) return value;
  throw BadInput("state: " + field + ": " + json.dump() + suggestion(value, names));
}

inline DType read_dtype(const std::string& field, const nlohmann::ordered_json& json) {
  for (const DType dtype : kDTypes)
    if (name(dtype) == json.get<std::string>()) return dtype;
  refuse_field(field, json, "f32, f16, bf16 or f64");
}

}  // namespace convlens::viewer
