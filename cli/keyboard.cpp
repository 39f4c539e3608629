#include "cli/keyboard.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace convlens::cli {

namespace {

constexpr char kEscape = '\x1b';

bool in_foreground() { return tcgetpgrp(STDIN_FILENO) == getpgrp(); }

}  // namespace

Keyboard::Keyboard() : terminal_(isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &before_) == 0) { take(); }

Keyboard::~Keyboard() { leave(); }

void Keyboard::leave() {
  if (taken_ && in_foreground()) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  taken_ = false;
}

void Keyboard::take() {
  if (!terminal_) return;
  termios now = before_;
  now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  taken_ = tcsetattr(STDIN_FILENO, TCSANOW, &now) == 0;
}

std::optional<char> Keyboard::byte(int milliseconds) const {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (poll(&input, 1, milliseconds) <= 0) return std::nullopt;
  char byte = kEnd;
  const ssize_t count = read(STDIN_FILENO, &byte, 1);
  if (count < 0 && errno == EINTR) return std::nullopt;
  return count > 0 ? byte : kEnd;
}

// A terminal sends a sequence at once; what comes later is another key.
void Keyboard::skip_sequence() const {
  constexpr int kAtOnce = 25;  // ms
  const auto next = [&] { return byte(kAtOnce).value_or(kNone); };
  char c = next();
  while (c == kEscape) c = next();
  const char introducer = c;
  if (introducer != '[' && introducer != 'O') return;
  c = next();
  if (introducer == '[' && c == '[') c = next();                // F1 to F5 of the Linux console: Esc [ [ A
  while (introducer == '[' && c >= ' ' && c < '@') c = next();  // parameters, up to the final byte
}

char Keyboard::key(int milliseconds) const {
  const std::optional<char> key = byte(milliseconds);
  if (!key) return kNone;
  if (*key == kEscape) return skip_sequence(), kNone;
  return terminal_ && *key == static_cast<char>(before_.c_cc[VEOF]) ? kEnd : *key;
}

}  // namespace convlens::cli
