// `convlens live` in a terminal: one row an option set, however narrow it is, Ctrl-D is the end of the keys, and Ctrl-Z
// and `fg` leave the terminal as each wants it.
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

const std::string kLive =
    "'" + std::string(CONVLENS_BINARY_DIR) + "/convlens' live direct.cpu 1x8x20x20 --filter 8x3x3";

// A script of the shell in a terminal of so many columns, whose user presses each key when a rate has been shown since
// the one before, and for a second.
struct Terminal {
  std::string shown;
  int exit = -1;

  Terminal(unsigned short columns, const std::vector<std::string>& keys, const std::string& script = "exec " + kLive) {
    winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    int master = -1;
    const pid_t child = forkpty(&master, nullptr, nullptr, &size);
    REQUIRE(child >= 0);
    if (child == 0) {
      execl("/bin/bash", "bash", "-c", script.c_str(), nullptr);
      _exit(127);
    }
    const auto begin = std::chrono::steady_clock::now();
    std::size_t pressed = 0, seen = 0;
    double rated = -1;  // when the first rate came since a key was pressed
    std::array<char, 4096> some{};
    for (ssize_t count = 0; (count = read(master, some.data(), some.size())) > 0;) {
      shown.append(some.data(), static_cast<std::size_t>(count));
      const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (rated < 0 && shown.find("FLOPS", seen) != std::string::npos) rated = passed;
      if (pressed < keys.size() && rated >= 0 && passed > rated + 1) {
        const std::string& key = keys[pressed++];
        seen = shown.size(), rated = -1;
        CHECK(write(master, key.data(), key.size()) == static_cast<ssize_t>(key.size()));
      }
      if (passed > 40) kill(child, SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    close(master);
    if (WIFEXITED(status)) exit = WEXITSTATUS(status);
  }

  // What was written between two moves of the cursor to the beginning of a row, with what erases left out.
  std::vector<std::string> rows() const {
    std::vector<std::string> rows(1);
    for (std::size_t at = 0; at < shown.size(); ++at) {
      if (shown.compare(at, 3, "\033[K") == 0)
        at += 2;
      else if (shown[at] == '\r' || shown[at] == '\n')
        rows.emplace_back();
      else
        rows.back() += shown[at];
    }
    return rows;
  }
};

// Where there is no /dev/pts, as in a bare chroot, there are no terminals either.
bool has_terminals() {
  const int one = posix_openpt(O_RDWR | O_NOCTTY);
  const bool has = one >= 0 && grantpt(one) == 0 && unlockpt(one) == 0 && access(ptsname(one), R_OK | W_OK) == 0;
  if (one >= 0) close(one);
  if (!has) std::cout << "SKIP: no pseudo-terminals here: /dev/pts is not mounted\n";
  return has;
}

int columns_of(const std::string& row) {
  int columns = 0;
  for (const char c : row) columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return columns;
}

}  // namespace

TEST_CASE("in a terminal each option set has one row, at any width") {
  if (!has_terminals()) return;
  for (const unsigned short columns : {80, 20}) {
    INFO(columns);
    const Terminal terminal(columns, {"1", "\x04"});
    INFO(terminal.shown);
    CHECK(terminal.exit == 0);
    std::size_t lines = 0, rates = 0, left = 0;
    for (const std::string& row : terminal.rows())
      if (row.starts_with("direct.cpu") && row.ends_with("s)")) {
        ++left;  // whole, though it wraps
      } else if (row.starts_with("direc")) {
        ++lines;
        rates += row.find("FLOPS") != std::string::npos ? 1 : 0;
        CHECK(columns_of(row) < columns);
      }
    CHECK(lines > 3);
    CHECK(rates > 1);
    CHECK(left == 2);
    CHECK(terminal.shown.find("direct.cpu:simd") != std::string::npos);
    // Only the line of a set that is left moves on to the next row: two, beside that of the keys.
    CHECK(std::count(terminal.shown.begin(), terminal.shown.end(), '\n') == 3);
  }
}

TEST_CASE("Ctrl-Z gives the terminal back as it was, and fg takes it again") {
  if (!has_terminals()) return;
  const std::string echo = "stty -a | grep -qw -e '-icanon' || echo LINES";
  const Terminal terminal(80, {"\x1a", "1", "q"}, "set -m; " + kLive + "; " + echo + "; fg; echo it was $?; " + echo);
  INFO(terminal.shown);
  CHECK(terminal.shown.find("it was 0") != std::string::npos);
  CHECK(terminal.shown.find("direct.cpu:simd=off") != std::string::npos);
  CHECK(terminal.shown.find("has not answered") == std::string::npos);
  const std::vector<std::string> rows = terminal.rows();
  CHECK(std::ranges::count(rows, "LINES") == 2);
}

TEST_CASE("who is stopped and then told to end does so in the background") {
  if (!has_terminals()) return;
  const std::string end = "id=$(jobs -p); kill %1; sleep 3; kill -0 $id 2>/dev/null || echo it is gone";
  const Terminal terminal(80, {"\x1a"}, "set -m; " + kLive + "; " + end);
  INFO(terminal.shown);
  CHECK(terminal.shown.find("it is gone") != std::string::npos);
}

TEST_CASE("keys that send a sequence flip nothing and are no errors") {
  if (!has_terminals()) return;
  const std::vector<std::string> keys{"\x1b[15~", "\x1b[3~", "\x1b[A", "\x1bOP", "\x1b[[A", "\x1b", "\x1b[1;5C", "q"};
  const Terminal terminal(80, keys);
  INFO(terminal.shown);
  CHECK(terminal.exit == 0);
  CHECK(terminal.shown.find("key: ") == std::string::npos);
  CHECK(terminal.shown.find("direct.cpu:") == std::string::npos);
}
