// How each tensor is laid flat when nobody has asked for another way: as the algorithm's own picture of it.
#pragma once

#include "viewer/logic/model.h"
#include "viewer/logic/sheet.h"

namespace convlens::viewer {

// The axes that are in neither list of the sheet are fixed at those of `slice`.
//
//   x, y           h down, w across, at one image and channel
//   blocks of w    o down, the window (c, u, v) across: a grouped layer's zeros lie beside its diagonal
//   im2col         output pixels (p, q) down, the window (c, u, v) across in the order of memory: the matrix
//   im2win, MEC    output rows (columns) down, the strip across
//   Winograd, FFT  tiles side by side, each a square of its points, or the half plane of its bins; of a filter one
//
// A sheet that is far longer than high shows one channel, if that makes it nearer to a square, and one that is
// thousands of times as high as wide one row of outputs.
Sheet default_sheet(const Exhibit& exhibit, const Coord& slice);

}  // namespace convlens::viewer
