#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "cli/output.h"
#include "cli/table.h"

namespace convlens::cli {

namespace {

constexpr std::chrono::seconds kSilent{1};
constexpr std::chrono::milliseconds kTerminalPeriod{100};
constexpr std::chrono::seconds kLinePeriod{5};
constexpr std::string_view kEraseLine = "\r\x1b[K";

// As much of `line` as one row of the terminal holds: of a line that wraps, only the last row could be taken away
// again.
std::string fitted(std::string line) {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  const std::size_t columns = known ? size.ws_col - 1u : 79u;
  while (width(line) > columns) line.pop_back();  // ends with the first byte of a character: none stays in half
  return line;
}

double seconds(std::chrono::steady_clock::duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

Progress::Progress(std::string what, std::int64_t total)
    : what_(std::move(what)), total_(total), terminal_(::isatty(STDERR_FILENO) == 1) {}

bool Progress::due() const {
  const Clock::time_point now = Clock::now();
  if (now - start_ < kSilent) return false;
  return terminal_ ? !drawn_ || now - last_ >= kTerminalPeriod : now - last_ >= kLinePeriod;
}

void Progress::show(std::int64_t done, const std::string& now) {
  if (!due()) return;
  std::string line = what_ + ": " + std::to_string(done) + " of " + std::to_string(total_);
  if (done > 0) {
    const double each = seconds(Clock::now() - start_) / static_cast<double>(done);
    line += ", " + duration_text(each * static_cast<double>(total_ - done)) + " left";
  }
  write(line + (now.empty() ? "" : ", now " + now));
}

void Progress::show_time(double fraction, const std::string& now) {
  if (!due() || fraction <= 0) return;
  const double left = seconds(Clock::now() - start_) * (1 - fraction) / fraction;
  write(what_ + ": " + now + ", " + duration_text(std::max(0.0, left)) + " left");
}

void Progress::write(const std::string& line) {
  last_ = Clock::now();
  if (!terminal_) return say(line);
  drawn_ = true;
  const std::string text = std::string(kEraseLine) + fitted(line);
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

void Progress::clear() {
  if (!drawn_) return;
  drawn_ = false;
  (void)!::write(STDERR_FILENO, kEraseLine.data(), kEraseLine.size());
}

}  // namespace convlens::cli
