#include "viewer/platform/pixels.h"

#include <GL/gl.h>

#include <cstddef>

namespace convlens::viewer {

std::vector<unsigned char> read_pixels(int x, int y, int width, int height, int frame_height) {
  const auto row = static_cast<std::size_t>(width) * 4;
  std::vector<unsigned char> bottom_up(row * static_cast<std::size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(x, frame_height - y - height, width, height, GL_RGBA, GL_UNSIGNED_BYTE, bottom_up.data());
  std::vector<unsigned char> top_down;
  top_down.reserve(bottom_up.size());
  for (int line = height - 1; line >= 0; --line) {
    const auto first = bottom_up.begin() + static_cast<std::ptrdiff_t>(row * static_cast<std::size_t>(line));
    top_down.insert(top_down.end(), first, first + static_cast<std::ptrdiff_t>(row));
  }
  return top_down;
}

}  // namespace convlens::viewer
