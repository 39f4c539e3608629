// Text in a given room: as many of its words as fit, and "…" for the others, which a tooltip then has to tell.
#pragma once

#include <string>
#include <vector>

namespace convlens::viewer {

struct Fitted {
  std::string text;   // with a line break after each line but the last
  bool whole = true;  // false: words have been left out
};

// On at most so many lines of that width. A word that is wider than a line, such as a path, is broken anywhere.
Fitted fitted(const std::string& text, float width, int lines = 1);

// On one line, broken between terms: what stands in parentheses stays together.
Fitted fitted_formula(const std::string& formula, float width);

// The names, with commas, of which as many as fit are written: "a, b + 2 more".
Fitted fitted_list(const std::string& title, const std::vector<std::string>& items, float width);

}  // namespace convlens::viewer
