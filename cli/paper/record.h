// A record that somebody else has written: held against its schema, and against itself, before anything of it is drawn.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace convlens::cli::paper {

// One line of JSON as a record: what algorithms/worker/recorded.h takes, and record.schema.json allows, every key once.
// Its texts have no control characters, since they go to terminals and into pages. Its run is of its algorithm and has
// the options that it has, its unit is the row's, its bytes sum up. Throws BadInput that names `where`, the key, its
// value and the rule.
nlohmann::ordered_json checked_record(const std::string& line, const std::string& where);

}  // namespace convlens::cli::paper
