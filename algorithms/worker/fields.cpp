#include "algorithms/worker/fields.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "algorithms/error.h"

namespace convlens::worker {

using Json = nlohmann::ordered_json;

namespace {

bool is_whole(const Json& json) {
  return json.is_number_integer() &&
         (!json.is_number_unsigned() || std::in_range<std::int64_t>(json.get<std::uint64_t>()));
}

// What is quoted of a value: its beginning.
std::string quoted(const Json& json) {
  constexpr std::size_t kMost = 60;
  const std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= kMost ? text : text.substr(0, kMost) + " …";
}

}  // namespace

void Fields::refuse(const char* name, const std::string& rule) const {
  const bool given = has(name);
  throw BadInput(who_ + ": " + inside_ + name + ": " + (given ? quoted(json_[name]) : "none given") + ", must be " +
                 rule);
}

const Json& Fields::any(const char* name) const {
  if (!has(name)) refuse(name, "there");
  return json_[name];
}

std::string Fields::text(const char* name) const {
  if (!has(name) || !json_[name].is_string()) refuse(name, "a text");
  return json_[name].get<std::string>();
}

bool Fields::flag(const char* name) const {
  if (!has(name) || !json_[name].is_boolean()) refuse(name, "true or false");
  return json_[name].get<bool>();
}

double Fields::number(const char* name) const {
  if (!has(name) || !json_[name].is_number()) refuse(name, "a number");
  return json_[name].get<double>();
}

std::int64_t Fields::whole(const char* name) const {
  if (!has(name) || !is_whole(json_[name])) refuse(name, "a whole number");
  return json_[name].get<std::int64_t>();
}

std::int64_t Fields::whole(const char* name, std::int64_t least, std::int64_t most) const {
  const std::int64_t value = whole(name);
  if (value < least || value > most)
    refuse(name, most == std::numeric_limits<std::int64_t>::max()
                     ? "≥ " + std::to_string(least)
                     : "between " + std::to_string(least) + " and " + std::to_string(most));
  return value;
}

std::uint64_t Fields::natural(const char* name) const {
  if (!has(name) || !json_[name].is_number_unsigned()) refuse(name, "a whole number ≥ 0");
  return json_[name].get<std::uint64_t>();
}

std::vector<double> Fields::numbers(const char* name) const {
  const auto is_number = [](const Json& json) { return json.is_number(); };
  if (!has(name) || !json_[name].is_array() || !std::ranges::all_of(json_[name], is_number))
    refuse(name, "a list of numbers");
  return json_[name].get<std::vector<double>>();
}

std::vector<std::int64_t> Fields::wholes(const char* name) const {
  if (!has(name) || !json_[name].is_array() || !std::ranges::all_of(json_[name], is_whole))
    refuse(name, "a list of whole numbers");
  return json_[name].get<std::vector<std::int64_t>>();
}

Fields Fields::object(const char* name) const {
  if (!has(name) || !json_[name].is_object()) refuse(name, "an object");
  Fields inner(json_[name], who_);
  inner.inside_ = inside_ + name + ".";
  return inner;
}

Json parse_line(const std::string& line, const std::string& who) {
  constexpr int kDeepest = 16;  // a record's options are at 2
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest) throw BadInput(who + ": a line nested deeper than " + std::to_string(kDeepest));
    return true;
  };
  try {
    Json json = Json::parse(line, watch);
    if (!json.is_object()) throw BadInput(who + ": " + quoted(json) + ", must be an object");
    return json;
  } catch (const Json::parse_error& wrong) {
    throw BadInput(who + ": a line that is no JSON, from its byte " + std::to_string(wrong.byte) + " on");
  } catch (const Json::exception&) {
    throw BadInput(who + ": a line with a number that is none");  // 1e999
  }
}

}  // namespace convlens::worker
