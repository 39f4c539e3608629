#include "tests/support/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace convlens {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    read = ends[0], write = ends[1];
  }
  ~Pipe() { close_read(), close_write(); }
  void close_read() { close_end(read); }
  void close_write() { close_end(write); }

 private:
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

// The command beside the tests, in a build folder as in a bundle for another machine.
const std::string& convlens_path() {
  static const std::string path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "convlens";
  return path;
}

[[noreturn]] void become_convlens(const CommandRun& run, const std::string& interrupt, int out, int err) {
  if (!run.folder.empty() && ::chdir(run.folder.c_str()) != 0) ::_exit(126);
  if (!run.stdout_path.empty()) out = ::open(run.stdout_path.c_str(), O_WRONLY);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::setenv("INTERRUPT", interrupt.c_str(), 1);
  for (const auto& [name, value] : run.environment) ::setenv(name.c_str(), value.c_str(), 1);
  const std::string program = run.program.empty() ? convlens_path() : run.program;
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : run.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::execv(argv.front(), argv.data());
  ::_exit(127);
}

// Appends what can be read; false at the end of the stream.
bool append(int descriptor, std::string& to) {
  std::array<char, 65536> chunk;
  const ssize_t got = ::read(descriptor, chunk.data(), chunk.size());
  if (got > 0) to.append(chunk.data(), static_cast<std::size_t>(got));
  return got > 0;
}

}  // namespace

std::vector<std::string> CommandResult::err_lines() const { return lines_of(err); }
std::vector<std::string> CommandResult::out_lines() const { return lines_of(out); }

CommandResult run_command(const CommandRun& run) {
  using Clock = std::chrono::steady_clock;
  Pipe out, err;
  const TemporaryFolder signs;
  const std::string asked = signs.path() + "/interrupt";
  const auto start = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) become_convlens(run, asked, out.write, err.write);
  out.close_write();
  err.close_write();

  CommandResult result;
  bool interrupted = false;
  while (out.read >= 0 || err.read >= 0) {
    std::array<pollfd, 2> ends{pollfd{out.read, POLLIN, 0}, pollfd{err.read, POLLIN, 0}};
    ::poll(ends.data(), ends.size(), 20);
    if (ends[0].revents != 0 && !append(out.read, result.out)) out.close_read();
    if (ends[1].revents != 0 && !append(err.read, result.err)) err.close_read();
    const auto lines = std::count(result.out.begin(), result.out.end(), '\n');
    if (run.close_stdout_early && lines > 0) out.close_read();
    const bool by_time = run.interrupt_after > 0 && passed() >= run.interrupt_after;
    const bool by_lines = run.interrupt_lines > 0 && lines >= run.interrupt_lines;
    if (!interrupted && (by_time || by_lines || std::filesystem::exists(asked))) {
      interrupted = true;
      ::kill(child, SIGINT);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  result.seconds = passed();
  if (WIFEXITED(status)) result.exit = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

CommandResult convlens_command(const std::vector<std::string>& arguments) {
  return run_command({.arguments = arguments});
}

std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (char c : line) {
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? 0 : c;
      if (!in_word) words.emplace_back();
      in_word = true;
    } else if (c == ' ' && quote == 0) {
      in_word = false;
    } else {
      if (!in_word) words.emplace_back();
      in_word = true;
      words.back() += c;
    }
  }
  return words;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "convlens-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace convlens
