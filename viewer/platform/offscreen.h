// Drawing without a window, without a display and without X: OpenGL 3.3 through EGL into a framebuffer of its own.
//
// The first EGL device that works is used (an NVIDIA GPU where its driver is), else Mesa's surfaceless platform, which
// draws on the CPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace convlens::viewer {

class Offscreen {
 public:
  // Throws Unsupported when no EGL platform gives OpenGL 3.3.
  Offscreen(int width, int height);
  ~Offscreen();

  const std::string& renderer() const { return renderer_; }  // as OpenGL names it

  // What has been drawn: RGBA, rows from top to bottom.
  std::vector<unsigned char> pixels() const;

 private:
  struct Handles;
  int width_, height_;
  std::unique_ptr<Handles> handles_;
  std::string renderer_;
};

}  // namespace convlens::viewer
