// Keys, for every version of Dear ImGui: before 1.87 keys are the window system's numbers, from then on ImGui's own.
#pragma once

#include <cstdint>

namespace convlens::viewer {

enum class Key : std::uint8_t { escape, space, left, right, enter, z, y, o, s, e, q, zero, plus, minus };

// Whether the key went down in this frame, or repeats, with or without control, and no text is being typed. `plus` and
// `minus` are also those of the key pad, and + counts without shift.
bool pressed(Key key, bool control = false);

// The window tells each press, by GLFW's number, before ImGui::NewFrame it is held where it is up again already, and
// the application tells the end of the frame: before 1.87, ImGui itself does not see a key that goes down and up
// between two frames, as those of a fast hand, a slow machine, or a script do.
void note_key(int glfw_key, bool control);
void hold_noted_keys();
void forget_keys();

// For tests, between the backend's and ImGui's own NewFrame: holds a key or lets it go, with or without control;
// moves the pointer and presses its left button; turns the wheel. Held until told otherwise.
void hold_key(Key key, bool down, bool control = false);
void hold_pointer(float x, float y, bool down, float wheel = 0);

}  // namespace convlens::viewer
