#include "cli/disassemble.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>
#include <vector>

#include "algorithms/error.h"
#include "cli/command.h"

namespace convlens::cli {

namespace {

namespace fs = std::filesystem;

// A file of bytes that lies in memory and in no folder, for the programs that this one starts. It needs no place to be
// written to, and is gone with the last process that has it open, however that one ends.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes) : descriptor_(::memfd_create("convlens", 0)) {
    while (descriptor_ >= 0 && !bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    if (bytes.empty() && descriptor_ >= 0) return;
    const std::string why = std::strerror(errno);
    close();
    throw Unsupported("--emit: sass, no memory for a file of the machine code (" + why + ")");
  }
  ~MemoryFile() { close(); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // As a program that inherits it opens it.
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  void close() const {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int descriptor_;
};

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// What a shell command prints, if it ends well.
std::string output_of(const std::string& command) {
  const auto close = [](std::FILE* pipe) { ::pclose(pipe); };
  std::unique_ptr<std::FILE, decltype(close)> pipe(::popen(command.c_str(), "r"), close);
  std::string text;
  std::array<char, 65536> chunk;
  while (pipe) {
    const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), pipe.get());
    if (got == 0) break;
    text.append(chunk.data(), got);
  }
  return pipe && ::pclose(pipe.release()) == 0 ? text : "";
}

}  // namespace

std::string toolkit_program(const std::string& name) {
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0')
      folders.push_back(fs::path(value) / "bin");
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    std::istringstream entries(path);
    for (std::string entry; std::getline(entries, entry, ':');)
      if (!entry.empty()) folders.emplace_back(entry);
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const fs::path& folder : folders)
    if (::access((folder / name).c_str(), X_OK) == 0) return (folder / name).string();
  return "";
}

std::string disassemble(std::span<const std::byte> cubin) {
  const std::string nvdisasm = toolkit_program("nvdisasm"), cuobjdump = toolkit_program("cuobjdump");
  if (nvdisasm.empty() && cuobjdump.empty())
    throw Unsupported(
        "--emit: sass, needs nvdisasm or cuobjdump of the CUDA toolkit, and neither is in CUDA_PATH or PATH");
  const MemoryFile file(cubin);
  const std::string tool = nvdisasm.empty() ? quoted(cuobjdump) + " -sass " : quoted(nvdisasm) + " -c ";
  const std::string text = output_of(tool + file.path() + " 2>/dev/null");
  if (interrupted()) throw Finished{Exit::interrupted};
  if (text.empty()) throw Unsupported("--emit: sass, " + (nvdisasm.empty() ? cuobjdump : nvdisasm) + " failed");
  return text;
}

}  // namespace convlens::cli
