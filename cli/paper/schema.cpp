#include "cli/paper/schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <vector>

#include "algorithms/shortened.h"
#include "algorithms/suggest.h"

namespace convlens::cli::paper {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestMatched = 200;  // bytes: std::regex takes a frame of the stack for each
constexpr std::size_t kLongestQuoted = 60;

struct Type {
  const char *id, *words;
  bool (*is)(const Json&);
};
constexpr Type kTypes[] = {
    {"string", "a text", [](const Json& v) { return v.is_string(); }},
    {"integer", "a whole number", [](const Json& v) { return v.is_number_integer(); }},
    {"number", "a number", [](const Json& v) { return v.is_number(); }},
    {"object", "an object", [](const Json& v) { return v.is_object(); }},
    {"array", "a list", [](const Json& v) { return v.is_array(); }},
    {"null", "null", [](const Json& v) { return v.is_null(); }},
};

const Type& type_of(const std::string& id) {
  const auto* const type = std::ranges::find_if(kTypes, [&](const Type& t) { return t.id == id; });
  if (type == std::end(kTypes)) throw std::logic_error("schema: type " + id + " is not known here");
  return *type;
}

// Equal, and both whole or both not.
bool same(const Json& a, const Json& b) { return a == b && a.is_number_integer() == b.is_number_integer(); }

std::string plain(const Json& v) { return v.is_string() ? v.get<std::string>() : v.dump(); }

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  std::optional<Fault> fault(const Json& value, const Json& schema, const std::string& path) const {
    if (schema.contains("$ref"))
      return fault(value, root_.at(Json::json_pointer(schema.at("$ref").get<std::string>().substr(1))), path);
    for (const auto& [keyword, of] : schema.items())
      if (auto found = by(keyword, of, value, schema, path)) return found;
    return std::nullopt;
  }

 private:
  static Fault refused(const Json& value, const std::string& path, const std::string& rule) {
    return {path, quoted(value) + ", must be " + rule};
  }

  std::optional<Fault> by(const std::string& keyword, const Json& of, const Json& value, const Json& schema,
                          const std::string& path) const {
    static const std::set<std::string> silent{"$schema", "title", "description", "definitions", "then", "else"};
    if (silent.contains(keyword)) return std::nullopt;
    if (keyword == "type" || keyword == "const" || keyword == "enum") return of_kind(keyword, of, value, path);
    if (keyword == "minimum" || keyword == "minLength" || keyword == "minItems" || keyword == "maxItems" ||
        keyword == "pattern")
      return of_size(keyword, of, value, path);
    if (keyword == "items") {
      for (std::size_t k = 0; value.is_array() && k < value.size(); ++k)
        if (auto found = fault(value[k], of, path + "[" + std::to_string(k) + "]")) return found;
      return std::nullopt;
    }
    if (keyword == "required" || keyword == "properties" || keyword == "additionalProperties")
      return value.is_object() ? of_fields(keyword, of, value, schema, path) : std::nullopt;
    if (keyword == "if") return of_condition(of, value, schema, path);
    throw std::logic_error("schema: " + keyword + " is not known here");
  }

  static std::optional<Fault> of_kind(const std::string& keyword, const Json& of, const Json& value,
                                      const std::string& path) {
    if (keyword == "const") return same(value, of) ? std::nullopt : std::optional(refused(value, path, quoted(of)));
    std::string rule;
    for (const Json& one : of.is_array() ? of : Json::array({of})) {
      if (keyword == "enum" ? same(value, one) : type_of(one.get<std::string>()).is(value)) return std::nullopt;
      const std::string words = keyword == "enum" ? plain(one) : type_of(one.get<std::string>()).words;
      rule += (rule.empty() ? "" : keyword == "enum" ? " | " : " or ") + words;
    }
    return refused(value, path, (keyword == "enum" ? "one of " : "") + rule);
  }

  static std::optional<Fault> of_size(const std::string& keyword, const Json& of, const Json& value,
                                      const std::string& path) {
    const auto unless = [&](bool fits, const std::string& rule) {
      return fits ? std::nullopt : std::optional(refused(value, path, rule));
    };
    if (keyword == "minimum") return unless(!value.is_number() || value >= of, "≥ " + of.dump());
    if (keyword == "minItems")
      return unless(!value.is_array() || value.size() >= of.get<std::size_t>(), "a list of at least " + of.dump());
    if (keyword == "maxItems")
      return unless(!value.is_array() || value.size() <= of.get<std::size_t>(), "a list of at most " + of.dump());
    if (!value.is_string()) return std::nullopt;
    const auto& text = value.get_ref<const std::string&>();
    // Letters are fewer than bytes, but where one is wanted, one byte is one.
    if (keyword == "minLength") return unless(text.size() >= of.get<std::size_t>(), "a text that is not empty");
    const auto pattern = of.get<std::string>();
    return unless(text.size() <= kLongestMatched && std::regex_search(text, std::regex(pattern)), "like " + pattern);
  }

  std::optional<Fault> of_fields(const std::string& keyword, const Json& of, const Json& value, const Json& schema,
                                 const std::string& path) const {
    const auto inside = [&](const std::string& name) { return (path.empty() ? "" : path + ".") + name; };
    if (keyword == "required") {
      for (const Json& name : of)
        if (!value.contains(name.get<std::string>())) return Fault{inside(plain(name)), "none given, must be there"};
      return std::nullopt;
    }
    if (keyword == "properties") {
      for (const auto& [name, rules] : of.items())
        if (value.contains(name))
          if (auto found = fault(value.at(name), rules, inside(name))) return found;
      return std::nullopt;
    }
    std::vector<std::string> known;
    if (schema.contains("properties"))
      for (const auto& [name, rules] : schema.at("properties").items()) known.push_back(name);
    for (const auto& [name, field] : value.items()) {
      if (std::ranges::find(known, name) != known.end()) continue;
      if (of == false)
        return Fault{
            inside(shortened(name, kLongestQuoted)),
            quoted(field) + suggestion(shortened(name, kLongestQuoted), known, "left out, the schema has no such key")};
      if (auto found = fault(field, of, inside(shortened(name, kLongestQuoted)))) return found;
    }
    return std::nullopt;
  }

  std::optional<Fault> of_condition(const Json& of, const Json& value, const Json& schema,
                                    const std::string& path) const {
    const bool holds = !fault(value, of, path);
    const char* branch = holds ? "then" : "else";
    if (!schema.contains(branch)) return std::nullopt;
    auto found = fault(value, schema.at(branch), path);
    if (!found) return std::nullopt;
    const Json& properties = of.at("properties");
    for (const auto& [name, rules] : properties.items())
      found->says += " where " + name + (holds ? " is " : " is not ") + plain(rules.at("const"));
    return found;
  }

  const Json& root_;
};

}  // namespace

std::optional<Fault> fault(const Json& value, const Json& schema) { return Validator(schema).fault(value, schema, ""); }

std::string quoted(const Json& value) {
  return shortened(value.dump(-1, ' ', true, Json::error_handler_t::replace), kLongestQuoted);
}

}  // namespace convlens::cli::paper
