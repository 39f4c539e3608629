// Rules of a layer's sizes as the viewer says them: by the symbols that stand beside its sliders.
//
// "hf: 9, … must be ≤ the padded input's 5" names a size as command line, state files and records do; in a window,
// where the box is called H_f, it is "H_f: 9, …".
#pragma once

#include <string>

namespace convlens::viewer {

// `sentence` with every word that is the name of a size replaced by its symbol (layer_sizes.h).
std::string in_symbols(const std::string& sentence);

}  // namespace convlens::viewer
