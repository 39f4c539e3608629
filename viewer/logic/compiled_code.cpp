#include "viewer/logic/compiled_code.h"

#include <algorithm>
#include <charconv>

#include "viewer/logic/constant_expression.h"

namespace convlens::viewer {

namespace {

class Decider {
 public:
  explicit Decider(const std::string& source)
      : parts_(tokens_of(source)), tokens_(parts_.tokens), code_(source.size(), Code::plain) {
    for (const Range& range : parts_.left_out) mark(range, Code::left_out);
    for (const Range& range : parts_.undecided) mark(range, Code::undecided);
    match_brackets();
  }

  CompiledCode decide() {
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
      if (tokens_[k].is("enum")) learn_enumerators(k);
      if (tokens_[k].is("template")) forget_parameters(k);
      if (tokens_[k].is("constexpr")) tokens_before_is_if(k) ? condition(k) : learn_constants(k);
      if (tokens_[k].is("{")) blocks_.push_back(closing_[k]);
      if (tokens_[k].is("}") && !blocks_.empty()) blocks_.pop_back();
    }
    return std::move(result_);
  }

  const std::vector<Code>& code() const { return code_; }

 private:
  bool tokens_before_is_if(std::size_t k) const { return k > 0 && tokens_[k - 1].is("if"); }
  bool at(std::size_t k, std::string_view text) const { return k < tokens_.size() && tokens_[k].is(text); }
  std::span<const Token> between(std::size_t first, std::size_t end) const {
    return std::span(tokens_).subspan(first, end - first);
  }

  void mark(const Range& range, Code code) {
    for (std::size_t k = range.begin; k < range.end; ++k) code_[k] = std::max(code_[k], code);
  }
  // The code of tokens [first, end).
  void mark(std::size_t first, std::size_t end, Code code) {
    if (first < end) mark({tokens_[first].offset, tokens_[end - 1].offset + tokens_[end - 1].text.size()}, code);
  }

  void match_brackets() {
    closing_.assign(tokens_.size(), tokens_.size());
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
      const std::string_view text = tokens_[k].text;
      if (text == "(" || text == "{" || text == "[") open.push_back(k);
      if ((text == ")" || text == "}" || text == "]") && !open.empty()) {
        closing_[open.back()] = k;
        open.pop_back();
      }
    }
  }

  // The token after the one that closes the bracket at `k`.
  std::size_t after_bracket(std::size_t k) const { return std::min(closing_[k] + 1, tokens_.size()); }

  // The token after the statement that begins at `k`.
  std::size_t after_statement(std::size_t k) const {
    if (k >= tokens_.size()) return k;
    if (tokens_[k].is("{")) return after_bracket(k);
    const bool governs = tokens_[k].is("if") || tokens_[k].is("for") || tokens_[k].is("while");
    if (governs) {
      std::size_t open = k + 1;
      if (at(open, "constexpr")) ++open;
      const std::size_t end = after_statement(after_bracket(open));
      return tokens_[k].is("if") && at(end, "else") ? after_statement(end + 1) : end;
    }
    while (k < tokens_.size() && !tokens_[k].is(";"))
      k = tokens_[k].is("(") || tokens_[k].is("{") || tokens_[k].is("[") ? after_bracket(k) : k + 1;
    return std::min(k + 1, tokens_.size());
  }

  // Whether the statement [first, end) ends its function for good.
  bool returns(std::size_t first, std::size_t end) const {
    if (at(first, "return")) return true;
    if (!at(first, "{")) return false;
    for (std::size_t k = first + 1; k + 1 < end; k = after_statement(k))
      if (at(k, "return")) return true;
    return false;
  }

  // `k` is the constexpr of `if constexpr (…) statement else statement`.
  void condition(std::size_t k) {
    if (!at(k + 1, "(") || closing_[k + 1] >= tokens_.size()) return;
    const std::size_t end = closing_[k + 1];
    const auto value = value_of(between(k + 2, end), constants_);
    ++(value ? result_.decided : result_.undecided);
    const auto code = [&](bool holds) {
      return !value ? Code::undecided : (*value != 0) == holds ? Code::chosen : Code::left_out;
    };
    const std::size_t first = end + 1, first_end = after_statement(first);
    mark(first, first_end, code(true));
    if (at(first_end, "else")) return mark(first_end + 1, after_statement(first_end + 1), code(false));
    // Nothing of the block is reached after a return in the code that is chosen.
    if (value && *value != 0 && returns(first, first_end) && !blocks_.empty() && blocks_.back() < tokens_.size())
      mark(first_end, blocks_.back(), Code::left_out);
  }

