#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "cli/command.h"

namespace convlens::cli {

namespace {

// True when all of `text` was written; otherwise errno says why not.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

void print(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) return;
  if (errno == EPIPE) throw Finished{Exit::ok};
  throw BadInput(std::string("stdout: cannot be written (") + std::strerror(errno) + ")");
}

void say(std::string_view line) {
  // Nobody is left to hear that stderr cannot be written.
  (void)write_all(STDERR_FILENO, std::string(line) + "\n");
}

}  // namespace convlens::cli
