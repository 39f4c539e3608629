// The picture that ships, drawn by this program: 512×384, RGB. A lighthouse at dusk, made so that every kind of filter
// finds something: smooth gradients (sky), straight and slanted edges (lighthouse, cottage), a checkerboard bent round
// a balloon, single points (stars: they show a filter's taps), fine lines (ropes, reeds), ripples, and a zone plate
// (the sail), whose rings get finer from the middle outwards, up to about a pixel.
#pragma once

#include "cli/image.h"

namespace convlens::cli {

Picture sample_picture();

}  // namespace convlens::cli
