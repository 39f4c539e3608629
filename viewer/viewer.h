// The viewer, called with plain data. The command `convlens view` is the one face that includes this header.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "viewer/logic/state.h"
#include "viewer/logic/values.h"

namespace convlens::viewer {

// How pictures come in and go out; the caller's, so that files are read and written in one place of the program.
struct PictureFiles {
  std::function<Photograph(const std::string& file)> read;  // "": the one that ships; throws BadInput
  std::function<void(const std::string& file, int width, int height, const std::vector<unsigned char>& rgba)> write;
};

struct ViewOptions {
  State state;
  PictureFiles pictures;
  std::string state_file;           // where the state is kept between sessions; "" for the user's own
  int width = 1600, height = 1000;  // of the window or the screenshot, in pixels
  std::string screenshot;           // draw one picture off-screen into this PNG, without a window; "" opens one
  std::optional<double> pointer_x, pointer_y;  // for the screenshot: where the pointer is, in pixels
  std::string export_data;  // with a screenshot: the panel's data as CSV or JSON, by the file's ending
};

// Runs until the window is closed, or draws the screenshot. Throws BadInput without a display and without a screenshot,
// naming both ways out; Unsupported where OpenGL 3.3 is not to be had.
void view(const ViewOptions& options);

// What the module convlens_viewer.so hands over (algorithms/interface/module.h).
struct Services {
  void (*view)(const ViewOptions&);
};

}  // namespace convlens::viewer
