// One field of a state, set by its name in a state file.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "algorithms/suggest.h"
#include "viewer/logic/state.h"

namespace convlens::viewer {

namespace {

using Json = nlohmann::ordered_json;

// The names of what a value holds: of an object's fields, or the numbers of a list's elements.
std::vector<std::string> names_in(const Json& value) {
  std::vector<std::string> names;
  for (const auto& [key, inside] : value.items())
    if (value.is_structured()) names.push_back(key);
  return names;
}

// The field of this name, as in "numerics.injection". Throws BadInput with those that there are in its place.
Json& field_of(Json& json, const std::string& name) {
  Json* field = &json;
  for (std::size_t from = 0, dot = 0; from <= name.size(); from = dot + 1) {
    dot = std::min(name.find('.', from), name.size());
    const std::string part = name.substr(from, dot - from), before = name.substr(0, from);
    std::vector<std::string> names = names_in(*field);
    if (names.empty()) throw BadInput("state: " + name + ", must end before " + part + ": it has no fields there");
    if (std::ranges::find(names, part) == names.end()) {
      for (std::string& known : names) known = before + known;
      throw BadInput("state: " + name + ", is no field of a state" + suggestion(before + part, names));
    }
    field = field->is_array() ? &(*field)[std::stoul(part)] : &(*field)[part];
  }
  return *field;
}

}  // namespace

State with_field(const State& state, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) throw BadInput("state: " + assignment + ", must be FIELD=VALUE");
  const std::string value = assignment.substr(equals + 1);
  Json json = to_json(state);
  Json& field = field_of(json, assignment.substr(0, equals));
  const Json parsed = Json::parse(value, nullptr, false);
  field = parsed.is_discarded() || field.is_string() ? Json(value) : parsed;
  return state_from_json(json);
}

}  // namespace convlens::viewer
