// A window with OpenGL 3.3, by GLFW, and the loop that draws into it: when something has happened, not all the time.
#pragma once

#include <functional>
#include <string>

namespace convlens::viewer {

// How a frame wants to go on.
enum class Next : std::uint8_t {
  wait,   // until something happens
  soon,   // some tenth of a second, or until something happens: what is measured must not be disturbed
  again,  // at once: something moves
  close,
};

struct WindowEvents {
  std::function<void()> start;                   // once OpenGL is there, before the first frame
  std::function<Next(double scale)> draw;        // builds and draws one frame; `scale` is the monitor's
  std::function<void(const std::string&)> drop;  // a file dropped on the window
  std::function<void(int glfw_key, bool control)> press;
  std::function<void()> rest;  // it has been iconified; the next frame is drawn when it is back
  std::function<int()> lost;   // its display is gone, and the program ends with this exit code (lost_display.h)
};

// Opens the window, and returns when it is closed or the program is asked to end (termination.h). While it is iconified
// nothing is drawn. A size of 0 × 0 is as large as is useful, and no larger than the monitor's work area.
// Throws BadInput, naming DISPLAY and WAYLAND_DISPLAY and the way without either, where there is no display.
void run_window(const std::string& title, int width, int height, const WindowEvents& events);

// Whether a display can be asked for, from the environment.
bool has_display();

}  // namespace convlens::viewer
