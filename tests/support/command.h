// Runs the built `convlens` as a user would, and keeps what it wrote to stdout and stderr and how it ended.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace convlens {

struct CommandResult {
  std::string out, err;
  int exit = -1;  // −1: ended by a signal
  int signal = 0;
  double seconds = 0;

  // The lines of `err`, and of `out`, without their ends.
  std::vector<std::string> err_lines() const;
  std::vector<std::string> out_lines() const;
};

struct CommandRun {
  std::vector<std::string> arguments;                   // without the program's name
  std::map<std::string, std::string> environment = {};  // added to the test's own
  std::string folder = "";                              // to run in; the test's own when empty
  double interrupt_after = 0;                           // seconds until Ctrl-C is sent; 0: never
  int interrupt_lines = 0;                              // Ctrl-C is sent when stdout has so many lines; 0: never
  bool close_stdout_early = false;                      // read one line of stdout, then close the pipe
  std::string program = "";                             // a copy of the command; the built one when empty
  std::string stdout_path = "";                         // where stdout goes instead of a pipe, as in "/dev/full"
};

// Ctrl-C is sent too when a file appears that $INTERRUPT names: a script that plays a worker knows best when it is time.
CommandResult run_command(const CommandRun& run);
CommandResult convlens_command(const std::vector<std::string>& arguments);

// One line as a shell takes it apart: words, with '…' and "…" kept together.
std::vector<std::string> shell_words(const std::string& line);

// A new empty folder under the system's temporary one, gone with its contents when the object dies.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace convlens
