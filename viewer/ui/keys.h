// Keys, for every version of Dear ImGui: before 1.87 keys are the window system's numbers, from then on ImGui's own.
#pragma once

#include <cstdint>

namespace convlens::viewer {

enum class Key : std::uint8_t { escape, space, left, right, enter, z, y, o, s, e, c, zero, plus, minus };

// Whether the key went down in this frame, or repeats, and no text is being typed. `plus` and `minus` are also those of
// the key pad, and + counts without shift.
bool pressed(Key key);

// For tests, between the backend's and ImGui's own NewFrame: holds a key or lets it go, with or without control;
// moves the pointer and presses its left button; turns the wheel. Held until told otherwise.
void hold_key(Key key, bool down, bool control = false);
void hold_pointer(float x, float y, bool down, float wheel = 0);

}  // namespace convlens::viewer
