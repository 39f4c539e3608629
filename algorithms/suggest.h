// "Did you mean …?" for every name a user can misspell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace convlens {

// The candidate closest to `word` by edit distance (insert, delete, replace, swap of neighbours), or "" when none is
// close enough to be meant: at most a third of the word's letters, and at least one, may differ.
std::string closest(std::string_view word, std::span<const std::string> candidates);

// The tail of an error message: `, did you mean "im2win"?`, or the list of what there is.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace convlens
