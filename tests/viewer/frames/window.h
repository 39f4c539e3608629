// `convlens view` in a window, on an X server of its own that nobody looks at (Xvfb), with real events from pointer and
// keys (xdotool). What comes of them is read from the files that the program writes.
//
// There is no window manager: the keyboard is given to the window by name, and iconifying is done as a window manager
// does it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/viewer/frames/screen.h"
#include "viewer/logic/state.h"

namespace convlens::testing {

// A program that runs beside the test; ended with it.
class Process {
 public:
  // The environment is added to the test's own.
  Process(const std::string& program, const std::vector<std::string>& arguments, const std::string& folder,
          const std::map<std::string, std::string>& environment = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return id_; }
  void signal(int number) const;
  int exit(double seconds);  // its exit code; −1 when a signal ended it, −2 when it has not ended in time
  std::string switches()
      const;  // whether its first thread sleeps, and how often it has begun and ceased to (man 5 proc)
  std::vector<pid_t> children() const;

 private:
  pid_t id_ = -1;
};

// Used so far by a process that there is.
double cpu_seconds(pid_t process);

// Seconds to wait for what comes true soon: the machine may be busy.
inline constexpr double kPatience = 120;

// Asks until the answer is yes; false when it still is no after `seconds`.
bool comes_true(double seconds, const std::function<bool()>& question);

// What a window cannot be opened for on this machine, or "".
std::string why_no_window();

class Window {
 public:
  // Opens the window with what the program would have kept from a session that ended in `first`; 0 × 0: of no given
  // size. `words` are more of the command line, and the environment is added to the session's.
  Window(const viewer::State& first, int width, int height, const std::string& screen = "1600x1200",
         const std::vector<std::string>& words = {}, const std::map<std::string, std::string>& environment = {});

  void point(Point at);
  void click(Point at);
  void drag(Point from, Point to);
  void key(const std::string& keys);  // as xdotool names them: "ctrl+z"
  void resize(int width, int height);
  std::pair<int, int> size();
  void iconify();
  void restore();

  // Opens the dialog by `keys`, and has it write `file` into the session's folder; the file's path.
  std::string write(const std::string& keys, const std::string& file);
  viewer::State state();  // as Ctrl+S saves it

  // Presses keys and lets them go while the program is held, which so sees both at once.
  void key_at_once(const std::string& keys);
  void at_once(const std::vector<std::string>& commands);  // the same for any of xdotool's

  Process& program() { return *program_; }
  Process& server() { return *server_; }
  std::string said() const;                                     // on standard error
  const std::string& folder() const { return folder_.path(); }  // in which the program runs
  std::string kept_file() const { return folder_.path() + "/convlens/state.json"; }

 private:
  void xdotool(const std::vector<std::string>& arguments);
  void type(const std::string& text);
  void settle();  // until the program waits for what comes next, a dialog that it has closed is gone; 3 s at most

  TemporaryFolder folder_;
  std::unique_ptr<Process> server_, program_;
  std::string display_;
  std::string window_;  // X's number of it
};

}  // namespace convlens::testing
