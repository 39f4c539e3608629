// `convlens live` in a terminal: one row an option set, however narrow it is, and Ctrl-D is the end of the keys.
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

// The command in a terminal of so many columns, whose user presses each key a second after the one before.
struct Terminal {
  std::string shown;
  int exit = -1;

  Terminal(unsigned short columns, const std::string& keys) {
    winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    int master = -1;
    const pid_t child = forkpty(&master, nullptr, nullptr, &size);
    REQUIRE(child >= 0);
    if (child == 0) {
      const std::string program = std::string(CONVLENS_BINARY_DIR) + "/convlens";
      execl(program.c_str(), "convlens", "live", "direct.cpu", "1x8x20x20", "--filter", "8x3x3", nullptr);
      _exit(127);
    }
    const auto begin = std::chrono::steady_clock::now();
    std::size_t pressed = 0;
    std::array<char, 4096> some{};
    // A key is pressed when the line of the set before has been measured.
    for (ssize_t count = 0; (count = read(master, some.data(), some.size())) > 0;) {
      shown.append(some.data(), static_cast<std::size_t>(count));
      const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (pressed < keys.size() && passed > 3 + static_cast<double>(pressed))
        CHECK(write(master, &keys[pressed++], 1) == 1);
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
    const Terminal terminal(columns, "1\x04");
    INFO(terminal.shown);
    CHECK(terminal.exit == 0);
    std::size_t lines = 0;
    for (const std::string& row : terminal.rows())
      if (row.starts_with("direct.cpu")) {
        ++lines;
        CHECK(columns_of(row) < columns);
      }
    CHECK(lines > 3);
    CHECK(terminal.shown.find("direct.cpu:simd") != std::string::npos);
    // Only the line of a set that is left moves on to the next row: two, beside that of the keys.
    CHECK(std::count(terminal.shown.begin(), terminal.shown.end(), '\n') == 3);
  }
}
