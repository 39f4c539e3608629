#include "tests/support/rows.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "algorithms/error.h"
#include "algorithms/measure/device.h"

namespace convlens::testing {

std::vector<const Algorithm*> rows_here() {
  std::vector<const Algorithm*> rows = algorithms();
  std::erase_if(rows, [](const Algorithm* row) { return !why_not_here(*row).empty(); });
  return rows;
}

std::vector<const Algorithm*> rows_that_compute(const ConvProblem& problem) {
  std::vector<const Algorithm*> rows = rows_here();
  std::erase_if(rows, [&](const Algorithm* row) { return !row->supports({problem}); });
  return rows;
}

std::vector<const Algorithm*> gpu_rows() {
  std::vector<const Algorithm*> rows = algorithms();
  std::erase_if(rows, [](const Algorithm* row) { return row->unit == Unit::cpu; });
  return rows;
}

bool narrowed() {
  static const bool some_are_named = [] {
    const char* const named = std::getenv("CONVLENS_TEST_ROWS");
    if (named == nullptr) return false;
    std::istringstream ids(named);
    for (std::string id; std::getline(ids, id, ',');)
      if (std::ranges::none_of(rows_here(), [&](const Algorithm* row) { return row->id == id; }))
        throw BadInput("CONVLENS_TEST_ROWS: " + id + ", must be a row that runs on this machine");
    return true;
  }();
  return some_are_named;
}

bool wanted_here(const Algorithm& row) {
  return !narrowed() ||
         ("," + std::string(std::getenv("CONVLENS_TEST_ROWS")) + ",").find("," + row.id + ",") != std::string::npos;
}

std::vector<std::string> values_of(const Option& option) {
  std::vector<std::string> values{option.default_value};
  std::vector<std::string> others = option.values;
  const bool number = std::ranges::all_of(option.default_value, [](char c) { return c >= '0' && c <= '9'; });
  if (option.values.empty() && number) others = {"1", "2", "3", "4"};
  for (const std::string& value : others)
    if (value != option.default_value && (!option.accepts || option.accepts(value).empty())) values.push_back(value);
  return values;
}

std::vector<Variant> variants(const Algorithm& row) {
  const OptionSet defaults = OptionSet::parse("", row.options);
  std::vector<Variant> all{{&row, defaults}};
  for (const Option& option : row.options)
    for (const std::string& value : values_of(option)) {
      if (value == option.default_value) continue;
      OptionSet changed = defaults;
      changed.set(option.id, value);
      all.push_back({&row, changed});
    }
  return all;
}

std::vector<Variant> variants_by_pairs(const Algorithm& row) {
  std::vector<Variant> all = variants(row);
  const std::vector<Option>& options = row.options;
  for (std::size_t i = 0; i < options.size(); ++i)
    for (std::size_t j = i + 1; j < options.size(); ++j)
      for (const std::string& a : values_of(options[i]))
        for (const std::string& b : values_of(options[j])) {
          if (a == options[i].default_value || b == options[j].default_value) continue;
          OptionSet changed = OptionSet::parse("", options);
          changed.set(options[i].id, a);
          changed.set(options[j].id, b);
          all.push_back({&row, changed});
        }
  return all;
}

bool vendor_on_cpu(const Algorithm& row) { return row.vendor && row.unit == Unit::cpu; }

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const Algorithm* row : rows_here())
    if (row->unit != Unit::tc && !row->vendor && wanted_here(*row))
      for (Variant& variant : variants(*row)) all.push_back(std::move(variant));
  return all;
}

bool transforms(const Algorithm& row) { return row.family == "winograd" || row.family == "fft"; }

}  // namespace convlens::testing
