// The viewer, called with plain data. The command `convlens view` is the one face that includes this header.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "viewer/logic/state.h"
#include "viewer/logic/values.h"

namespace convlens::viewer {

// How files come in and go out; the caller's, so that they are read and written in one place of the program.
struct Files {
  std::function<Photograph(const std::string& file)> read_picture;  // "": the one that ships; throws BadInput
  // Both whole or not at all; they throw BadInput.
  std::function<void(const std::string& file, int width, int height, const std::vector<unsigned char>& rgba)>
      write_picture;
  std::function<void(const std::string& file, const std::string& text)> write_text;
};

struct ViewOptions {
  State state;
  Files files;
  std::string state_file;     // where a window's state is written when it is closed; "" for nowhere
  std::string notice;         // what the status bar says first
  int width = 0, height = 0;  // of the window or the screenshot, in pixels; 0: of a window what fits the monitor
  std::string screenshot;     // draw one picture off-screen into this PNG, without a window
  std::optional<double> pointer_x, pointer_y;  // for the screenshot: where the pointer is, in pixels
  std::vector<std::string> worker;  // the program that measures, and its arguments; none: nothing is measured
  // Before a picture or data: for how long these live runs are measured, one after the other and each from its first
  // sample on, and after them, for at most as long, what the Performance panel compares them with. Before a picture of
  // the Kernel panel, more than 0: the kernel is checked and timed.
  double measure_seconds = 0;
  std::vector<std::string> measured_runs;
  // What is to be known of a picture or data beside itself, and of a window that has lost its display.
  std::function<void(const std::string& line)> say;
  // Whether a picture or data is not wanted any more: what takes long ends then, and nothing is written unless
  // something has been measured for it.
  std::function<bool()> interrupted = [] { return false; };
  std::string export_data;  // write the panel's data into this .csv or .json, without a window and without OpenGL
};

// Runs until the window is closed, or draws and writes what is asked for. Throws BadInput without a display and with
// nothing asked for, naming both ways out; Unsupported where OpenGL 3.3 is not to be had.
void view(const ViewOptions& options);

// What the module convlens_viewer.so hands over (algorithms/interface/module.h).
struct Services {
  void (*view)(const ViewOptions&);
};

}  // namespace convlens::viewer
