#include "viewer/logic/cuda_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace convlens::viewer {

namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

constexpr std::array<std::string_view, 12> kLong{
    "::", "&&", "||", "==", "!=", "<=", ">=", "<<", "->", "++", "--", "+="};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  CudaTokens read() {
    while (at_ < text_.size()) step();
    return std::move(result_);
  }

 private:
  enum class Branch : std::uint8_t { in, out, undecided };
  struct Condition {
    Branch branch;
    std::size_t begin;  // of what it governs
  };

  bool skipping() const {
    return std::ranges::any_of(open_, [](const Condition& c) { return c.branch == Branch::out; });
  }

  void step() {
    const char c = text_[at_];
    if (c == '#' && first_of_line()) return directive();
    if (std::isspace(static_cast<unsigned char>(c)) != 0) return void(++at_);
    if (text_.substr(at_, 2) == "//") return void(at_ = line_end(at_));
    if (text_.substr(at_, 2) == "/*") return void(at_ = after("*/", at_ + 2));
    if (c == '"' || c == '\'') return quoted(c);
    std::size_t end = at_ + 1;
    if (in_name(c)) {
      while (end < text_.size() && (in_name(text_[end]) || (text_[end] == '.' && !begins_name(c)))) ++end;
    } else {
      for (const std::string_view sign : kLong)
        if (text_.substr(at_, sign.size()) == sign) end = at_ + sign.size();
    }
    if (!skipping()) result_.tokens.push_back({text_.substr(at_, end - at_), at_});
    at_ = end;
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
    std::string_view rest = text_.substr(begin + 1, end - begin - 1);
    const std::string word = take_word(rest), name = take_word(rest);
    const std::size_t next = std::min(end + 1, text_.size());
    if (word == "define" && !skipping()) defined_.insert(name);
    if (word == "undef" && !skipping()) defined_.erase(name);
    if (word == "ifdef" || word == "ifndef")
      open_.push_back({(defined_.count(name) > 0) == (word == "ifdef") ? Branch::in : Branch::out, next});
    if (word == "if") open_.push_back({Branch::undecided, next});
    if (open_.empty() || (word != "else" && word != "elif" && word != "endif")) return;
    close(begin);
    if (word == "endif") return open_.pop_back();
    Condition& c = open_.back();
    c.branch = c.branch == Branch::undecided || word == "elif" ? Branch::undecided
               : c.branch == Branch::in                        ? Branch::out
                                                               : Branch::in;
    c.begin = next;
  }

  void close(std::size_t end) {
    const Condition& c = open_.back();
    if (c.branch == Branch::out) result_.left_out.push_back({c.begin, end});
    if (c.branch == Branch::undecided) result_.undecided.push_back({c.begin, end});
  }

  static std::string take_word(std::string_view& rest) {
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
    std::size_t end = 0;
    while (end < rest.size() && in_name(rest[end])) ++end;
    const std::string word(rest.substr(0, end));
    rest.remove_prefix(end);
    return word;
  }

  bool first_of_line() const {
    std::size_t at = at_;
    while (at > 0 && (text_[at - 1] == ' ' || text_[at - 1] == '\t')) --at;
    return at == 0 || text_[at - 1] == '\n';
  }
  std::size_t line_end(std::size_t from) const { return std::min(text_.find('\n', from), text_.size()); }
  std::size_t after(std::string_view what, std::size_t from) const {
    const std::size_t found = text_.find(what, from);
    return found == std::string_view::npos ? text_.size() : found + what.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::set<std::string> defined_;
  std::vector<Condition> open_;
  CudaTokens result_;
};

}  // namespace

bool Token::is_name() const { return !text.empty() && begins_name(text.front()); }

CudaTokens tokens_of(std::string_view source) { return Reader(source).read(); }

}  // namespace convlens::viewer
