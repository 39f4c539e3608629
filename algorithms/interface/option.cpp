#include "algorithms/interface/option.h"

#include <charconv>
#include <cstdlib>
#include <set>

#include "algorithms/error.h"
#include "algorithms/shortened.h"
#include "algorithms/suggest.h"

namespace convlens {

namespace {

// What is empty can be seen in a message, and what is long is not read to its end.
std::string in_short(const std::string& text) { return text.empty() ? "\"\"" : shortened(text); }

void check_value(const Option& option, const std::string& value) {
  if (option.accepts) {
    if (const std::string rule = option.accepts(value); !rule.empty())
      throw BadInput("option " + option.id + ": " + in_short(value) + ", " + rule);
    return;
  }
  for (const std::string& legal : option.values)
    if (legal == value) return;
  throw BadInput("option " + option.id + ": " + in_short(value) + suggestion(value, option.values));
}

const Option& find(std::string_view id, std::span<const Option> options) {
  std::vector<std::string> ids;
  for (const Option& option : options) {
    if (option.id == id) return option;
    ids.push_back(option.id);
  }
  if (ids.empty()) throw BadInput("option: " + std::string(id) + ", this algorithm has no options");
  throw BadInput("option: " + in_short(std::string(id)) + suggestion(id, ids));
}

// What stands between the commas of `text`; nothing in an empty one, but something, if "", before and behind each
// comma.
std::vector<std::string_view> items_of(std::string_view text) {
  std::vector<std::string_view> items;
  if (text.empty()) return items;
  for (std::size_t comma = text.find(','); comma != std::string_view::npos; comma = text.find(',')) {
    items.push_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  items.push_back(text);
  return items;
}

bool holds_value(std::string_view item) { return item.find('=') != std::string_view::npos; }

}  // namespace

OptionSet OptionSet::parse(std::string_view text, std::span<const Option> options) {
  OptionSet set;
  for (const Option& option : options) set.values_[option.id] = option.default_value;
  set.change(text, options);
  return set;
}

void OptionSet::change(std::string_view text, std::span<const Option> options) {
  std::set<std::string, std::less<>> named;
  const std::vector<std::string_view> items = items_of(text);
  for (auto item = items.begin(); item != items.end();) {
    const std::size_t equals = item->find('=');
    if (equals == std::string_view::npos && !options.empty())
      throw BadInput("option: " + in_short(std::string(*item)) + ", must be written id=value");
    const Option& option = find(item->substr(0, equals), options);
    std::string value(item->substr(equals + 1));
    // Free text may hold commas, as in points=0,1,-1: what has no "=" goes on with the value before it.
    for (++item; option.accepts && item != items.end() && !holds_value(*item); ++item)
      value += "," + std::string(*item);
    check_value(option, value);
    if (!named.insert(option.id).second)
      throw BadInput("option " + option.id + ": " + in_short(value) + ", must be given once");
    values_[option.id] = value;
  }
}

const std::string& OptionSet::operator[](std::string_view id) const {
  const auto found = values_.find(id);
  if (found == values_.end()) throw BadInput("option: " + std::string(id) + ", not an option of this algorithm");
  return found->second;
}

long OptionSet::integer(std::string_view id) const { return std::strtol((*this)[id].c_str(), nullptr, 10); }

std::string OptionSet::text(std::span<const Option> options) const {
  std::string text;
  for (const Option& option : options)
    if (const std::string& value = (*this)[option.id]; value != option.default_value)
      text += (text.empty() ? "" : ",") + option.id + "=" + value;
  return text;
}

std::function<std::string(std::string_view)> integer_between(long least, long most) {
  return [=](std::string_view value) -> std::string {
    long number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool whole = error == std::errc{} && end == value.data() + value.size();
    if (whole && number >= least && number <= most) return "";
    return "must be an integer from " + std::to_string(least) + " to " + std::to_string(most);
  };
}

}  // namespace convlens
