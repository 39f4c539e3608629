// A state as something to type: the call that draws the same picture, for a shell and for Python.
#pragma once

#include <string>
#include <vector>

#include "viewer/logic/state.h"

namespace convlens::viewer {

// {"convlens", "view", "--layer", "cv9", …}: what differs from the first state, and the layer, panel and cursor. With
// --save, --screenshot or --export behind them they give this very state, but for texts of kernels that were edited.
std::vector<std::string> command_words(const State& state);

std::string as_command_line(const State& state);  // quoted for a shell
std::string as_python(const State& state);        // runs the command by `subprocess`

}  // namespace convlens::viewer
