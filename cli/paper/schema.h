// A JSON value held against a JSON Schema: the keywords of draft 7 that algorithms/measure/record.schema.json uses.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace convlens::cli::paper {

struct Fault {
  std::string path;  // "layout.x"
  std::string says;  // "\"NCWH\", must be one of NCHW | NHWC | CHWN"
};

// The first thing that the schema forbids. Stricter than draft 7 in one place: a whole number is written without a
// point, so 1.0 is none. Throws std::logic_error for a keyword that it does not know.
std::optional<Fault> fault(const nlohmann::ordered_json& value, const nlohmann::ordered_json& schema);

// A value, or the name of a field, as messages quote it: its beginning, in ASCII and on one line.
std::string quoted(const nlohmann::ordered_json& value);

}  // namespace convlens::cli::paper
