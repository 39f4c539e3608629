// The brackets and statements of a CUDA text: where each ends, found once for all of its words, in time proportional to
// their number.
#pragma once

#include <string_view>
#include <vector>

#include "viewer/logic/cuda_tokens.h"

namespace convlens::viewer {

class Statements {
 public:
  // The words must outlive this.
  explicit Statements(const std::vector<Token>& tokens);

  bool at(std::size_t k, std::string_view text) const { return k < tokens_.size() && tokens_[k].is(text); }

  bool closes(std::size_t k) const { return at(k, ")") || at(k, "}") || at(k, "]"); }

  // Of the bracket at `k`, the one that closes it; the number of words for none.
  std::size_t closing(std::size_t k) const { return closing_[k]; }
  // The word after the bracket at `k`, or after the word there.
  std::size_t after(std::size_t k) const;
  // The word after the statement that begins at `k`.
  std::size_t after_statement(std::size_t k) const { return k < tokens_.size() ? after_statement_[k] : tokens_.size(); }

 private:
  bool opens(std::size_t k) const { return at(k, "(") || at(k, "{") || at(k, "["); }
  bool governs(std::size_t k) const { return at(k, "if") || at(k, "for") || at(k, "while") || at(k, "switch"); }
  void match_brackets();
  void end_statements();
  std::size_t after_governed(std::size_t k) const;

  const std::vector<Token>& tokens_;
  std::vector<std::size_t> closing_, after_statement_;
};

}  // namespace convlens::viewer
