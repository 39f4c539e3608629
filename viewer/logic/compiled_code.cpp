#include "viewer/logic/compiled_code.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "viewer/logic/constant_expression.h"
#include "viewer/logic/statements.h"

namespace convlens::viewer {

namespace {

// What is marked: parts of the text that may lie in one another. What is marked more than once is of the larger code.
class Marks {
 public:
  explicit Marks(std::size_t bytes) : bytes_(bytes) {
    for (auto& changes : changes_) changes.assign(bytes + 1, 0);
  }
  void add(const Range& range, Code code) {
    auto& changes = changes_[static_cast<std::size_t>(code)];
    ++changes[range.begin], --changes[range.end];
  }
  // The code of every byte.
  std::vector<Code> codes() const {
    std::vector<Code> codes(bytes_, Code::plain);
    std::array<int, kCodes> open{};
    for (std::size_t k = 0; k < bytes_; ++k)
      for (std::size_t code = 0; code < kCodes; ++code)
        if ((open[code] += changes_[code][k]) > 0) codes[k] = static_cast<Code>(code);
    return codes;
  }

 private:
  static constexpr std::size_t kCodes = 4;
  std::size_t bytes_;
  std::array<std::vector<int>, kCodes> changes_;  // how many more begin than end at a byte
};

class Decider {
 public:
  Decider(const std::string& source, const std::string& architecture)
      : parts_(tokens_of(source, architecture)), tokens_(parts_.tokens), statements_(tokens_), marks_(source.size()) {
    for (const Range& range : parts_.left_out) marks_.add(range, Code::left_out);
    for (const Range& range : parts_.undecided) marks_.add(range, Code::undecided);
  }

  CompiledCode decide() {
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
      if (tokens_[k].is("enum")) learn_enumerators(k);
      if (tokens_[k].is("template")) forget_parameters(k);
      if (tokens_[k].is("constexpr")) at(k - 1, "if") ? condition(k) : learn_constants(k);
      if (tokens_[k].is("{")) blocks_.push_back({statements_.closing(k), at(k - 1, "Sizes")});
      if (tokens_[k].is("}") && !blocks_.empty()) blocks_.pop_back();
    }
    return std::move(result_);
  }

  std::vector<Code> codes() const { return marks_.codes(); }

 private:
  bool at(std::size_t k, std::string_view text) const { return statements_.at(k, text); }
  bool is_name(std::size_t k) const { return k < tokens_.size() && tokens_[k].is_name(); }
  std::optional<std::int64_t> value(std::size_t first, std::size_t end) const {
    return value_of(std::span(tokens_).subspan(first, end - first), constants_);
  }

  // The code of tokens [first, end).
  void mark(std::size_t first, std::size_t end, Code code) {
    if (first < end) marks_.add({tokens_[first].offset, tokens_[end - 1].offset + tokens_[end - 1].text.size()}, code);
  }

  // Whether the statement [first, end) ends its function for good.
  bool returns(std::size_t first, std::size_t end) const {
    if (at(first, "return")) return true;
    if (!at(first, "{")) return false;
    for (std::size_t k = first + 1; k + 1 < end; k = std::max(k + 1, statements_.after_statement(k)))
      if (at(k, "return")) return true;
    return false;
  }

  // `k` is the constexpr of `if constexpr (…) statement else statement`.
  void condition(std::size_t k) {
    if (!at(k + 1, "(") || statements_.closing(k + 1) >= tokens_.size()) return;
    const std::size_t end = statements_.closing(k + 1);
    const auto value = this->value(k + 2, end);
    ++(value ? result_.decided : result_.undecided);
    const auto code = [&](bool holds) {
      return !value ? Code::undecided : (*value != 0) == holds ? Code::chosen : Code::left_out;
    };
    const std::size_t first = end + 1, first_end = statements_.after_statement(first);
    mark(first, first_end, code(true));
    if (at(first_end, "else")) return mark(first_end + 1, statements_.after_statement(first_end + 1), code(false));
    // Nothing of the block is reached after a return in the code that is chosen.
    if (value && *value != 0 && !blocks_.empty() && blocks_.back().closing < tokens_.size() &&
        returns(first, first_end))
      mark(first_end, blocks_.back().closing, Code::left_out);
  }

