#include "algorithms/worker/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "algorithms/error.h"

namespace convlens::worker {

namespace {

// From being forked to being its program: nothing here may allocate, for another thread may have been at that when the
// process was copied. Writes to `failure` what stands against it, and does not return.
[[noreturn]] void become(char* const* arguments, int socket, int errors, int failure, pid_t parent) {
  // It must not inherit what this program ignores or blocks.
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE);  // it was faster
  dup2(socket, STDIN_FILENO), dup2(socket, STDOUT_FILENO), dup2(errors, STDERR_FILENO);
  execvp(arguments[0], arguments);
  const int error = errno;
  static_cast<void>(!write(failure, &error, sizeof error));
  _exit(EXIT_FAILURE);
}

[[noreturn]] void refuse_start(const std::string& program, const std::string& what, int error) {
  throw Unsupported(program + ", cannot be started (" + what + std::strerror(error) + ")");
}

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe(int flags, const std::string& program) {
    if (pipe2(ends.data(), O_CLOEXEC | flags) != 0) refuse_start(program, "no pipe: ", errno);
  }
  ~Pipe() {
    for (const int end : ends)
      if (end >= 0) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int take_reading() { return std::exchange(ends[0], -1); }
};

}  // namespace

Child::Child(const std::vector<std::string>& words, std::size_t most_line) : most_line_(most_line) {
  const std::string& program = words.front();
  Pipe errors(O_NONBLOCK, program), failure(0, program);
  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    refuse_start(program, "no socket: ", errno);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  id_ = fork();
  int why = errno;
  if (id_ == 0) become(arguments.data(), sockets[1], errors.ends[1], failure.ends[1], parent);
  close(sockets[1]), close(std::exchange(failure.ends[1], -1));
  // The end of this pipe comes when the program is there.
  const bool failed = id_ < 0 || read(failure.ends[0], &why, sizeof why) == sizeof why;
  if (!failed) {
    socket_ = sockets[0], errors_ = errors.take_reading();
    return;
  }
  close(sockets[0]);
  if (id_ > 0) waitpid(id_, nullptr, 0);
  refuse_start(program, "", why);
}

Child::~Child() {
  close(socket_), close(errors_);
  kill(-id_, SIGKILL);  // a group's number stays its own until its leader is waited for, so not before
  waitpid(id_, nullptr, 0);
}

void Child::write(std::string_view text) {
  outgoing_ += text;
  send_waiting();
}

void Child::send_waiting() {
  while (!outgoing_.empty() && !closed_) {
    const ssize_t sent = send(socket_, outgoing_.data(), outgoing_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;  // later; that it is gone is seen when it is read from
    outgoing_.erase(0, static_cast<std::size_t>(sent));
  }
}

void Child::read_errors() {
  std::array<char, 1 << 14> some{};  // a flood is read in pieces
  const ssize_t count = read(errors_, some.data(), some.size());
  if (count <= 0) return;
  error_text_.append(some.data(), static_cast<std::size_t>(count));
  const std::size_t last = error_text_.find_last_not_of("\r\n");
  if (last == std::string::npos) return;
  const std::size_t before = error_text_.find_last_of('\n', last);
  if (before != std::string::npos) error_text_.erase(0, before + 1);
  constexpr std::size_t kMostOfLine = 1000;
  error_text_.erase(0, error_text_.size() - std::min(error_text_.size(), kMostOfLine));
}

std::string Child::last_error() const { return error_text_.substr(0, error_text_.find_last_not_of("\r\n") + 1); }

std::vector<std::string> Child::read_lines() {
  send_waiting();
  read_errors();
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 18;  // a flood is read in pieces
  std::array<char, 1 << 16> some{};
  for (std::size_t taken = 0; !closed_ && taken < kMostAtOnce;) {
    const ssize_t count = recv(socket_, some.data(), some.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count <= 0) {
      closed_ = true;
      break;
    }
    incoming_.append(some.data(), static_cast<std::size_t>(count));
    taken += static_cast<std::size_t>(count);
  }
  std::vector<std::string> lines;
  std::size_t from = 0;
  for (std::size_t end = 0; (end = incoming_.find('\n', from)) != std::string::npos; from = end + 1)
    lines.push_back(incoming_.substr(from, end - from));
  incoming_.erase(0, from);
  if (incoming_.size() > most_line_) closed_ = endless_line_ = true;
  return lines;
}

void Child::wait(int milliseconds) const {
  pollfd input{socket_, static_cast<short>(outgoing_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
  poll(&input, 1, milliseconds);
}

bool Child::ended() {
  // Who ends closes the socket a little before.
  constexpr int kLooks = 20, kLook = 5000;  // µs
  for (int look = 0; look < kLooks && ending_.si_pid == 0; ++look) {
    waitid(P_PID, static_cast<id_t>(id_), &ending_, WEXITED | WNOHANG | WNOWAIT);
    if (!closed_) return false;
    if (ending_.si_pid == 0) usleep(kLook);
  }
  read_errors();
  return closed_;
}

std::string Child::how_it_ended() const {
  if (endless_line_) return "has written a line of more than " + std::to_string(most_line_) + " bytes";
  std::string how = "closed its output";
  if (ending_.si_pid != 0)
    how = (signal() ? "was ended by signal " : "ended with exit code ") + std::to_string(ending_.si_status);
  return how + (last_error().empty() ? "" : ": " + last_error());
}

std::optional<int> Child::signal() const {
  return ending_.si_pid != 0 && ending_.si_code != CLD_EXITED ? std::optional(ending_.si_status) : std::nullopt;
}

std::vector<std::string> shell_words(const std::string& command) { return {"/bin/sh", "-c", command}; }

std::vector<std::string> this_program() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return {length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "convlens", "worker"};
}

}  // namespace convlens::worker
