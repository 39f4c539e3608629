#include "viewer/logic/statements.h"

#include <algorithm>

namespace convlens::viewer {

Statements::Statements(const std::vector<Token>& tokens) : tokens_(tokens) {
  match_brackets();
  end_statements();
}

std::size_t Statements::after(std::size_t k) const {
  return opens(k) ? std::min(closing_[k] + 1, tokens_.size()) : k + 1;
}

void Statements::match_brackets() {
  closing_.assign(tokens_.size(), tokens_.size());
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < tokens_.size(); ++k) {
    if (opens(k)) open.push_back(k);
    if (!closes(k) || open.empty()) continue;
    closing_[open.back()] = k;
    open.pop_back();
  }
}

// From the last word to the first: what a statement ends with begins behind it.
void Statements::end_statements() {
  const std::size_t all = tokens_.size();
  after_statement_.assign(all, all);
  std::vector<std::size_t> after_plain(all + 1, all);  // as a statement that is none of if, for, while, switch, a block
  for (std::size_t k = all; k-- > 0;) {
    after_plain[k] = at(k, ";") ? k + 1 : closes(k) ? k : after_plain[after(k)];
    after_statement_[k] = at(k, "{") ? after(k) : governs(k) ? after_governed(k) : after_plain[k];
  }
}

// `if (…) statement else statement`, `for (…) statement`
std::size_t Statements::after_governed(std::size_t k) const {
  const std::size_t open = at(k + 1, "constexpr") ? k + 2 : k + 1;
  const std::size_t end = after_statement(open < tokens_.size() ? after(open) : open);
  return at(k, "if") && at(end, "else") ? after_statement(end + 1) : end;
}

}  // namespace convlens::viewer
