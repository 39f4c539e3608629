#include "viewer/logic/typed_option.h"

#include <utility>

namespace convlens::viewer {

void TypedOption::follow(const std::string& value) {
  if (value_ == value) return;
  value_ = before_ = value;
  text_ = value;
}

std::string TypedOption::type(std::string text, const Option& option) {
  text_ = std::move(text);
  value_ = option.accepts(text_).empty() ? text_ : before_.value_or(option.default_value);
  return *value_;
}

std::string TypedOption::wrong(const Option& option) const {
  if (!value_ || text_ == *value_) return "";
  return option.id + ": " + (text_.empty() ? "\"\"" : text_) + ", " + option.accepts(text_) + "; until then it is " +
         *value_;
}

}  // namespace convlens::viewer
