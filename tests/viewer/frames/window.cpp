#include "tests/viewer/frames/window.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/catch.h"
#include "tests/viewer/frames/window_manager.h"

namespace convlens::testing {

namespace {

// The program of that name on PATH, or "".
std::string on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string file = folder + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

std::string first_line(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  return std::getline(stream, line) && stream ? line : "";
}

void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace

bool comes_true(double seconds, const std::function<bool()>& question) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!question()) {
    if (Clock::now() > end) return false;
    wait(0.02);
  }
  return true;
}

Process::Process(const std::string& program, const std::vector<std::string>& arguments, const std::string& folder,
                 const std::map<std::string, std::string>& environment) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  id_ = ::fork();
  if (id_ < 0) throw std::runtime_error("fork");
  if (id_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  ::execv(argv.front(), argv.data());
  ::_exit(127);
}

Process::~Process() {
  if (id_ < 0) return;
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
}

void Process::signal(int number) const { ::kill(id_, number); }

int Process::exit(double seconds) {
  int status = 0;
  if (!comes_true(seconds, [&] { return ::waitpid(id_, &status, WNOHANG) == id_; })) return -2;
  id_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

double cpu_seconds(pid_t process) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(stream, text);
  std::istringstream fields(text.substr(text.rfind(')') + 2));  // after the name, from field 3 on (man 5 proc)
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::string Process::switches() const {
  std::ifstream stream("/proc/" + std::to_string(id_) + "/status");
  std::string counts;
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("State:") || line.find("voluntary_ctxt_switches:") != std::string::npos) counts += line + "\n";
  return counts;
}

std::vector<pid_t> Process::children() const {
  std::ifstream stream("/proc/" + std::to_string(id_) + "/task/" + std::to_string(id_) + "/children");
  return {std::istream_iterator<pid_t>(stream), std::istream_iterator<pid_t>()};
}

std::string why_no_window() {
  for (const char* program : {"Xvfb", "xdotool"})
    if (on_path(program).empty()) return std::string("no ") + program + " here";
  return "";
}

Window::Window(const viewer::State& first, int width, int height, const std::string& screen,
               const std::vector<std::string>& words, const std::map<std::string, std::string>& environment) {
  const std::string number = folder_.path() + "/display";
  // Xvfb looks for a free display, and writes its number once it can be used. It must not begin anew when its last
  // client leaves (-noreset): that is xdotool, looking for a window, as long as the program has not connected, and what
  // connects meanwhile is thrown out.
  server_ = std::make_unique<Process>(
      "/bin/sh",
      std::vector<std::string>{
          "-c", "exec \"$0\" -displayfd 9 -screen 0 \"$2\"x24 -noreset -nolisten tcp 9> \"$1\" 2> /dev/null",
          on_path("Xvfb"), number, screen},
      folder_.path());
  if (!comes_true(kPatience, [&] { return !first_line(number).empty(); })) FAIL("Xvfb does not start");
  display_ = ":" + first_line(number);

  viewer::write_kept_state(first, kept_file());
  const std::string convlens = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "convlens";
  std::vector<std::string> arguments{"-c", "exec \"$0\" \"$@\" 2> said", convlens, "view"};
  if (width > 0) arguments.insert(arguments.end(), {"--size", std::to_string(width) + "x" + std::to_string(height)});
  arguments.insert(arguments.end(), words.begin(), words.end());
  std::map<std::string, std::string> all = environment;
  all.insert({{"DISPLAY", display_}, {"WAYLAND_DISPLAY", ""}, {"XDG_CONFIG_HOME", folder_.path()}});
  program_ = std::make_unique<Process>("/bin/sh", arguments, folder_.path(), all);
  const bool found = comes_true(kPatience, [&] {
    const CommandResult result = run_command({.arguments = {"search", "--onlyvisible", "--name", "^Convlens$"},
                                              .environment = {{"DISPLAY", display_}},
                                              .program = on_path("xdotool")});
    if (result.exit == 0 && !result.out_lines().empty()) window_ = result.out_lines().front();
    return !window_.empty();
  });
  if (!found) FAIL("no window comes up");
  xdotool({"windowfocus", "--sync", window_});
}

void Window::xdotool(const std::vector<std::string>& arguments) {
  const CommandResult result =
      run_command({.arguments = arguments, .environment = {{"DISPLAY", display_}}, .program = on_path("xdotool")});
  INFO(result.err);
  REQUIRE(result.exit == 0);
}

void Window::point(Point at) {
  xdotool({"mousemove", "--window", window_, std::to_string(std::lround(at.x)), std::to_string(std::lround(at.y))});
  wait(0.1);
}

void Window::click(Point at) {
  point(at);
  xdotool({"click", "1"});
  wait(0.1);
}

void Window::drag(Point from, Point to) {
  point(from);
  xdotool({"mousedown", "1"});
  constexpr int kMoves = 5;
  for (int k = 1; k <= kMoves; ++k) {
    const float part = static_cast<float>(k) / kMoves;
    point({from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part});
  }
  xdotool({"mouseup", "1"});
  wait(0.1);
}

void Window::key(const std::string& keys) {
  xdotool({"key", keys});
  wait(0.1);
}

void Window::key_at_once(const std::string& keys) { at_once({"key", keys}); }

void Window::at_once(const std::vector<std::string>& commands) {
  program_->signal(SIGSTOP);
  xdotool(commands);
  program_->signal(SIGCONT);
  wait(0.1);
}

void Window::type(const std::string& text) { xdotool({"type", "--delay", "2", text}); }

void Window::resize(int width, int height) {
  xdotool({"windowsize", "--sync", window_, std::to_string(width), std::to_string(height)});
}

std::pair<int, int> Window::size() {
  const CommandResult result = run_command({.arguments = {"getwindowgeometry", "--shell", window_},
                                            .environment = {{"DISPLAY", display_}},
                                            .program = on_path("xdotool")});
  std::pair<int, int> size{0, 0};
  for (const std::string& line : result.out_lines()) {
    if (line.starts_with("WIDTH=")) size.first = std::stoi(line.substr(6));
    if (line.starts_with("HEIGHT=")) size.second = std::stoi(line.substr(7));
  }
  return size;
}

std::string Window::said() const {
  std::ifstream stream(folder_.path() + "/said");
  return {std::istreambuf_iterator<char>(stream), {}};
}

void Window::iconify() { set_iconic(display_, std::stoul(window_), true); }

void Window::restore() {
  set_iconic(display_, std::stoul(window_), false);
  xdotool({"windowfocus", "--sync", window_});
}

void Window::settle() {
  comes_true(3, [&] {
    const std::string before = program_->switches();
    wait(0.15);  // longer than the loop sleeps between frames
    return before.find("S (sleeping)") != std::string::npos && program_->switches() == before;
  });
}

std::string Window::write(const std::string& keys, const std::string& name) {
  const std::string file = folder_.path() + "/" + name;
  std::filesystem::remove(file);
  // What is typed before the dialog is there is lost: where nothing is written, more slowly once more.
  for (double pause = 0.2; pause < 30; pause *= 2) {
    key(keys);
    wait(pause);
    key("ctrl+a");
    type(file);
    wait(pause);
    key("Return");
    if (comes_true(2 * pause, [&] { return std::filesystem::exists(file); })) return settle(), file;
    key("Escape");
    key("Escape");
  }
  FAIL(keys << " writes no " << name);
  return "";
}

viewer::State Window::state() { return viewer::read_state(write("ctrl+s", "asked.json")); }

}  // namespace convlens::testing
