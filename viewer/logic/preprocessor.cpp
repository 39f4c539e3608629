#include "viewer/logic/preprocessor.h"

#include <charconv>

#include "viewer/logic/constant_expression.h"

namespace convlens::viewer {

namespace {

// "sm_90a" as 900; nothing for what is no architecture.
std::optional<std::int64_t> arch_number(std::string_view architecture) {
  if (!architecture.starts_with("sm_")) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = architecture.data() + architecture.size();
  if (std::from_chars(architecture.data() + 3, end, number).ec != std::errc{}) return std::nullopt;
  return 10 * number;
}

// Of a line that begins with a name, that name; what is left begins behind it.
std::string_view take_name(std::string_view& rest) {
  const std::vector<Token> tokens = words_of(rest);
  if (tokens.empty() || !tokens.front().is_name()) return {};
  const std::string_view name = tokens.front().text;
  rest.remove_prefix(tokens.front().offset + name.size());
  return name;
}

}  // namespace

Preprocessor::Preprocessor(const std::string& architecture) {
  macros_ = {{"__CUDACC__", {true, 1}}, {"__CUDACC_RTC__", {true, 1}}, {"__cplusplus", {true, 202002}}};
  if (const auto number = arch_number(architecture)) macros_["__CUDA_ARCH__"] = {true, number};
}

Preprocessor::Macro Preprocessor::known(std::string_view name) const {
  if (const auto found = macros_.find(name); found != macros_.end()) return found->second;
  return name.starts_with("__") ? Macro{} : Macro{.defined = false, .value = 0};
}

// `defined NAME` and `defined(NAME)` are read here, and what is left is a constant expression.
std::optional<bool> Preprocessor::holds(std::string_view expression) const {
  const std::vector<Token> all = words_of(expression);
  std::vector<Token> tokens;
  Constants constants;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Token token = all[k];
    if (token.is("defined")) {
      const bool bracket = k + 1 < all.size() && all[k + 1].is("(");
      k += bracket ? 2 : 1;
      if (k >= all.size() || !all[k].is_name() || (bracket && (k + 1 >= all.size() || !all[k + 1].is(")"))))
        return std::nullopt;
      if (const auto defined = known(all[k].text).defined) token.text = *defined ? "1" : "0";
      k += bracket ? 1 : 0;
    } else if (token.is_name()) {
      constants.emplace(token.text, known(token.text).value);
    }
    tokens.push_back(token);
  }
  const auto value = value_of(tokens, constants);
  return value ? std::optional(*value != 0) : std::nullopt;
}

void Preprocessor::define(std::string_view rest, bool defined) {
  const std::string name(take_name(rest));
  if (name.empty()) return;
  if (branch() == Branch::undecided) {
    macros_[name] = {};
    return;
  }
  // The value of numbers alone: a name in it means what it does where the macro is used.
  const std::vector<Token> value = words_of(rest);
  macros_[name] = {defined, defined ? value_of(value, {}) : std::optional<std::int64_t>(0)};
}

void Preprocessor::count(Branch branch, int change) {
  if (branch == Branch::out) out_ += static_cast<std::size_t>(change);
  if (branch == Branch::undecided) doubtful_ += static_cast<std::size_t>(change);
}

void Preprocessor::open(std::optional<bool> holds, std::size_t begin) {
  open_.push_back({.taken = false});
  next(holds, begin);
}

void Preprocessor::next(std::optional<bool> holds, std::size_t begin) {
  Condition& c = open_.back();
  c.begin = begin;
  if (c.taken == true || holds == false)
    c.branch = Branch::out;
  else
    c.branch = c.taken == false && holds == true ? Branch::in : Branch::undecided;
  if (c.taken != true && holds != false) c.taken = holds;
  count(c.branch, 1);
}

void Preprocessor::close(std::size_t end) {
  const Condition& c = open_.back();
  count(c.branch, -1);
  if (c.branch == Branch::out) left_out.push_back({c.begin, end});
  if (c.branch == Branch::undecided) undecided.push_back({c.begin, end});
}

Branch Preprocessor::branch() const { return out_ > 0 ? Branch::out : doubtful_ > 0 ? Branch::undecided : Branch::in; }

void Preprocessor::take(const std::string& name, std::string_view rest, std::size_t begin, std::size_t end) {
  const auto named = [&] { return known(take_name(rest)).defined; };
  const auto opposite = [](std::optional<bool> value) { return value ? std::optional(!*value) : value; };
  if (name == "define" || name == "undef") {
    if (branch() != Branch::out) define(rest, name == "define");
  } else if (name == "if") {
    open(holds(rest), end);
  } else if (name == "ifdef") {
    open(named(), end);
  } else if (name == "ifndef") {
    open(opposite(named()), end);
  } else if (!open_.empty() && (name == "else" || name == "elif" || name == "endif")) {
    close(begin);
    if (name == "endif")
      open_.pop_back();
    else
      next(name == "else" ? std::optional(true) : holds(rest), end);
  }
}

}  // namespace convlens::viewer
