// A child process that is spoken to by lines, and never waited for.
//
// One socket is the child's stdin and stdout, so that writing to one that is gone is an error and no signal. It leads a
// session of its own: what ends it ends what it has started, Ctrl-C in a terminal is not meant for it, and it cannot
// ask for a password there. It is killed when the thread that has started it ends, in whatever way, even where it is
// stopped.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convlens::worker {

class Child {
 public:
  // Starts a program, the first word, with the others as its arguments. Throws Unsupported when that cannot be done.
  // A line of more than `most_line` bytes ends it.
  explicit Child(const std::vector<std::string>& words, std::size_t most_line = kMostLine);
  ~Child();  // ends it, with all that it has started
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void write(std::string_view text);      // what cannot be sent now is sent later
  std::vector<std::string> read_lines();  // those that are complete, without their ends
  void wait(int milliseconds) const;      // until there is something to read, or so long

  // What it has written since its last complete line.
  const std::string& begun_line() const { return incoming_; }

  // The last line that it has written to stderr, ended or not; "" for none.
  std::string last_error() const;

  // Whether it has ended, or closed its stdout, and all of its lines are read.
  bool ended();

  // How it ended, or that it closed its stdout, with the last line that it wrote to stderr: "exit code 3: …".
  std::string how_it_ended() const;
  std::optional<int> signal() const;  // that has ended it, if one has

  static constexpr std::size_t kMostLine = std::size_t{64} << 20;  // the trace of a grid of a million blocks is shorter

 private:
  void send_waiting();
  void read_errors();

  pid_t id_ = -1;
  int socket_ = -1, errors_ = -1;                 // ours
  std::string outgoing_, incoming_, error_text_;  // error_text_: the end of its stderr, from the last line on
  std::size_t most_line_;
  bool closed_ = false, endless_line_ = false;
  siginfo_t ending_{};  // si_pid: 0 before it has ended
};

// What a shell makes of a command line.
std::vector<std::string> shell_words(const std::string& command);

// This program, as a worker of its own.
std::vector<std::string> this_program();

}  // namespace convlens::worker
