// The chosen rows of a state: a set of runs, in the order in which they were chosen.
#pragma once

#include <string>
#include <vector>

namespace convlens::viewer {

// `runs`, each once: "im2win" and "im2win.ref" are one run, and so are two ways to write its options. What is no run is
// told apart by its text.
std::vector<std::string> distinct_runs(const std::vector<std::string>& runs);

}  // namespace convlens::viewer