  void learn(const std::string& name, std::optional<std::int64_t> value) {
    const auto [known, is_new] = constants_.emplace(name, value);
    if (!is_new && known->second != value) known->second.reset();
  }

  // `constexpr int a = …, b = …;`; what is no whole number keeps no value.
  void learn_constants(std::size_t k) {
    std::size_t name = k + 1;
    while (name + 1 < tokens_.size() && tokens_[name].is_name() && tokens_[name + 1].is_name()) ++name;
    if (name == k + 1 || tokens_[name - 1].is("float") || tokens_[name - 1].is("double")) return;
    while (name + 1 < tokens_.size() && tokens_[name].is_name() && tokens_[name + 1].is("=")) {
      std::size_t end = name + 2;
      while (end < tokens_.size() && !tokens_[end].is(",") && !tokens_[end].is(";"))
        end = tokens_[end].is("(") || tokens_[end].is("{") || tokens_[end].is("[") ? after_bracket(end) : end + 1;
      learn((in_sizes() ? "s." : "") + std::string(tokens_[name].text), value_of(between(name + 2, end), constants_));
      if (!at(end, ",")) return;
      name = end + 1;
    }
  }

  // Whether the block around is `struct Sizes`.
  bool in_sizes() const {
    if (blocks_.size() != 1) return false;
    for (std::size_t k = 2; k < tokens_.size(); ++k)
      if (closing_[k] == blocks_.back() && tokens_[k].is("{")) return tokens_[k - 1].is("Sizes");
    return false;
  }

  // `enum Layout { NCHW, NHWC, CHWN };`
  void learn_enumerators(std::size_t k) {
    while (k < tokens_.size() && !tokens_[k].is("{") && !tokens_[k].is(";")) ++k;
    if (!at(k, "{")) return;
    std::int64_t value = 0;
    for (std::size_t name = k + 1; name < closing_[k]; ++name)
      if (tokens_[name].is_name()) learn(std::string(tokens_[name].text), value++);
  }

  // A template's parameter hides a constant of its name.
  void forget_parameters(std::size_t k) {
    if (!at(k + 1, "<")) return;
    int depth = 0;
    for (std::size_t name = k + 1; name < tokens_.size(); ++name) {
      depth += tokens_[name].is("<") ? 1 : tokens_[name].is(">") ? -1 : 0;
      if (depth == 0) return;
      if (tokens_[name].is_name() && (at(name + 1, ",") || at(name + 1, ">") || at(name + 1, "=")))
        constants_[std::string(tokens_[name].text)].reset();
    }
  }

  const CudaTokens parts_;
  const std::vector<Token>& tokens_;
  std::vector<std::size_t> closing_;  // of the bracket at an index, the one that closes it; tokens_.size() for none
  std::vector<std::size_t> blocks_;   // that are open, by the token that closes them
  std::vector<Code> code_;            // of every byte
  Constants constants_;
  CompiledCode result_;
};

// The line as pieces of one kind each.
Line pieces(const std::vector<Code>& code, std::size_t begin, std::size_t end) {
  Line line;
  for (std::size_t k = begin; k < end; ++k) {
    if (line.empty() || line.back().code != code[k]) line.push_back({k - begin, k - begin, code[k]});
    line.back().end = k + 1 - begin;
  }
  return line;
}

}  // namespace

CompiledCode compiled_code(const std::string& source) {
  Decider decider(source);
  CompiledCode result = decider.decide();
  std::string file;
  std::size_t number = 0;  // of the line, from 0
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    if (source.compare(begin, 6, "#line ") == 0) {
      std::size_t said = 1;
      std::from_chars(source.data() + begin + 6, source.data() + end, said);
      number = std::max<std::size_t>(said, 1) - 1;
      const std::string line = source.substr(begin, end - begin);
      if (const std::size_t quote = line.find('"'); quote != std::string::npos)
        file = line.substr(quote + 1, line.find('"', quote + 1) - quote - 1);
    } else if (!file.empty()) {
      std::vector<Line>& lines = result.files[file];
      if (lines.size() <= number) lines.resize(number + 1);
      lines[number++] = pieces(decider.code(), begin, end);
    }
    begin = end + 1;
  }
  return result;
}

}  // namespace convlens::viewer
