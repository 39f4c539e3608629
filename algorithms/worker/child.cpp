#include "algorithms/worker/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "algorithms/error.h"

extern char** environ;

namespace convlens::worker {

namespace {

// What a child does between being forked and being its program.
struct Actions {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  Actions(int socket, int errors) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, socket, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    // It must not inherit what this program ignores or blocks.
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&usual, signal);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Actions() {
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
  }
};

}  // namespace

Child::Child(const std::vector<std::string>& words) {
  std::array<int, 2> sockets{}, pipe{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    throw Unsupported("worker: no socket (" + std::string(std::strerror(errno)) + ")");
  if (pipe2(pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    close(sockets[0]), close(sockets[1]);
    throw Unsupported("worker: no pipe (" + std::string(std::strerror(errno)) + ")");
  }
  socket_ = sockets[0], errors_ = pipe[0];
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const Actions actions(sockets[1], pipe[1]);
  const int failure =
      posix_spawnp(&id_, arguments.front(), &actions.files, &actions.attributes, arguments.data(), environ);
  close(sockets[1]), close(pipe[1]);
  if (failure == 0) return;
  close(socket_), close(errors_);
  throw Unsupported("worker: " + words.front() + ", cannot be started (" + std::strerror(failure) + ")");
}

Child::~Child() {
  close(socket_), close(errors_);
  if (!reaped_) {
    kill(-id_, SIGKILL);
    waitpid(id_, &status_, 0);
  }
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
  std::array<char, 4096> some{};
  std::string text;
  for (ssize_t count = 0; (count = read(errors_, some.data(), some.size())) > 0;)
    text.append(some.data(), static_cast<std::size_t>(count));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (!text.empty()) last_error_ = text.substr(text.find_last_of('\n') + 1);
}

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
  return lines;
}

bool Child::ended() {
  if (!reaped_ && waitpid(id_, &status_, WNOHANG) == id_) reaped_ = true;
  if (closed_) read_errors();
  return closed_;
}

std::string Child::how_it_ended() const {
  std::string how = "closed its output";
  if (reaped_ && WIFEXITED(status_)) how = "ended with exit code " + std::to_string(WEXITSTATUS(status_));
  if (reaped_ && WIFSIGNALED(status_)) how = "was ended by signal " + std::to_string(WTERMSIG(status_));
  return how + (last_error_.empty() ? "" : ": " + last_error_);
}

std::vector<std::string> shell_words(const std::string& command) { return {"/bin/sh", "-c", command}; }

std::vector<std::string> this_program() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return {length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "convlens", "worker"};
}

}  // namespace convlens::worker
