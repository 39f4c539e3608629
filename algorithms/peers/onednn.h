// oneDNN, Intel's library of deep-learning primitives, as rows like any other. What computes is a module
// (peers/onednn/), so that the program starts where the library is missing.
//
// x and y are handed over as they are (format=plain) or reordered into a blocked layout of the library's choice
// (format=blocked); the filter is always reordered. A call pays for all of it; `--timed kernel` is the convolution
// alone, with input and filter in the library's layouts already and y left in its own.
#pragma once

#include "algorithms/interface/algorithm.h"

namespace convlens {

const Algorithm& onednn_direct();
const Algorithm& onednn_winograd();
const Algorithm& onednn_auto();

}  // namespace convlens
