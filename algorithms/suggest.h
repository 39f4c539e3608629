// "Did you mean …?" for every name a user can misspell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace convlens {

// The candidate closest to `word` by edit distance (insert, delete, replace, swap of neighbours), or "" when none is
// close enough to be meant: at most a third of the word's letters, and at least one, may differ, but never all.
std::string closest(std::string_view word, std::span<const std::string> candidates);

// The tail of an error message: the rule, and then what may have been meant, as in
// `, must be one of on | off; did you mean "on"?`.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

// The same where the list of what there is would be too long: `rule` says in words what `word` must be.
std::string suggestion(std::string_view word, std::span<const std::string> candidates, std::string_view rule);

}  // namespace convlens
