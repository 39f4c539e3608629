#include "viewer/logic/table.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "algorithms/error.h"

namespace convlens::viewer {

namespace {

// How the numbers that are not finite are called.
struct Names {
  const char *nan, *infinity, *minus_infinity;
};
constexpr Names kInCsv{"nan", "inf", "-inf"}, kInJson{"NaN", "Infinity", "-Infinity"};

// The name of such a number, or null for whatever else `value` is.
const char* name_in(const Names& names, const nlohmann::ordered_json& value) {
  if (!value.is_number_float()) return nullptr;
  const auto number = value.get<double>();
  if (std::isnan(number)) return names.nan;
  if (std::isinf(number)) return number > 0 ? names.infinity : names.minus_infinity;
  return nullptr;
}

std::string field(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  if (const char* name = name_in(kInCsv, value)) return name;
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

bool ends_with(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

}  // namespace

std::string to_csv(const nlohmann::ordered_json& rows) {
  std::vector<std::string> columns;
  std::set<std::string> known;
  for (const auto& row : rows)
    for (const auto& [key, value] : row.items())
      if (known.insert(key).second) columns.push_back(key);
  std::string text;
  for (const std::string& column : columns) text += (text.empty() ? "" : ",") + field(column);
  text += "\r\n";
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < columns.size(); ++k)
      text += (k > 0 ? "," : "") + (row.contains(columns[k]) ? field(row[columns[k]]) : std::string());
    text += "\r\n";
  }
  return text;
}

std::string to_json_text(const nlohmann::ordered_json& rows) {
  nlohmann::ordered_json named = rows;
  for (auto& row : named)
    for (auto& value : row)
      if (const char* name = name_in(kInJson, value)) value = name;
  return named.dump(1) + "\n";
}

void require_picture_name(const std::string& parameter, const std::string& file) {
  if (!ends_with(file, ".png")) throw BadInput(parameter + ": " + file + ", must end in .png");
}

void require_table_name(const std::string& parameter, const std::string& file) {
  if (!ends_with(file, ".csv") && !ends_with(file, ".json"))
    throw BadInput(parameter + ": " + file + ", must end in .csv or .json");
}

std::string to_text_for(const std::string& file, const nlohmann::ordered_json& rows) {
  require_table_name("--export", file);
  return ends_with(file, ".csv") ? to_csv(rows) : to_json_text(rows);
}

}  // namespace convlens::viewer
