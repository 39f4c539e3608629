#include "cli/live_signals.h"

#include <csignal>

#include "cli/signals.h"

namespace convlens::cli {

namespace {

volatile std::sig_atomic_t g_stop = 0, g_went_on = 0;

void handle_stop() {
  handle_unless_ignored(
      SIGTSTP, [](int) { g_stop = 1; }, 0);
}

}  // namespace

LiveSignals::LiveSignals() {
  handle_stop();
  handle(
      SIGCONT, [](int) { g_went_on = 1; }, SA_RESTART);
}

bool LiveSignals::stopping() const { return g_stop != 0; }

void LiveSignals::obey_stop() const {
  std::signal(SIGTSTP, SIG_DFL);
  std::raise(SIGTSTP);
  g_stop = 0;
  handle_stop();
}

bool LiveSignals::went_on() const {
  if (g_went_on == 0) return false;
  g_went_on = 0;
  return true;
}

}  // namespace convlens::cli
