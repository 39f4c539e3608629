#include "cli/paper/record.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "algorithms/embedded.h"
#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/measure/record.h"
#include "algorithms/worker/fields.h"
#include "algorithms/worker/recorded.h"
#include "cli/paper/schema.h"

namespace convlens {
const std::vector<EmbeddedFile>& record_schema_files();  // made by the build
}

namespace convlens::cli::paper {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& where, const std::string& key, const std::string& value,
                         const std::string& rule) {
  throw BadInput(where + ": " + key + ": " + value + ", must be " + rule);
}

// A key in messages: quoted where it is long or has letters that a terminal might misread.
std::string printable_key(const std::string& key) {
  const std::string in_quotes = quoted(Json(key));
  return in_quotes == "\"" + key + "\"" ? key : in_quotes;
}

// The letters of a text in UTF-8, which JSON has.
std::vector<char32_t> letters(std::string_view text) {
  std::vector<char32_t> all;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0u) == 0x80u && !all.empty())
      all.back() = (all.back() << 6) | (byte & 0x3fu);
    else
      all.push_back(byte < 0x80 ? byte : byte < 0xe0 ? byte & 0x1fu : byte < 0xf0 ? byte & 0x0fu : byte & 0x07u);
  }
  return all;
}

// What steers a terminal, breaks or turns a line, or may be in no XML.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || (c & 0xfffe) == 0xfffe;
}

bool has_control(std::string_view text) { return std::ranges::any_of(letters(text), is_control); }

void refuse_control_characters(const Json& value, const std::string& path, const std::string& where) {
  constexpr const char* kRule = "without control characters";
  if (value.is_string() && has_control(value.get_ref<const std::string&>())) refuse(where, path, quoted(value), kRule);
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items()) {
    if (value.is_object() && has_control(key))
      refuse(where, path.empty() ? "a key" : "a key of " + path, quoted(Json(key)), kRule);
    const std::string name = value.is_array() ? "[" + key + "]" : (path.empty() ? "" : ".") + printable_key(key);
    refuse_control_characters(inner, path + name, where);
  }
}

// The parser keeps one of two values of a key, and nobody knows which was meant.
void refuse_duplicate_keys(const std::string& line, const std::string& where) {
  struct Open {
    std::string path;
    std::set<std::string> keys;
  };
  std::vector<Open> objects;
  std::string last;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      objects.push_back({objects.empty() ? "" : objects.back().path + printable_key(last) + ".", {}});
    } else if (event == Json::parse_event_t::object_end) {
      objects.pop_back();
    } else if (event == Json::parse_event_t::key) {
      last = parsed.get<std::string>();
      if (!objects.back().keys.insert(last).second)
        throw BadInput(where + ": " + objects.back().path + printable_key(last) + ": given twice, must be given once");
    }
    return true;
  };
  [[maybe_unused]] const Json again = Json::parse(line, watch);
}

// Of buffers, without those that are named; nothing where they are no numbers of bytes, or too many of them.
std::optional<std::int64_t> sum(const Json& bytes, const std::set<std::string>& without = {}) {
  if (!bytes.is_object()) return std::nullopt;
  std::int64_t sum = 0;
  for (const auto& [name, value] : bytes.items()) {
    if (without.contains(name)) continue;
    if (!value.is_number_integer() || value < 0 || value > std::numeric_limits<std::int64_t>::max() - sum)
      return std::nullopt;
    sum += value.get<std::int64_t>();
  }
  return sum;
}

// Bytes are counted, and never rounded as times are. Before read_record, which would say it of a number with a point.
void check_peak(const Json& record, const std::string& where) {
  for (const char* key : {"schema", "peak_bytes", "bytes"})
    if (!record.contains(key)) return;
  const Json& peak = record.at("peak_bytes");
  if (record.at("schema") != kRecordSchema || !peak.is_number_integer() || peak < 1) return;
  if (const auto bytes = sum(record.at("bytes")); bytes && peak != *bytes)
    refuse(where, "peak_bytes", quoted(peak), std::to_string(*bytes) + ", the sum of bytes");
}

void check_workspace(const Json& record, const std::string& where) {
  if (record.at("peak_source") != "ledger") return;
  const auto bytes = sum(record.at("bytes"), {"x", "w", "bias", "y"});
  if (bytes && record.at("workspace_bytes") != *bytes)
    refuse(where, "workspace_bytes", quoted(record.at("workspace_bytes")),
           std::to_string(*bytes) + ", what bytes has besides x, w, bias and y");
}

// Whether `text` is "id=value,id=value" of `options`. A value may hold commas.
bool names_options(std::string_view text, const Json& options) {
  while (true) {
    const std::string id(text.substr(0, text.find('=')));
    if (id.size() == text.size() || !options.contains(id)) return false;
    text.remove_prefix(id.size() + 1);
    const auto& value = options.at(id).get_ref<const std::string&>();
    if (!text.starts_with(value)) return false;
    text.remove_prefix(value.size());
    if (text.empty()) return true;
    if (text.front() != ',') return false;
    text.remove_prefix(1);
  }
}

// Rows gain options, and their defaults change, after a run was recorded: the record's own options count.
void check_run(const Json& record, const std::string& where) {
  const auto run = record.at("run").get<std::string>(), algorithm = record.at("algorithm").get<std::string>();
  const std::size_t colon = run.find(':');
  if (run.substr(0, colon) != algorithm) refuse(where, "run", quoted(record.at("run")), "of algorithm, " + algorithm);
  if (colon != std::string::npos && !names_options(std::string_view(run).substr(colon + 1), record.at("options")))
    refuse(where, "run", quoted(record.at("run")), algorithm + ":id=value,… with the values of options");
}

void check_unit(const Json& record, const std::string& where) {
  const std::vector<const Algorithm*> rows = algorithms();
  const auto row = std::ranges::find(rows, record.at("algorithm").get<std::string>(), &Algorithm::id);
  if (row == rows.end()) return;
  const auto dtype = record.at("dtype").get<std::string>();
  const std::string unit(name((*row)->unit_for(*parse_dtype(dtype))));
  if (record.at("unit") != unit)
    refuse(where, "unit", quoted(record.at("unit")), unit + ", that of " + (*row)->id + " in " + dtype);
}

const Json& schema() {
  static const Json schema = Json::parse(record_schema_files().front().text);
  return schema;
}

}  // namespace

Json checked_record(const std::string& line, const std::string& where) {
  const Json record = worker::parse_line(line, where);
  refuse_control_characters(record, "", where);
  refuse_duplicate_keys(line, where);
  check_peak(record, where);
  static_cast<void>(read_record(line, where));
  if (const auto found = fault(record, schema())) throw BadInput(where + ": " + found->path + ": " + found->says);
  check_run(record, where);
  check_unit(record, where);
  check_workspace(record, where);
  return record;
}

}  // namespace convlens::cli::paper
