// Signals while a run is live: those that stop it and let it go on. Those that end it are every command's (signals.h).
#pragma once

namespace convlens::cli {

// One at a time. Ctrl-Z (SIGTSTP) stops the program only when the terminal is given back.
class LiveSignals {
 public:
  LiveSignals();

  bool stopping() const;   // Ctrl-Z
  void obey_stop() const;  // stops the program; returns when it is to go on
  bool went_on() const;    // once after each stop, this one or one that cannot be refused (SIGSTOP)
};

}  // namespace convlens::cli
