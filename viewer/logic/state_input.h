// A state as it is handed to a command: in a file, through a pipe, or on standard input.
#pragma once

#include <cstddef>
#include <string>

#include "viewer/logic/state.h"

namespace convlens::viewer {

inline constexpr std::size_t kMostStateBytes = std::size_t{8} << 20;  // it has kernel texts of at most 1 MiB

std::string state_text(const State& state);  // what a state file holds

// What `text` says; `source` is where it is from, in words. Throws BadInput for what is no state.
State state_from_text(const std::string& text, const std::string& source);

// The state in `source`: a file, a pipe, a device such as /dev/stdin, or "-" for standard input. A pipe or a terminal
// is waited for, and read to its end. Throws BadInput for a folder, for more than kMostStateBytes, and when a signal
// arrives meanwhile.
State read_state_input(const std::string& source);

}  // namespace convlens::viewer
