#include "cli/signals.h"

#include <time.h>

#include <cerrno>
#include <csignal>

#include "cli/command.h"

namespace convlens::cli {

namespace {

volatile std::sig_atomic_t g_signal = 0;  // the first that has come
volatile std::sig_atomic_t g_since = 0;   // when, in seconds of some clock

void on_signal(int signal) {
  const int error = errno;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto seconds = static_cast<std::sig_atomic_t>(now.tv_sec);
  if (g_signal == 0) {
    g_signal = signal;
    g_since = seconds;
  } else if (signal != SIGINT && seconds > g_since + 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  errno = error;
}

}  // namespace

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

void handle_unless_ignored(int signal, void (*handler)(int), int flags) {
  struct sigaction now {};
  const bool ignored = sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
  if (!ignored) handle(signal, handler, flags);
}

void hear_end_signals() {
  handle(SIGINT, on_signal, static_cast<int>(SA_RESETHAND));
  for (const int signal : {SIGTERM, SIGHUP}) handle_unless_ignored(signal, on_signal, 0);
}

bool interrupted() { return g_signal != 0; }

int ended(Exit exit) {
  const int signal = g_signal;
  if (signal == 0) return static_cast<int>(exit);
  if (signal != SIGINT) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  return static_cast<int>(Exit::interrupted);
}

}  // namespace convlens::cli
