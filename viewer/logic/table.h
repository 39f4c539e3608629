// Rows of flat objects, as panels hand them over, written as CSV or JSON. A number that is not finite is a value like
// any other: nan, inf and -inf in CSV, and in JSON, which has no such numbers, the texts "NaN", "Infinity" and
// "-Infinity". What nobody knows is null: an empty field in CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace convlens::viewer {

// RFC 4180: every key that some row has is a column, in the order in which keys first appear; what a row lacks is
// empty.
std::string to_csv(const nlohmann::ordered_json& rows);

std::string to_json_text(const nlohmann::ordered_json& rows);  // strict JSON, RFC 8259

// What files are called that a picture or a table is written into. Throw BadInput for another ending, naming
// `parameter`.
void require_picture_name(const std::string& parameter, const std::string& file);  // .png
void require_table_name(const std::string& parameter, const std::string& file);    // .csv or .json

// By the ending of `file`, .csv or .json. Throws BadInput for any other.
std::string to_text_for(const std::string& file, const nlohmann::ordered_json& rows);

}  // namespace convlens::viewer
