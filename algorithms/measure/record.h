// Result records: one JSON object a measurement, one a line, the same from every face of the program.
//
// The fields are those of record.schema.json in this folder. Strict JSON: '.' decimals in any locale, NaN and Inf as null.
#pragma once

#include <string>

#include "algorithms/interface/plan.h"
#include "algorithms/measure/ledger.h"
#include "algorithms/measure/ruler.h"

namespace convlens {

struct Measurement {
  const Plan& plan;
  std::string layer;  // its name, or ""
  Timing timing;
  bool cold_cache = false;
  std::string pattern = "uniform";
  std::uint64_t seed = 1;
  std::vector<Ledger::Line> bytes;  // as allocated
  double floor_fraction = 0;        // roofline time / median time
  double error_over_bound = 0;      // NaN when not checked
};

// One line of JSON, without the newline.
std::string to_json(const Measurement& measurement);

// The same as CSV; the header is for the columns of every row. Numbers use '.', texts are quoted where needed.
std::string csv_header();
std::string to_csv(const Measurement& measurement);

}  // namespace convlens
