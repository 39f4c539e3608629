#include "viewer/platform/termination.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

namespace convlens::viewer {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr char kOver = 0;  // written by the destructor; a signal writes its own number

// A handler may do no more than write to a pipe; whoever reads it does the rest.
std::array<int, 2> g_pipe{-1, -1};
std::array<struct sigaction, kSignals.size()> g_before{};

// Ctrl-C is told to the program too. After SIGTERM or SIGHUP it ends as it does after its window was closed.
void on_signal(int signal) {
  const int error = errno;
  const char number = static_cast<char>(signal);
  [[maybe_unused]] const ssize_t written = ::write(g_pipe[1], &number, 1);
  for (std::size_t k = 0; k < kSignals.size(); ++k) {
    const auto before = g_before[k].sa_handler;
    if (signal == SIGINT && kSignals[k] == signal && before != SIG_DFL && before != SIG_IGN) before(signal);
  }
  errno = error;
}

}  // namespace

Termination::Termination(std::function<void()> wake) {
  if (::pipe(g_pipe.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  waiting_ = std::thread([this, wake = std::move(wake)] {
    char number = kOver;
    while (::read(g_pipe[0], &number, 1) == 1 && number != kOver) {
      wanted_ = true;
      wake();
    }
  });
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  for (std::size_t k = 0; k < kSignals.size(); ++k) {
    ::sigaction(kSignals[k], nullptr, &g_before[k]);
    if (g_before[k].sa_handler != SIG_IGN) ::sigaction(kSignals[k], &action, nullptr);  // nohup's wish counts
  }
}

Termination::~Termination() {
  for (std::size_t k = 0; k < kSignals.size(); ++k) ::sigaction(kSignals[k], &g_before[k], nullptr);
  [[maybe_unused]] const ssize_t written = ::write(g_pipe[1], &kOver, 1);
  waiting_.join();
  ::close(g_pipe[0]);
  ::close(g_pipe[1]);
}

}  // namespace convlens::viewer
