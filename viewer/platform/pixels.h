// What has been drawn, back from OpenGL.
#pragma once

#include <vector>

namespace convlens::viewer {

// A rectangle of the current framebuffer, which is `frame_height` high: RGBA, rows from top to bottom, `y` counted from
// the top.
std::vector<unsigned char> read_pixels(int x, int y, int width, int height, int frame_height);

}  // namespace convlens::viewer