  void learn(const std::string& name, std::optional<std::int64_t> value) {
    const auto [known, is_new] = constants_.emplace(name, value);
    if (!is_new && known->second != value) known->second.reset();
  }

  // `constexpr int a = …, b = …;`; what is no whole number keeps no value.
  void learn_constants(std::size_t k) {
    std::size_t name = k + 1;
    while (is_name(name) && is_name(name + 1) && !at(name, "constexpr")) ++name;
    if (name == k + 1 || at(name - 1, "float") || at(name - 1, "double")) return;
    const bool in_sizes = blocks_.size() == 1 && blocks_.back().of_sizes;
    while (is_name(name) && at(name + 1, "=")) {
      const std::size_t end = value_end(name + 2);
      learn((in_sizes ? "s." : "") + std::string(tokens_[name].text), value(name + 2, end));
      if (!at(end, ",")) return;
      name = end + 1;
    }
  }

  // Of an initial value; one without an end stops where the next constant begins.
  std::size_t value_end(std::size_t k) const {
    const auto ends = [&] { return at(k, ",") || at(k, ";") || statements_.closes(k) || at(k, "constexpr"); };
    while (k < tokens_.size() && !ends()) k = statements_.after(k);
    return k;
  }

  // `enum Layout { NCHW, NHWC, CHWN };`
  void learn_enumerators(std::size_t k) {
    for (++k; k < tokens_.size() && !at(k, "{"); ++k)
      if (at(k, ";") || at(k, "(") || at(k, "enum")) return;
    std::optional<std::int64_t> next = 0;
    for (std::size_t name = k + 1; is_name(name) && !at(name, "enum");) {
      const std::size_t end = value_end(name + 1);
      if (at(name + 1, "=")) next = value(name + 2, end);
      learn(std::string(tokens_[name].text), next);
      if (next) next = *next < std::numeric_limits<std::int64_t>::max() ? std::optional(*next + 1) : std::nullopt;
      if (!at(end, ",")) return;
      name = end + 1;
    }
  }

  // A template's parameter hides a constant of its name.
  void forget_parameters(std::size_t k) {
    constexpr int kDeepest = 64;  // of templates as parameters of templates
    if (!at(k + 1, "<")) return;
    int depth = 0;
    for (std::size_t name = k + 1; name < tokens_.size(); ++name) {
      depth += tokens_[name].is("<") ? 1 : tokens_[name].is(">") ? -1 : 0;
      if (depth == 0 || depth > kDeepest || at(name, ";")) return;
      if (is_name(name) && (at(name + 1, ",") || at(name + 1, ">") || at(name + 1, "=")))
        constants_[std::string(tokens_[name].text)].reset();
    }
  }

  struct Block {
    std::size_t closing;  // the word that closes it
    bool of_sizes;        // struct Sizes { … }
  };

  const CudaTokens parts_;
  const std::vector<Token>& tokens_;
  const Statements statements_;
  std::vector<Block> blocks_;  // that are open
  Marks marks_;
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

CompiledCode compiled_code(const std::string& source, const std::string& architecture) {
  Decider decider(source, architecture);
  CompiledCode result = decider.decide();
  const std::vector<Code> codes = decider.codes();
  std::string file;
  std::size_t number = 0;  // of the line, from 0
  // Numbers beyond all lines of the text are of a #line in a file that somebody has brought along.
  auto room = static_cast<std::size_t>(std::ranges::count(source, '\n')) + 1;
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
      if (lines.size() <= number && number - lines.size() < room) {
        room -= number + 1 - lines.size();
        lines.resize(number + 1);
      }
      if (number < lines.size()) lines[number] = pieces(codes, begin, end);
      ++number;
    }
    begin = end + 1;
  }
  return result;
}

}  // namespace convlens::viewer
