#include "cli/disassemble.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "algorithms/error.h"

namespace convlens::cli {

namespace {

namespace fs = std::filesystem;

// A file of the system's temporary folder, gone when the object dies.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::byte> bytes)
      : path_((fs::temp_directory_path() / "convlens-XXXXXX").string()) {
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) throw BadInput(path_ + ": cannot be written");
    ::close(descriptor);
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) throw BadInput(path_ + ": cannot be written");
  }
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
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
  const TemporaryFile file(cubin);
  const std::string tool = nvdisasm.empty() ? quoted(cuobjdump) + " -sass " : quoted(nvdisasm) + " -c ";
  const std::string text = output_of(tool + quoted(file.path()) + " 2>/dev/null");
  if (text.empty()) throw Unsupported("--emit: sass, " + (nvdisasm.empty() ? cuobjdump : nvdisasm) + " failed");
  return text;
}

}  // namespace convlens::cli
