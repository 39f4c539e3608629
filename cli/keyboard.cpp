#include "cli/keyboard.h"

#include <poll.h>
#include <unistd.h>

namespace convlens::cli {

Keyboard::Keyboard() : terminal_(isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &before_) == 0) {
  if (!terminal_) return;
  termios now = before_;
  now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSANOW, &now);
}

Keyboard::~Keyboard() {
  if (terminal_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

char Keyboard::key(int milliseconds) const {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (poll(&input, 1, milliseconds) <= 0) return kNone;
  char key = kEnd;
  if (read(STDIN_FILENO, &key, 1) <= 0) return kEnd;
  return terminal_ && key == static_cast<char>(before_.c_cc[VEOF]) ? kEnd : key;
}

}  // namespace convlens::cli
