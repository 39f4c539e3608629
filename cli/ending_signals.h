// SIGTERM and SIGHUP while a run is live: its line is left as it stands, as it is with Ctrl-C, and only then the program
// ends by that signal.
#pragma once

#include <csignal>

namespace convlens::cli {

// While one lives (one at a time), these signals are kept for `obey`; those that were ignored still are.
class EndingSignals {
 public:
  EndingSignals() {
    struct sigaction action {};
    action.sa_handler = [](int signal) { g_signal = signal; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : {SIGTERM, SIGHUP})
      if (std::signal(signal, SIG_DFL) == SIG_IGN)
        std::signal(signal, SIG_IGN);  // nohup's wish counts
      else
        sigaction(signal, &action, nullptr);
  }
  static bool any() { return g_signal != 0; }
  static void obey() {
    if (!any()) return;
    std::signal(g_signal, SIG_DFL);
    std::raise(g_signal);
  }

 private:
  static inline volatile std::sig_atomic_t g_signal = 0;
};

}  // namespace convlens::cli
