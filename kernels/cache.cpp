#include "kernels/cache.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "kernels/cache_entry.h"

namespace convlens::gpu {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// FNV-1a (Fowler, Noll, Vo) of 64 bits, begun from `hash`.
constexpr std::uint64_t kBasis = 0xcbf29ce484222325u;
std::uint64_t fnv(std::string_view bytes, std::uint64_t hash = kBasis) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

std::string hexadecimal(std::uint64_t value) {
  std::string digits(16, '0');
  for (std::size_t k = 16; k-- > 0; value >>= 4) digits[k] = "0123456789abcdef"[value & 15];
  return digits;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::move(bytes).str();
}

bool write(const fs::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return static_cast<bool>(file.flush());
}

std::string_view view(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string checksum(std::string_view cubin, std::string_view ptx) { return hexadecimal(fnv(ptx, fnv(cubin))); }

}  // namespace

std::string Recipe::key() const {
  std::string head = compiler;
  for (const std::string& option : options) head += '\n' + option;
  head += '\0';
  constexpr std::uint64_t kOther = kBasis ^ 0x9e3779b97f4a7c15u;
  return hexadecimal(fnv(text, fnv(head))) + hexadecimal(fnv(text, fnv(head, kOther)));
}

DiskCache::DiskCache(fs::path folder, std::int64_t bound) : folder_(std::move(folder)), bound_(bound) {}

std::int64_t DiskCache::bytes() const {
  std::int64_t sum = 0;
  for (const fs::path& path : paths_in(folder_))
    if (is_entry_name(path.filename().string()))
      if (const Contents found = contents(path); found.is_entry()) sum += found.bytes;
  return sum;
}

std::optional<Compiled> DiskCache::load(const Recipe& recipe) const {
  const fs::path entry = folder_ / recipe.key();
  if (!contents(entry).is_entry()) return std::nullopt;
  const std::string cubin = read(entry / "kernel.cubin"), ptx = read(entry / "kernel.ptx");
  const Json facts = Json::parse(read(entry / "facts.json"), nullptr, /*allow_exceptions=*/false);
  try {
    if (facts.at("checksum") == checksum(cubin, ptx) && facts.at("compiler") == recipe.compiler &&
        facts.at("options") == recipe.options && read(entry / "kernel.cu") == recipe.text) {
      std::error_code ignored;
      fs::last_write_time(entry, fs::file_time_type::clock::now(), ignored);  // used now, so it goes last
      Compiled compiled;
      compiled.ptx = ptx;
      compiled.log = facts.at("log");
      compiled.cubin.resize(cubin.size());
      std::memcpy(compiled.cubin.data(), cubin.data(), cubin.size());
      return compiled;
    }
  } catch (const Json::exception&) {
    // Facts that are no JSON, or lack one of these: damaged like a wrong checksum.
  }
  remove_entry(entry);
  return std::nullopt;
}

std::string DiskCache::store(const Recipe& recipe, const Compiled& compiled) const {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  const fs::path entry = folder_ / recipe.key();
  fs::path written = aside(folder_);
  // A process of the same number, long gone or on another machine, may have used the name.
  while (!failed && !fs::create_directory(written, failed)) written = aside(folder_);
  if (failed) return folder_.string() + ": " + failed.message();

  const Json facts{{"compiler", recipe.compiler},
                   {"options", recipe.options},
                   {"log", compiled.log},
                   {"checksum", checksum(view(compiled.cubin), compiled.ptx)}};
  const bool whole = write(written / "kernel.cu", recipe.text) &&
                     write(written / "kernel.cubin", view(compiled.cubin)) &&
                     write(written / "kernel.ptx", compiled.ptx) &&
                     write(written / "facts.json", facts.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  if (whole) fs::rename(written, entry, failed);
  if (!whole || failed) {
    remove_own_files(written);
    if (!whole) return folder_.string() + ": cannot be written, the disk may be full";
    // Where another writer was first, its entry is as good as this one.
    if (contents(entry).foreign)
      return entry.string() + ": holds what no entry of the cache does, and is left as it is";
    const bool other_was_first = failed == std::errc::directory_not_empty || failed == std::errc::file_exists;
    if (!other_was_first) return folder_.string() + ": " + failed.message();
  }
  make_room();
  return "";
}

void DiskCache::make_room() const {
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    std::int64_t bytes;
  };
  std::vector<Entry> entries;
  std::int64_t sum = 0;
  const auto now = fs::file_time_type::clock::now();
  for (const fs::path& path : paths_in(folder_)) {
    const std::string name = path.filename().string();
    if (!is_entry_name(name) && !is_name_aside(name)) continue;
    const Contents found = contents(path);
    std::error_code gone;
    const fs::file_time_type used = found.foreign ? now : fs::last_write_time(path, gone);
    if (found.foreign || gone) continue;
    if (is_name_aside(name)) {
      // What a writer that died has left behind.
      if (now - used > std::chrono::hours(1)) remove_own_files(path);
    } else if (found.is_entry()) {
      entries.push_back({path, used, found.bytes});
      sum += found.bytes;
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (sum <= bound_) return;
    remove_entry(entry.path);
    sum -= entry.bytes;
  }
}

std::optional<fs::path> cache_folder() {
  const auto set = [](const char* variable) -> std::optional<fs::path> {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return fs::path(value);
  };
  if (const auto chosen = set("CONVLENS_CACHE_DIR")) return *chosen / "kernels";
  if (const auto caches = set("XDG_CACHE_HOME")) return *caches / "convlens" / "kernels";
  if (const auto home = set("HOME")) return *home / ".cache" / "convlens" / "kernels";
  return std::nullopt;
}

}  // namespace convlens::gpu
