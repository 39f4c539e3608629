#include "viewer/logic/cuda_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "viewer/logic/preprocessor.h"

namespace convlens::viewer {

namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

constexpr std::array<std::string_view, 12> kLong{
    "::", "&&", "||", "==", "!=", "<=", ">=", "<<", "->", "++", "--", "+="};

class Reader {
 public:
  // Without a preprocessor a '#' is a word like any other.
  Reader(std::string_view text, Preprocessor* preprocessor) : text_(text), preprocessor_(preprocessor) {}

  std::vector<Token> read() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') begins_line_ = true;
    if (is_space(c)) return void(++at_);
    if (c == '#' && begins_line_ && preprocessor_ != nullptr) return directive();
    begins_line_ = false;
    if (text_.substr(at_, 2) == "//") return void(at_ = line_end(at_));
    if (text_.substr(at_, 2) == "/*") return void(at_ = after("*/", at_ + 2));
    if (c == '"' || c == '\'') return quoted(c);
    const std::size_t end = word_end(c);
    if (preprocessor_ == nullptr || preprocessor_->branch() != Branch::out)
      tokens_.push_back({text_.substr(at_, end - at_), at_});
    at_ = end;
  }

  std::size_t word_end(char c) const {
    std::size_t end = at_ + 1;
    if (in_name(c)) {
      const bool number = !begins_name(c);
      // 1.5, and 1'000
      const auto goes_on = [&](char next) { return in_name(next) || (number && (next == '.' || next == '\'')); };
      while (end < text_.size() && goes_on(text_[end])) ++end;
    } else {
      for (const std::string_view sign : kLong)
        if (text_.substr(at_, sign.size()) == sign) end = at_ + sign.size();
    }
    return end;
  }

  void quoted(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\') ++at_;
    at_ = std::min(at_ + 1, text_.size());
  }

  // A directive's line, with those that it continues on.
  void directive() {
    const std::size_t begin = at_;
    std::size_t end = line_end(at_);
    while (end < text_.size() && end > begin && text_[end - 1] == '\\') end = line_end(end + 1);
    at_ = end;
    std::size_t name = begin + 1;
    while (name < end && (text_[name] == ' ' || text_[name] == '\t')) ++name;
    std::size_t rest = name;
    while (rest < end && in_name(text_[rest])) ++rest;
    preprocessor_->take(std::string(text_.substr(name, rest - name)), text_.substr(rest, end - rest), begin,
                        std::min(end + 1, text_.size()));
  }

  std::size_t line_end(std::size_t from) const { return std::min(text_.find('\n', from), text_.size()); }
  std::size_t after(std::string_view what, std::size_t from) const {
    const std::size_t found = text_.find(what, from);
    return found == std::string_view::npos ? text_.size() : found + what.size();
  }

  std::string_view text_;
  Preprocessor* preprocessor_;
  std::size_t at_ = 0;
  bool begins_line_ = true;  // nothing but spaces so far
  std::vector<Token> tokens_;
};

}  // namespace

bool Token::is_name() const { return !text.empty() && begins_name(text.front()); }

CudaTokens tokens_of(std::string_view source, const std::string& architecture) {
  Preprocessor preprocessor(architecture);
  std::vector<Token> tokens = Reader(source, &preprocessor).read();
  return {std::move(tokens), std::move(preprocessor.left_out), std::move(preprocessor.undecided)};
}

std::vector<Token> words_of(std::string_view part) { return Reader(part, nullptr).read(); }

}  // namespace convlens::viewer
