// The disk cache of compiled kernels.
//
// An entry is a folder, named by the hash of everything that decides the result: the whole text with its includes in
// place, the compiler's options (the architecture is one) and its version. It holds
//
//   kernel.cu     the exact text
//   kernel.cubin  machine code
//   kernel.ptx    the step before
//   facts.json    compiler, options, the compiler's log, and a checksum of machine code and PTX
//
// It is written aside and then renamed, so that it is there whole or not at all, whoever else writes. What is read is
// compared with the text and the checksum; a damaged entry is removed and counts as missing. When the entries grow
// beyond their bound, those that were used longest ago go.
//
// The folder may hold other things. Only what has an entry's name (or that of one being written) and holds nothing but
// these four files is counted, used or removed; a link is none of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernels/runtime.h"

namespace convlens::gpu {

// What a kernel is compiled from.
struct Recipe {
  std::string text;
  std::vector<std::string> options;
  std::string compiler;  // "NVRTC 13.0"

  std::string key() const;  // 32 hexadecimal digits
};

class DiskCache {
 public:
  static constexpr std::int64_t kDefaultBound = std::int64_t{256} << 20;  // bytes

  explicit DiskCache(std::filesystem::path folder, std::int64_t bound = kDefaultBound);

  const std::filesystem::path& folder() const { return folder_; }
  std::int64_t bytes() const;  // of all entries, now

  // Cubin, PTX and log; nothing when there is no whole entry. Never throws: a cache that cannot be read is an empty
  // one.
  std::optional<Compiled> load(const Recipe& recipe) const;

  // Returns why the entry could not be kept (a full or read-only disk), or "".
  std::string store(const Recipe& recipe, const Compiled& compiled) const;

 private:
  void make_room() const;

  std::filesystem::path folder_;
  std::int64_t bound_;
};

// CONVLENS_CACHE_DIR, else $XDG_CACHE_HOME/convlens, else ~/.cache/convlens, and in it kernels/. Nothing where none of
// the three variables is set.
std::optional<std::filesystem::path> cache_folder();

}  // namespace convlens::gpu
