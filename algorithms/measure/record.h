// Result records: one JSON object a measurement, one a line, the same from every face of the program.
//
// The fields are those of record.schema.json in this folder. Strict JSON: '.' decimals in any locale, NaN and Inf as
// null. CSV (RFC 4180) has the same fields, n/a for null, and lists and objects as "a;b" and "k=v;k=w".
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/interface/plan.h"
#include "algorithms/measure/device.h"
#include "algorithms/measure/ledger.h"
#include "algorithms/measure/ruler.h"

namespace convlens {

// What the compiler says of a row's main kernel on a device.
struct KernelFacts {
  int registers = 0;              // a thread
  std::int64_t shared_bytes = 0;  // a block, static and dynamic
  int spill_bytes = 0;            // a thread
};

struct Measurement {
  const Plan& plan;
  std::string layer;  // its name, or ""
  Timing timing;
  bool cold_cache = false;
  bool kernel_alone = false;  // timed: the main kernel (Plan::run_kernel), not the whole call
  std::string pattern = "uniform";
  std::uint64_t seed = 1;
  std::vector<Ledger::Line> bytes;                                     // as allocated
  double floor_fraction = std::numeric_limits<double>::quiet_NaN();    // floor_ms / median; NaN when not known
  double error_over_bound = std::numeric_limits<double>::quiet_NaN();  // NaN when not checked
  const DeviceFacts* device = nullptr;                                 // that it ran on; null on the host
  std::vector<Library> device_libraries = {};                          // that serve there, with their versions
  std::optional<KernelFacts> kernel = {};                              // where the row has one of its own
  std::int64_t library_bytes = 0;       // of the device's memory, taken by a library itself
  std::vector<std::string> notes = {};  // besides the plan's
};

inline constexpr int kRecordSchema = 1;  // the version that record.schema.json describes

// Now, in UTC, as records have it: "2026-03-01T12:00:00Z".
std::string utc_now();

// One line of JSON, without the newline.
std::string to_json(const Measurement& measurement);

// The same as CSV; the header is for the columns of every row. Numbers use '.', texts are quoted where needed.
std::string csv_header();
std::string to_csv(const Measurement& measurement);

}  // namespace convlens
