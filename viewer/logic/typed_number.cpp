#include "viewer/logic/typed_number.h"

#include <charconv>
#include <limits>
#include <utility>

namespace convlens::viewer {

std::optional<std::int64_t> typed_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void TypedNumber::follow(std::int64_t value) {
  if (value_ == value) return;
  value_ = before_ = value;
  text_ = std::to_string(value);
}

std::int64_t TypedNumber::type(std::string text) {
  text_ = std::move(text);
  value_ = typed_number(text_).value_or(before_.value_or(0));
  return *value_;
}

std::string TypedNumber::wrong(const std::string& parameter) const {
  if (!value_ || typed_number(text_)) return "";
  using Limits = std::numeric_limits<std::int64_t>;
  return parameter + ": " + (text_.empty() ? "\"\"" : text_) + ", must be a whole number from " +
         std::to_string(Limits::min()) + " to " + std::to_string(Limits::max()) + "; until then it is " +
         std::to_string(*value_);
}

}  // namespace convlens::viewer
