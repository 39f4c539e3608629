#include "cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

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

BadInput cannot_write(const std::string& what) { return BadInput(what + ", cannot be written: " + std::strerror(errno)); }

}  // namespace

void print(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) return;
  if (errno == EPIPE) throw Finished{Exit::ok};
  throw cannot_write("stdout");
}

void say(std::string_view line) {
  // Nobody is left to hear that stderr cannot be written.
  (void)write_all(STDERR_FILENO, std::string(line) + "\n");
}

WholeFile::WholeFile(std::string path) : path_(std::move(path)), temporary_(path_ + ".part-" + std::to_string(::getpid())) {
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw cannot_write("output: " + path_);
}

WholeFile::~WholeFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void WholeFile::write(std::string_view text) {
  if (!write_all(descriptor_, text)) throw cannot_write("output: " + path_);
}

void WholeFile::keep() {
  const bool safe = ::fsync(descriptor_) == 0 || errno == EINVAL;  // EINVAL: not a file that can be synchronised
  if (!safe || std::rename(temporary_.c_str(), path_.c_str()) != 0) throw cannot_write("output: " + path_);
  ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace convlens::cli
