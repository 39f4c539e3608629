#include "kernels/runtime/cudnn_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "algorithms/error.h"
#include "kernels/runtime/status.h"

namespace convlens::gpu {

namespace {

struct Opened {
  Cudnn functions;
  std::string why_not;
};

// The folder that CUDNN_PATH names (as that of Python's package nvidia/cudnn), then the loader's own search, then the
// toolkit's folders.
std::vector<std::string> candidates() {
  std::vector<std::string> files;
  if (const char* chosen = std::getenv("CUDNN_PATH")) {
    files.push_back(std::string(chosen) + "/lib/libcudnn.so.9");
    files.push_back(std::string(chosen) + "/lib64/libcudnn.so.9");
  }
  files.emplace_back("libcudnn.so.9");
  if (const char* toolkit = std::getenv("CUDA_PATH")) files.push_back(std::string(toolkit) + "/lib64/libcudnn.so.9");
  files.emplace_back("/usr/local/cuda/lib64/libcudnn.so.9");
  return files;
}

Opened open() {
  Opened opened;
  void* library = nullptr;
  for (const std::string& file : candidates())
    if (library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); library != nullptr) break;
  if (library == nullptr) {
    opened.why_not = "cuDNN: libcudnn.so.9 not found by the loader, in CUDNN_PATH, CUDA_PATH or /usr/local/cuda/lib64";
    return opened;
  }
#define CONVLENS_LOAD(name)                                                                          \
  opened.functions.name = reinterpret_cast<decltype(&::cudnn##name)>(dlsym(library, "cudnn" #name)); \
  if (opened.functions.name == nullptr) opened.why_not = "cuDNN: libcudnn.so.9 has no cudnn" #name;
  CONVLENS_CUDNN_FUNCTIONS(CONVLENS_LOAD)
#undef CONVLENS_LOAD
  return opened;
}

const Opened& library() {
  static const Opened opened = open();
  return opened;
}

// The handles that no thread uses now, by device.
struct Pool {
  std::mutex mutex;
  std::map<int, std::vector<cudnnHandle_t>> idle;
};

// Never destroyed: at the program's end the driver may be gone before the handles are.
Pool& pool() {
  static Pool& kept = *new Pool;
  return kept;
}

}  // namespace

const Cudnn& cudnn() {
  if (!library().why_not.empty()) throw Unsupported(library().why_not);
  return library().functions;
}

std::string cudnn_version() {
  if (!library().why_not.empty()) return "not found";
  const std::size_t v = cudnn().GetVersion();
  return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
}

std::string cudnn_sentence(cudnnStatus_t status) {
  std::string text = cudnn().GetErrorString(status);
  char details[1024] = "";
  cudnn().GetLastErrorString(details, sizeof details);
  std::string line(details);
  line.resize(std::min(line.find('\n'), line.size()));
  if (!line.empty() && line != text) text += ", " + line;
  return text;
}

void check_cudnn(cudnnStatus_t status, const std::string& call) {
  if (status != CUDNN_STATUS_SUCCESS) throw Unsupported(call + ": " + cudnn_sentence(status));
}

CudnnHandle::CudnnHandle(cudaStream_t stream) {
  check(cudaGetDevice(&device_), "asking for the current device");
  {
    const std::lock_guard lock(pool().mutex);
    if (std::vector<cudnnHandle_t>& idle = pool().idle[device_]; !idle.empty()) {
      handle_ = idle.back();
      idle.pop_back();
    }
  }
  if (handle_ == nullptr) check_cudnn(cudnn().Create(&handle_), "cudnnCreate");
  check_cudnn(cudnn().SetStream(handle_, stream), "cudnnSetStream");
}

CudnnHandle::~CudnnHandle() {
  const std::lock_guard lock(pool().mutex);
  pool().idle[device_].push_back(handle_);
}

}  // namespace convlens::gpu
