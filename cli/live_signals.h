// Signals while a run is live: those that end it, and those that stop it and let it go on.
#pragma once

namespace convlens::cli {

// One at a time. SIGTERM and SIGHUP end the program by that signal, but only after the line is left as it stands, as it
// is with Ctrl-C; Ctrl-Z (SIGTSTP) stops it only when the terminal is given back.
class LiveSignals {
 public:
  LiveSignals();

  bool ending() const;     // SIGTERM, SIGHUP or Ctrl-C
  static void obey_end();  // ends the program where SIGTERM or SIGHUP wants that
  bool stopping() const;   // Ctrl-Z
  void obey_stop() const;  // stops the program; returns when it is to go on
  bool went_on() const;    // once after each stop, this one or one that cannot be refused (SIGSTOP)
};

}  // namespace convlens::cli
