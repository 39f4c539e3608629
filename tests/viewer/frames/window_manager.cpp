#include "tests/viewer/frames/window_manager.h"

#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include <array>
#include <stdexcept>

namespace convlens::testing {

void set_iconic(const std::string& name, unsigned long window, bool iconic) {
  Display* const display = XOpenDisplay(name.c_str());
  if (display == nullptr) throw std::runtime_error("no display " + name);
  const std::array<long, 2> state{iconic ? IconicState : NormalState, None};
  const Atom property = XInternAtom(display, "WM_STATE", False);
  XChangeProperty(display, window, property, property, 32, PropModeReplace,
                  reinterpret_cast<const unsigned char*>(state.data()), static_cast<int>(state.size()));
  if (iconic)
    XUnmapWindow(display, window);
  else
    XMapWindow(display, window);
  XCloseDisplay(display);
}

}  // namespace convlens::testing
