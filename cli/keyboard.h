// Keys from stdin, one at a time: of a terminal, or of a pipe.
#pragma once

#include <termios.h>

#include <optional>

namespace convlens::cli {

// A terminal on stdin does not show the keys, and hands each over at once; it is as it was before when this object
// dies, and while it is left.
class Keyboard {
 public:
  Keyboard();
  ~Keyboard();
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  bool terminal() const { return terminal_; }

  // Around the time in which this program is stopped and the terminal another's. Who takes it in the background is
  // stopped by the system until it is in the foreground, or a signal comes; there is nothing to leave there.
  void leave();
  void take();

  // The next key, waited for at most `milliseconds`; kNone for none, kEnd at the end of the input, which a terminal's
  // user says with Ctrl-D. Keys that send a sequence, as arrows and F5 do (ECMA-48, 5.4: CSI; ISO 2022: SS3), are none,
  // and so are Esc and what is pressed with Alt, which sends Esc before it.
  char key(int milliseconds) const;
  static constexpr char kNone = 0, kEnd = 4;

 private:
  std::optional<char> byte(int milliseconds) const;  // kEnd at the end of the input
  void skip_sequence() const;                        // what follows an Esc

  termios before_{};
  bool terminal_, taken_ = false;
};

}  // namespace convlens::cli
