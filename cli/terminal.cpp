#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace convlens::cli {

namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// East Asian characters take two columns. They begin at U+2E80, whose first byte is 0xe2; all others with that byte, as
// '…' and '≥', take one.
int columns_of(unsigned char first_byte) { return first_byte > 0xe2 ? 2 : 1; }

}  // namespace

int terminal_columns() {
  constexpr int kUnknown = 80;
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUnknown;
}

std::string in_columns(std::string_view text, int columns) {
  constexpr std::string_view kCut = "…";
  std::string row;
  std::size_t with_cut = 0;  // bytes of `row` that leave a column for the mark
  int taken = 0;
  for (std::size_t from = 0, end = 0; from < text.size(); from = end) {
    for (end = from + 1; end < text.size() && continues(text[end]);) ++end;
    const auto first = static_cast<unsigned char>(text[from]);
    if (taken < columns) with_cut = row.size();
    taken += columns_of(first);
    if (taken > columns) return columns < 1 ? "" : row.substr(0, with_cut).append(kCut);
    row += first < ' ' || first == 0x7f ? "?" : text.substr(from, end - from);
  }
  return row;
}

}  // namespace convlens::cli
