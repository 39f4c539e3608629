// The state that a command line of `convlens view` describes.
#pragma once

#include <string>
#include <vector>

#include "cli/view_arguments.h"
#include "viewer/logic/state.h"

namespace convlens::cli {

// What is to be shown, and where a window keeps it in the end. Throws BadInput or Unsupported, in one line, for what
// could not be shown as it was asked for.
viewer::KeptState state_to_show(const ViewArguments& arguments);

// The runs that the Performance panel is to show, the last of them in the end: those of --live, or the algorithms.
std::vector<std::string> live_runs(const ViewArguments& arguments);

}  // namespace convlens::cli
