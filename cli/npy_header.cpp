// The header of an .npy file: the text of a Python dictionary with the keys descr, fortran_order and shape.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "algorithms/error.h"
#include "cli/npy.h"

namespace convlens::cli {

namespace {

// Reads the dictionary: the three keys, in any order.
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  NpyHeader read() {
    std::optional<std::string> type;
    std::optional<bool> order;
    std::optional<std::vector<std::int64_t>> shape;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr")
        type = description();
      else if (key == "fortran_order")
        order = boolean();
      else if (key == "shape")
        shape = tuple();
      else
        fail("has the unknown key '" + key + "'");
      if (!accept(',') && peek() != '}') fail("has no ',' or '}' where one must be");
    }
    if (!type || !order || !shape || peek() != '\0') fail("must have the keys descr, fortran_order and shape");
    return {*type, *order, *shape, 0, ""};
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw BadInput(file_ + ", header of the .npy file, " + why); }

  char peek() {
    while (!text_.empty() && std::strchr(" \n\t", text_.front()) != nullptr) text_.remove_prefix(1);
    return text_.empty() ? '\0' : text_.front();
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("has no '") + wanted + "' where one must be");
  }
  bool accept_word(std::string_view word) {
    peek();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("has no quoted text where one must be");
    text_.remove_prefix(1);
    const std::size_t end = text_.find(quote);
    if (end == std::string_view::npos) fail("has a text without its closing quote");
    const std::string result(text_.substr(0, end));
    // A message quotes it on one line.
    if (std::ranges::any_of(result, [](char c) { return c < ' ' || c > '~'; }))
      fail("has a text that is not plain ASCII");
    text_.remove_prefix(end + 1);
    return result;
  }
  std::string description() {
    if (peek() == '[') throw BadInput(file_ + ", element type, is a record, must be a number");
    return quoted();
  }
  bool boolean() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    fail("has a fortran_order that is not True or False");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> extents;
    expect('(');
    while (!accept(')')) {
      std::int64_t extent = 0;
      const std::size_t digits = std::min(text_.size(), text_.find_first_not_of("0123456789"));
      if (digits == 0 || digits > 18) fail("has a shape with something other than a length from 0 to 10^18 in it");
      for (std::size_t k = 0; k < digits; ++k) extent = extent * 10 + (text_[k] - '0');
      text_.remove_prefix(digits);
      accept('L');  // as Python 2 wrote long integers
      extents.push_back(extent);
      if (!accept(',') && peek() != ')') fail("has a shape without its ')'");
      peek();
    }
    return extents;
  }

  std::string_view text_;
  const std::string& file_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& file) { return HeaderText(text, file).read(); }

}  // namespace convlens::cli
