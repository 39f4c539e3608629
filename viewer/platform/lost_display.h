// An X server that goes away. Xlib then ends the program from within whatever call it was in, by exit(1), so that what
// a closed window keeps would be lost: XSetIOErrorHandler(3) gives it a last word.
#pragma once

#include <functional>

namespace convlens::viewer {

// While one lives (one at a time), a broken connection to the X server calls `last_word`, on the thread that has found
// it, and ends the program with the exit code that it returns. Nothing is unwound: threads and destructors have no more
// to say. Where GLFW draws without Xlib it does nothing.
class LostDisplay {
 public:
  explicit LostDisplay(std::function<int()> last_word);
  ~LostDisplay();
  LostDisplay(const LostDisplay&) = delete;
  LostDisplay& operator=(const LostDisplay&) = delete;
};

}  // namespace convlens::viewer
