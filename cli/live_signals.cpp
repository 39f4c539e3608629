#include "cli/live_signals.h"

#include <csignal>

#include "cli/command.h"

namespace convlens::cli {

namespace {

volatile std::sig_atomic_t g_end = 0, g_stop = 0, g_went_on = 0;

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

// What whoever started the program has it ignore is ignored, as nohup does with SIGHUP.
void handle_unless_ignored(int signal, void (*handler)(int), int flags) {
  if (!is_ignored(signal)) handle(signal, handler, flags);
}

void handle_stop() {
  handle_unless_ignored(
      SIGTSTP, [](int) { g_stop = 1; }, 0);
}

}  // namespace

LiveSignals::LiveSignals() {
  for (const int signal : {SIGTERM, SIGHUP})
    handle_unless_ignored(
        signal, [](int which) { g_end = which; }, static_cast<int>(SA_RESETHAND));
  handle_stop();
  handle(
      SIGCONT, [](int) { g_went_on = 1; }, SA_RESTART);
}

bool LiveSignals::ending() const { return interrupted() || g_end != 0; }
bool LiveSignals::stopping() const { return g_stop != 0; }

void LiveSignals::obey_end() {
  if (g_end == 0) return;
  std::signal(g_end, SIG_DFL);
  std::raise(g_end);
}

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
