// Keys from stdin, one at a time: of a terminal, or of a pipe.
#pragma once

#include <termios.h>

namespace convlens::cli {

// A terminal on stdin does not show the keys, and hands each over at once; it is as it was before when this object
// dies.
class Keyboard {
 public:
  Keyboard();
  ~Keyboard();
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  bool terminal() const { return terminal_; }

  // The next key, waited for at most `milliseconds`; kNone for none, kEnd at the end of the input, which a terminal's
  // user says with Ctrl-D.
  char key(int milliseconds) const;
  static constexpr char kNone = 0, kEnd = 4;

 private:
  termios before_{};
  bool terminal_;
};

}  // namespace convlens::cli
