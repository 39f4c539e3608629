// A child process that is spoken to by lines, and never waited for.
//
// One socket is the child's stdin and stdout, so that writing to one that is gone is an error and no signal. It leads a
// process group of its own: what ends it ends what it has started, and Ctrl-C in a terminal is not meant for it.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace convlens::worker {

class Child {
 public:
  // Starts a program, the first word, with the others as its arguments. Throws Unsupported when that cannot be done.
  explicit Child(const std::vector<std::string>& words);
  ~Child();  // ends it, with all that it has started
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void write(std::string_view text);      // what cannot be sent now is sent later
  std::vector<std::string> read_lines();  // those that are complete, without their ends

  // Whether it has ended, or closed its stdout, and all of its lines are read.
  bool ended();

  // How it ended, or that it closed its stdout, with the last line that it wrote to stderr: "exit code 3: …".
  std::string how_it_ended() const;

 private:
  void send_waiting();
  void read_errors();

  pid_t id_ = -1;
  int socket_ = -1, errors_ = -1;  // ours
  std::string outgoing_, incoming_, last_error_;
  bool closed_ = false, reaped_ = false;
  int status_ = 0;
};

// What a shell makes of a command line.
std::vector<std::string> shell_words(const std::string& command);

// This program, as a worker of its own.
std::vector<std::string> this_program();

}  // namespace convlens::worker
