// What `convlens check` found: as a table for people, and check by check as JSON Lines or CSV.
#pragma once

#include <string>
#include <vector>

#include "algorithms/check/check.h"
#include "algorithms/measure/refusals.h"
#include "cli/arguments.h"

namespace convlens::cli {

std::string check_json(const Layer& layer, const CheckResult& result);  // one line
std::string check_csv_header();
std::string check_csv(const Layer& layer, const CheckResult& result);

class CheckReport {
 public:
  // How checks are put together in one row of the table, which then shows the worst of them.
  enum class Rows { each, by_layouts, by_dtype };
  explicit CheckReport(Rows rows) : rows_(rows) {}

  void add(const Layer& layer, const Algorithm& algorithm, const CheckResult& result);

  // What a failure was shrunk to: the lines that go under the table.
  void add_failure(const CheckResult& failed, const CheckResult& shrunk);

  std::int64_t passed() const { return passed_; }
  std::int64_t failed() const { return failed_; }
  const Refusals& refusals() const { return refusals_; }

  std::string text(bool verbose) const;

 private:
  struct Row {
    std::string run, dtype, layouts, layer;
    std::int64_t checks = 0;
    std::vector<Verdict> worst;  // of each promise, in the order of the contract
    std::string worst_layer;     // where the `worst` promise came closest to its bound
  };
  Row& row_of(const Layer& layer, const CheckResult& result);

  Rows rows_;
  std::vector<Row> table_;
  Refusals refusals_;
  std::vector<std::string> failures_;
  std::int64_t passed_ = 0, failed_ = 0;
};

}  // namespace convlens::cli
