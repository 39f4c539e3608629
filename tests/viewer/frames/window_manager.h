// The part of a window manager that tests need, by the Inter-Client Communication Conventions Manual, §4.1.3–4.1.4:
// what its property WM_STATE says is what a window's program believes.
#pragma once

#include <string>

namespace convlens::testing {

// Of the window with that number on that display.
void set_iconic(const std::string& display, unsigned long window, bool iconic);

}  // namespace convlens::testing
