// A row of a terminal: how wide it is, and what of a text it holds.
#pragma once

#include <string>
#include <string_view>

namespace convlens::cli {

// Columns of the terminal on stdout, now; 80 where it does not say.
int terminal_columns();

// The beginning of a UTF-8 text that fits into so many columns, ending in "…" where it is not all of it. Control
// characters, which could move the cursor elsewhere, become '?'.
std::string in_columns(std::string_view text, int columns);

}  // namespace convlens::cli
