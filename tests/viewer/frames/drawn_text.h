// The text of a frame, read back from what Dear ImGui hands to the graphics card: each letter is a rectangle with the
// part of the font's texture that it shows. So whatever has cut a letter, a window's edge, a button or a column, leaves
// a trace here, and so does an ellipsis in place of letters.
#pragma once

#include <imgui/imgui.h>

#include <string>
#include <vector>

#include "tests/viewer/frames/screen.h"

namespace convlens::testing {

struct DrawnLetter {
  std::string window;       // that draws it
  unsigned code = 0;        // of Unicode
  Area area;                // before it is cut
  bool cut_across = false;  // some of it is missing on the left or right
  bool cut_down = false;    // above or below
};

// Of the frame that was drawn last.
std::vector<DrawnLetter> drawn_letters();

// Its letters in a row, those outside of ASCII as '?'; without spaces, which are not drawn.
std::string drawn_text();

// What is wrong with them, a line each: letters that are cut where the window does not scroll, an ellipsis right after
// a letter, and letters on top of each other.
std::vector<std::string> faults_of_text(const std::vector<DrawnLetter>& letters,
                                        const std::vector<Screen::Window>& windows);

}  // namespace convlens::testing
