// What of the disk cache's folder is the cache's own (kernels/cache.h), where other things may lie, too.
//
// An entry is a folder named by 32 hexadecimal digits; one that is being written or removed is named
// ".convlens-PROCESS-COUNT". It holds some of the four files of an entry and nothing else. Symbolic links are not
// followed: what a link leads to was put there by someone else. Nothing here throws; what cannot be read is not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace convlens::gpu {

bool is_entry_name(std::string_view name);
bool is_name_aside(std::string_view name);

// A name beside the entries of `folder` that no other writer in this process has.
std::filesystem::path aside(const std::filesystem::path& folder);

// What lies where an entry may lie. A file that another process takes away meanwhile is none.
struct Contents {
  bool foreign = false;    // anything that no entry holds, or no folder at all
  int files = 0;           // an entry's and others
  std::int64_t bytes = 0;  // of an entry's files

  bool is_entry() const { return !foreign && files > 0; }
};
Contents contents(const std::filesystem::path& entry);

// The paths in a folder; those that could be read where it cannot be read to its end.
std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder);

// Takes away the files that an entry holds, each by its name, and then the folder. One that holds more stays.
void remove_own_files(const std::filesystem::path& folder);

// The same, renamed first, so that no reader meets half an entry.
void remove_entry(const std::filesystem::path& entry);

}  // namespace convlens::gpu
