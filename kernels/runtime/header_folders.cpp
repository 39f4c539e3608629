// Where NVIDIA's headers are. They belong to the toolkit (or to a pip package) and are never copied.
#include <dlfcn.h>
#include <nvrtc.h>

#include <cstdlib>
#include <filesystem>

#include "kernels/runtime/nvrtc.h"

namespace convlens::gpu {

namespace {

namespace fs = std::filesystem;

// The folder of the libnvrtc that this process uses, links followed.
fs::path nvrtc_folder() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&nvrtcVersion), &library) == 0 || library.dli_fname == nullptr) return {};
  std::error_code unreadable;
  return fs::canonical(library.dli_fname, unreadable).parent_path();
}

// The folders that may hold cuda_fp16.h, in the order in which they are asked.
std::vector<fs::path> candidates() {
  std::vector<fs::path> all;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0')
      all.push_back(fs::path(value) / "include");
  if (const fs::path lib = nvrtc_folder(); !lib.empty()) {
    all.push_back(lib.parent_path() / "include");                                 // CUDA/lib64; pip, CUDA 13
    all.push_back(lib.parent_path().parent_path() / "include");                   // CUDA/targets/x86_64-linux/lib
    all.push_back(lib.parent_path().parent_path() / "cuda_runtime" / "include");  // pip, CUDA 12
  }
  all.emplace_back("/usr/local/cuda/include");
  return all;
}

}  // namespace

std::vector<std::string> header_folders() {
  static const std::vector<std::string> found = [] {
    std::vector<std::string> folders;
    std::error_code unreadable;
    for (const fs::path& folder : candidates())
      if (fs::exists(folder / "cuda_fp16.h", unreadable)) {
        folders.push_back(folder.string());
        // CUDA 13 keeps the C++ library (cuda/std/…) in a folder of its own.
        if (fs::exists(folder / "cccl", unreadable)) folders.push_back((folder / "cccl").string());
        break;
      }
    return folders;
  }();
  return found;
}

}  // namespace convlens::gpu
