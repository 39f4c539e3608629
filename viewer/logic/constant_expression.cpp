#include "viewer/logic/constant_expression.h"

#include <charconv>

namespace convlens::viewer {

namespace {

using Value = std::optional<std::int64_t>;

Value number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const bool octal = !hexadecimal && text.starts_with('0');
  if (hexadecimal) text.remove_prefix(2);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value,
                                            hexadecimal ? 16
                                            : octal     ? 8
                                                        : 10);
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc{} || suffix.find_first_not_of("uUlL") != std::string_view::npos) return std::nullopt;
  return value;
}

int precedence(std::string_view sign) {
  if (sign == "||") return 1;
  if (sign == "&&") return 2;
  if (sign == "==" || sign == "!=") return 3;
  if (sign == "<" || sign == ">" || sign == "<=" || sign == ">=") return 4;
  if (sign == "+" || sign == "-") return 5;
  if (sign == "*" || sign == "/" || sign == "%") return 6;
  return 0;
}

Value apply(std::string_view sign, Value a, Value b) {
  if (sign == "&&") {
    if ((a && *a == 0) || (b && *b == 0)) return 0;
    return a && b ? Value(1) : std::nullopt;
  }
  if (sign == "||") {
    if ((a && *a != 0) || (b && *b != 0)) return 1;
    return a && b ? Value(0) : std::nullopt;
  }
  if (!a || !b) return std::nullopt;
  if (sign == "==") return *a == *b;
  if (sign == "!=") return *a != *b;
  if (sign == "<") return *a < *b;
  if (sign == ">") return *a > *b;
  if (sign == "<=") return *a <= *b;
  if (sign == ">=") return *a >= *b;
  std::int64_t result = 0;
  if (sign == "+") return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : Value(result);
  if (sign == "-") return __builtin_sub_overflow(*a, *b, &result) ? std::nullopt : Value(result);
  if (sign == "*") return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : Value(result);
  if (*b == 0 || *b == -1) return std::nullopt;
  return sign == "/" ? *a / *b : *a % *b;
}

class Parser {
 public:
  Parser(std::span<const Token> tokens, const Constants& constants) : tokens_(tokens), constants_(constants) {}

  Value whole() {
    const Value value = choice();
    return at_ == tokens_.size() && !broken_ ? value : std::nullopt;
  }

 private:
  std::string_view next() const { return at_ < tokens_.size() ? tokens_[at_].text : std::string_view{}; }
  bool take(std::string_view text) {
    if (next() != text) return false;
    ++at_;
    return true;
  }

  Value choice() {
    const Value condition = binary(1);
    if (!take("?")) return condition;
    const Value yes = choice();
    broken_ = broken_ || !take(":");
    const Value no = choice();
    return condition ? (*condition != 0 ? yes : no) : std::nullopt;
  }

  Value binary(int least) {
    Value left = unary();
    for (int level = precedence(next()); level >= least && level > 0; level = precedence(next())) {
      const std::string_view sign = tokens_[at_++].text;
      const Value right = binary(level + 1);
      left = apply(sign, left, right);
    }
    return left;
  }

  Value unary() {
    if (take("!")) {
      const Value value = unary();
      return value ? Value(*value == 0) : std::nullopt;
    }
    if (take("-")) return apply("-", 0, unary());
    return primary();
  }

  Value primary() {
    if (take("(")) {
      const Value value = choice();
      broken_ = broken_ || !take(")");
      return value;
    }
    if (at_ == tokens_.size()) {
      broken_ = true;
      return std::nullopt;
    }
    const Token& token = tokens_[at_++];
    if (!token.is_name()) {
      const Value value = number(token.text);
      broken_ = broken_ || !value;
      return value;
    }
    if (token.is("true") || token.is("false")) return token.is("true");
    std::string name(token.text);
    while ((next() == "." || next() == "::") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is_name()) {
      const bool sizes = name == "s" || name == "Sizes";
      name = (sizes ? "s." : name + "::") + std::string(tokens_[at_ + 1].text);
      at_ += 2;
    }
    if (next() == "(") {
      skip_call();
      return std::nullopt;
    }
    const auto found = constants_.find(name);
    return found == constants_.end() ? std::nullopt : found->second;
  }

  void skip_call() {
    int depth = 0;
    do {
      depth += next() == "(" ? 1 : next() == ")" ? -1 : 0;
      ++at_;
    } while (depth > 0 && at_ < tokens_.size());
    broken_ = broken_ || depth > 0;
  }

  std::span<const Token> tokens_;
  const Constants& constants_;
  std::size_t at_ = 0;
  bool broken_ = false;
};

}  // namespace

Value value_of(std::span<const Token> expression, const Constants& constants) {
  if (expression.size() > kMostExpression) return std::nullopt;
  return Parser(expression, constants).whole();
}

}  // namespace convlens::viewer
