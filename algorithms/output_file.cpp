#include "algorithms/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "algorithms/error.h"

namespace convlens {

namespace fs = std::filesystem;

namespace {

// Where the bytes of `path` really go: symbolic links are followed even when the file they name does not exist yet.
fs::path behind_links(fs::path path) {
  constexpr int kMostLinks = 40;  // as the kernel has it
  std::error_code ignored;
  for (int link = 0; link < kMostLinks && fs::is_symlink(path, ignored); ++link) {
    const fs::path next = fs::read_symlink(path, ignored);
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

// The permissions that open() would give a new file.
mode_t new_file_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

OutputFile::OutputFile(const fs::path& target, std::string parameter)
    : parameter_(std::move(parameter)), asked_(target.string()), target_(behind_links(target)) {
  refuse_stream(target, parameter_);
  struct stat old {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) throw BadInput(parameter_ + ": " + asked_ + ", is a folder, must be a file");
  if (exists && !S_ISREG(old.st_mode)) throw BadInput(parameter_ + ": " + asked_ + ", must be a regular file");
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail("cannot be written");

  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  temporary_ = (folder / ".convlens-XXXXXX").string();
  file_ = ::mkstemp(temporary_.data());
  if (file_ < 0) {
    temporary_.clear();
    fail("cannot be written");
  }
  ::fchmod(file_, exists ? old.st_mode & 07777 : new_file_mode());
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  if (::fsync(file_) != 0) fail("cannot be written");
  const int closed = ::close(file_);
  file_ = -1;
  if (closed != 0) fail("cannot be written");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be replaced");
  temporary_.clear();
}

void OutputFile::fail(const char* what) const {
  throw BadInput(parameter_ + ": " + asked_ + ", " + what + " (" + std::strerror(errno) + ")");
}

void refuse_stream(const fs::path& path, const std::string& parameter) {
  if (is_stream(path)) throw BadInput(parameter + ": " + path.string() + ", must be a file");
}

void refuse_same_file(const NamedFiles& written, const NamedFiles& read) {
  std::map<fs::path, std::string> names;  // by the file
  const auto add = [&](const std::string& name, const fs::path& file) {
    std::error_code none;
    return names.emplace(fs::weakly_canonical(fs::absolute(behind_links(file), none), none), name);
  };
  for (const auto& [name, file] : read)
    if (!file.empty()) add(name, is_stream(file) ? "/dev/stdin" : file);
  for (const auto& [name, file] : written) {
    if (file.empty() || is_stream(file)) continue;
    if (const auto [other, is_new] = add(name, file); !is_new)
      throw BadInput(name + ": " + file.string() + ", must be another file than that of " + other->second);
  }
}

std::string small_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return extension;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (std::error_code none; error || !fs::is_directory(folder, none))
    throw BadInput("--output: " + folder.string() + ", must be a folder" + (error ? " (" + error.message() + ")" : ""));
}

}  // namespace convlens
