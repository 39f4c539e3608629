#include "kernels/text.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "algorithms/embedded.h"
#include "algorithms/error.h"
#include "kernels/trace.h"

namespace convlens {
const std::vector<EmbeddedFile>& kernel_files();  // made by the build
}

namespace convlens::gpu {

namespace {

namespace fs = std::filesystem;

// Nothing where there is no such file. Its kind is asked for first: to open a named pipe takes until someone writes.
std::optional<std::string> read(const fs::path& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return std::nullopt;
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The same in the folder that was chosen, where nothing of that name is passed over for what other folders have.
std::optional<std::string> read_chosen(const fs::path& path) {
  std::error_code failed;
  if (fs::symlink_status(path, failed).type() == fs::file_type::not_found) return std::nullopt;
  auto text = read(path);
  if (!text) throw BadInput("CONVLENS_KERNELS: " + path.string() + ", must be a regular file that can be read");
  return text;
}

// The folder that CONVLENS_KERNELS names.
std::optional<fs::path> chosen_folder() {
  const char* chosen = std::getenv("CONVLENS_KERNELS");
  if (chosen == nullptr || *chosen == '\0') return std::nullopt;
  if (std::error_code none; !fs::is_directory(chosen, none))
    throw BadInput("CONVLENS_KERNELS: " + std::string(chosen) + ", must be a folder with the kernels' texts");
  return chosen;
}

// The folders that may hold the texts beside it, in the order in which they are asked.
std::vector<fs::path> folders() {
  std::vector<fs::path> all{CONVLENS_KERNEL_SOURCES};
  std::error_code none;
  if (const fs::path program = fs::read_symlink("/proc/self/exe", none); !none)
    all.push_back(program.parent_path().parent_path() / "share" / "convlens" / "kernels");
  return all;
}

// The name in `#include "name"`, or "" for any other line.
std::string included_name(const std::string& line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line.compare(hash, 8, "#include") != 0) return "";
  const std::size_t open = line.find('"', hash);
  const std::size_t close = open == std::string::npos ? open : line.find('"', open + 1);
  return close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

void check_size(const std::string& file, std::size_t bytes) {
  if (bytes > kMostText)
    throw BadInput("kernel: " + file + ", " + std::to_string(bytes) + " bytes with what it includes, must be ≤ " +
                   std::to_string(kMostText));
}

// The text of one of the kernel's files: what it brings along, or the file.
std::string text_of(const Kernel& kernel, const std::string& file) {
  const auto own = kernel.texts.find(file);
  const std::string text = own == kernel.texts.end() ? kernel_file(file) : own->second;
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos)
    throw BadInput("kernel: " + file + ", byte " + std::to_string(zero) + " is 0, must be text");
  check_size(file, text.size());
  return kernel.traced && file == kernel.file ? with_block_note(text, kernel.entry) : text;
}

// Appends `file` with its includes in place, each file once.
void append(std::string& text, const Kernel& kernel, const std::string& file, std::vector<std::string>& seen) {
  if (std::find(seen.begin(), seen.end(), file) != seen.end()) return;
  seen.push_back(file);
  if (seen.size() > kMostFiles)
    throw BadInput("kernel: " + file + ", file " + std::to_string(seen.size()) + " that " + kernel.file +
                   " includes, must be ≤ " + std::to_string(kMostFiles));
  const auto mark = [&](int line) { text += "#line " + std::to_string(line) + " \"" + file + "\"\n"; };
  std::istringstream lines(text_of(kernel, file));
  int number = 0;
  mark(1);
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (const std::string name = included_name(line); !name.empty()) {
      append(text, kernel, name, seen);
      mark(number + 1);
    } else if (line != "#pragma once") {
      text += line + "\n";
    } else {
      text += "\n";  // the line numbers stay right
    }
  }
  check_size(kernel.file, text.size());
}

std::string prologue(const Kernel& kernel) {
  std::string text =
      "// What the program has decided for this layer: its sizes, and the row's options.\n"
      "#define CONVLENS_CONFIGURED\n"
      "#pragma nv_diag_suppress 177  // not every kernel uses every constant\n"
      "enum Layout { NCHW, NHWC, CHWN };\n"
      "enum FilterLayout { OIHW, OHWI };\n"
      "enum DType { f16, bf16, f32, f64 };\n"
      "struct Sizes {\n";
  for (const Size& size : kernel.sizes)
    text += kernel.sizes_at_run_time
                ? "  int " + size.name + ";\n"
                : "  static constexpr int " + size.name + " = " + std::to_string(size.value) + ";\n";
  text += "};\n";
  text += std::string("constexpr bool sizes_are_constants = ") + (kernel.sizes_at_run_time ? "false" : "true") + ";\n";
  for (const Constant& c : kernel.constants) text += "constexpr " + c.type + " " + c.name + " = " + c.value + ";\n";
  return text;
}

}  // namespace

std::string kernel_file(const std::string& file) {
  if (const fs::path path(file); path.is_absolute() || std::ranges::find(path, "..") != path.end())
    throw BadInput("kernel: " + file + ", must be a file below the folder of the kernels' texts");
  if (const auto chosen = chosen_folder())
    if (auto text = read_chosen(*chosen / file)) return *std::move(text);
  for (const fs::path& folder : folders())
    if (auto text = read(folder / file)) return *std::move(text);
  for (const EmbeddedFile& embedded : kernel_files())
    if (embedded.name == file) return std::string(embedded.text);
  throw BadInput("kernel: " + file + ", no such file in CONVLENS_KERNELS, the sources, or the program");
}

std::string source(const Kernel& kernel) {
  std::string text = prologue(kernel);
  std::vector<std::string> seen;
  if (kernel.traced) append(text, kernel, "common/trace.cuh", seen);
  append(text, kernel, kernel.file, seen);
  return text;
}

NamedFiles places_of_texts(const Kernel& kernel) {
  std::vector<std::string> names = source_files(kernel);
  for (const EmbeddedFile& embedded : kernel_files()) names.emplace_back(embedded.name);
  NamedFiles places;
  const auto add = [&](const char* called, const fs::path& folder) {
    for (const std::string& name : names) places.emplace_back(called, folder / name);
  };
  if (const auto folder = chosen_folder()) add("CONVLENS_KERNELS", *folder);
  for (const fs::path& folder : folders()) add("the kernels' texts", folder);
  return places;
}

std::vector<std::string> source_files(const Kernel& kernel) {
  std::string text;
  std::vector<std::string> files;
  append(text, kernel, kernel.file, files);
  return files;
}

std::vector<std::byte> sizes_parameter(const Kernel& kernel) {
  if (!kernel.sizes_at_run_time) return {std::byte{0}};
  std::vector<std::byte> bytes(kernel.sizes.size() * sizeof(int));
  for (std::size_t k = 0; k < kernel.sizes.size(); ++k) {
    const int value = static_cast<int>(kernel.sizes[k].value);
    std::memcpy(bytes.data() + k * sizeof(int), &value, sizeof value);
  }
  return bytes;
}

}  // namespace convlens::gpu
