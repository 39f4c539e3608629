// Reading the fields of a state: each with its rule, and one line for a value that breaks it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "algorithms/error.h"
#include "algorithms/suggest.h"
#include "algorithms/tensor/dtype.h"

namespace convlens::viewer {

// A state of a later version of the program: nothing is wrong with it.
struct NewerState : BadInput {
  using BadInput::BadInput;
};

[[noreturn]] inline void refuse_field(const std::string& field, const nlohmann::ordered_json& value,
                                      const std::string& rule) {
  constexpr std::size_t kMostBytes = 200;  // of the value: a line is read, and a kernel's text is no line
  std::string text = value.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  if (text.size() > kMostBytes) text.replace(kMostBytes, std::string::npos, "...");
  throw BadInput("state: " + field + ": " + text + ", must be " + rule);
}

// The fields of a part of the state stand in an object: an empty list or null has none, and is none.
inline void require_object(const std::string& field, const nlohmann::ordered_json& json) {
  if (!json.is_object()) refuse_field(field, json, "an object with this field's own fields");
}

// Such an object with all of these and no other.
inline void require_fields(const std::string& field, const nlohmann::ordered_json& json,
                           const std::vector<std::string>& names) {
  require_object(field, json);
  for (const std::string& name : names)
    if (!json.contains(name)) refuse_field(field, json, "an object with " + name);
  for (const auto& [key, value] : json.items())
    if (std::find(names.begin(), names.end(), key) == names.end())
      refuse_field(field + "." + key, value, "left out: it is no field of " + field);
}

inline std::string read_text(const std::string& field, const nlohmann::ordered_json& json) {
  if (!json.is_string()) refuse_field(field, json, "a text");
  return json.get<std::string>();
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
  const std::string value = read_text(field, json);
  for (const std::string& name : names)
    if (name == value) return value;
  throw BadInput("state: " + field + ": " + json.dump() + suggestion(value, names));
}

inline DType read_dtype(const std::string& field, const nlohmann::ordered_json& json) {
  const std::string value = read_text(field, json);
  for (const DType dtype : kDTypes)
    if (name(dtype) == value) return dtype;
  refuse_field(field, json, "f32, f16, bf16 or f64");
}

}  // namespace convlens::viewer
