// The layouts of a run's three tensors, as text and back, and the sets of them that commands go through.
#pragma once

#include <string>
#include <vector>

#include "algorithms/interface/request.h"

namespace convlens::cli {

// From "NCHW" or "NCHW,OIHW,NCHW"; a single name takes the filter layout that goes with it. Throws BadInput with the
// closest name, of which, with `or_all`, the caller's own `all` is one.
Layouts parse_layouts(const std::string& text, bool or_all = false);

std::string text(const Layouts& layouts);    // "NCHW,OIHW,NCHW"
std::vector<Layouts> homogeneous_layouts();  // NCHW/OIHW, NHWC/OHWI, CHWN/OIHW
std::vector<Layouts> all_layouts();          // the 18 of them

}  // namespace convlens::cli
