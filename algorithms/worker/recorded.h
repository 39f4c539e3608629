// Result records, read back: lines of JSON as algorithms/measure/record.h writes them, now or long ago.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "algorithms/interface/registry.h"

namespace convlens {

// One line as a record whose fields are there, of their kinds, and no nonsense: `schema` is known, `time` exists, times
// are above 0, bytes at least 0, names of types and layouts exist. What a record says twice agrees, within a
// thousandth: the median and the least with the samples, the TFLOPS with the problem and the median, the peak with the
// bytes. Amounts may be null, as the schema says. Throws BadInput that names `who` and the field, as in `records.jsonl,
// record 3: median_ms: -1, must be above 0`.
nlohmann::ordered_json read_record(const std::string& line, const std::string& who);

// An amount that a use of the record cannot do without. Throws BadInput, as read_record does, where it is null or 0.
double recorded_amount(const nlohmann::ordered_json& record, const char* name, const std::string& who);

// The problem that it is of.
ConvSpec recorded_spec(const nlohmann::ordered_json& record);

// Its row and options, an option that it lacks being at its default: rows gain options after they were recorded.
// Nothing where this program has no such row, option or value.
std::optional<Run> recorded_run(const nlohmann::ordered_json& record);

}  // namespace convlens
