#include "kernels/cache_entry.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

namespace convlens::gpu {

namespace fs = std::filesystem;

namespace {

// Of a link itself, not of what it leads to.
fs::file_type type_of(const fs::path& path) {
  std::error_code unknown;
  return fs::symlink_status(path, unknown).type();
}

constexpr std::array<std::string_view, 4> kFiles{"kernel.cu", "kernel.cubin", "kernel.ptx", "facts.json"};
constexpr std::string_view kAside = ".convlens-";

bool is_of(std::string_view name, std::string_view characters) {
  return !name.empty() && name.find_first_not_of(characters) == std::string_view::npos;
}

}  // namespace

std::vector<fs::path> paths_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code failed;
  for (fs::directory_iterator next(folder, failed); !failed && next != fs::directory_iterator(); next.increment(failed))
    paths.push_back(next->path());
  return paths;
}

bool is_entry_name(std::string_view name) { return name.size() == 32 && is_of(name, "0123456789abcdef"); }

bool is_name_aside(std::string_view name) {
  if (name.substr(0, kAside.size()) != kAside) return false;
  const std::size_t dash = name.find('-', kAside.size());
  constexpr std::string_view kDigits = "0123456789";
  return dash != std::string_view::npos && is_of(name.substr(kAside.size(), dash - kAside.size()), kDigits) &&
         is_of(name.substr(dash + 1), kDigits);
}

Contents contents(const fs::path& entry) {
  Contents found;
  const fs::file_type type = type_of(entry);
  found.foreign = type != fs::file_type::directory && type != fs::file_type::not_found;
  if (type != fs::file_type::directory) return found;
  for (const fs::path& path : paths_in(entry)) {
    const fs::file_type file = type_of(path);
    if (file == fs::file_type::not_found) continue;
    const bool own = std::ranges::find(kFiles, path.filename().string()) != kFiles.end();
    found.foreign = found.foreign || !own || file != fs::file_type::regular;
    std::error_code gone;
    const std::uintmax_t size = own ? fs::file_size(path, gone) : 0;
    if (!gone) found.bytes += static_cast<std::int64_t>(size);
    ++found.files;
  }
  return found;
}

fs::path aside(const fs::path& folder) {
  static std::atomic<unsigned> count{0};
  return folder / (std::string(kAside) + std::to_string(getpid()) + "-" + std::to_string(count++));
}

void remove_own_files(const fs::path& folder) {
  std::error_code gone;
  for (const std::string_view file : kFiles) fs::remove(folder / file, gone);
  fs::remove(folder, gone);
}

void remove_entry(const fs::path& entry) {
  std::error_code gone;
  const fs::path trash = aside(entry.parent_path());
  fs::rename(entry, trash, gone);
  if (!gone) remove_own_files(trash);
}

}  // namespace convlens::gpu
