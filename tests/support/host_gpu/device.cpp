// The program that a kernel becomes on the host: reads a launch from a file, runs its blocks one after the other, and
// writes what memory then holds to another.
//
//   file   grid (3 numbers), block (3), bytes of shared memory, count of buffers and of arguments; all 64-bit
//          each buffer: its bytes, and their contents
//          each argument: index of a buffer, −1 for null or −2 for a number; its offset in bytes, or the number
//          the parameter `Sizes s`: its bytes, and their contents
#include "device.h"

#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace host_gpu {

namespace {

constexpr std::size_t kStack = 256 << 10, kMostBytes = 64;

struct Copy {
  void* to;
  const void* from;
  int bytes, valid;
};

enum class Waits { no, for_block, for_warp, for_ever };

struct Thread {
  dim3 index;
  Waits waits = Waits::no;
  ucontext_t context{};
  std::unique_ptr<char[]> stack{new char[kStack]};
  std::deque<std::vector<Copy>> batches{{}};  // of copies on their way, the open one last
  char given[kMostBytes] = {};                // to the other lanes
};

std::vector<Thread> g_threads;
Thread* g_current = nullptr;
ucontext_t g_scheduler;
std::vector<void*> g_parameters;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Free>;
Memory g_shared;

Memory allocate(std::size_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, 256, bytes) != 0) fail("no memory");
  std::memset(memory, 0xff, bytes);
  return Memory(memory);
}

std::size_t index_of(const Thread* thread) { return static_cast<std::size_t>(thread - g_threads.data()); }

void wait(Waits barrier) {
  g_current->waits = barrier;
  swapcontext(&g_current->context, &g_scheduler);
}

void begin_thread() {
  call_kernel(g_parameters.data(), g_parameters.size());
  wait(Waits::for_ever);
}

// Lets the threads from `first` to `end` go on if all have come to the barrier; those that have ended aren't waited
// for.
bool release(std::size_t first, std::size_t end, Waits barrier) {
  bool some = false;
  for (std::size_t k = first; k < end; ++k) {
    if (g_threads[k].waits != barrier && g_threads[k].waits != Waits::for_ever) return false;
    some = some || g_threads[k].waits == barrier;
  }
  for (std::size_t k = first; k < end; ++k)
    if (g_threads[k].waits == barrier) g_threads[k].waits = Waits::no;
  return some;
}
bool release() {
  bool some = release(0, g_threads.size(), Waits::for_block);
  for (std::size_t first = 0; first < g_threads.size(); first += kWarp)
    some |= release(first, std::min(first + kWarp, g_threads.size()), Waits::for_warp);
  return some;
}

void run_block(bool backwards) {
  for (std::size_t k = 0; k < g_threads.size(); ++k) {
    Thread& thread = g_threads[k];
    thread.waits = Waits::no, thread.batches = {{}};
    thread.index = {static_cast<unsigned>(k % blockDim.x), static_cast<unsigned>(k / blockDim.x % blockDim.y),
                    static_cast<unsigned>(k / blockDim.x / blockDim.y)};
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = kStack;
    makecontext(&thread.context, begin_thread, 0);
  }
  do {
    for (std::size_t k = 0; k < g_threads.size(); ++k) {
      g_current = &g_threads[backwards ? g_threads.size() - 1 - k : k];
      threadIdx = g_current->index;
      if (g_current->waits == Waits::no) swapcontext(&g_scheduler, &g_current->context);
    }
  } while (release());
  for (const Thread& thread : g_threads)
    if (threadIdx = thread.index; thread.waits != Waits::for_ever) fail("waits at a barrier that others never come to");
}

class File {
 public:
  File(const char* path, const char* mode) : file_(std::fopen(path, mode)) {
    if (file_ == nullptr) fail("a file cannot be opened");
  }
  ~File() { std::fclose(file_); }
  void read(void* to, std::size_t bytes) {
    if (bytes > 0 && std::fread(to, bytes, 1, file_) != 1) fail("the launch's file is too short");
  }
  void write(const void* from, std::size_t bytes) {
    if (bytes > 0 && std::fwrite(from, bytes, 1, file_) != 1) fail("what memory holds cannot be written");
  }
  std::int64_t number() {
    std::int64_t value = 0;
    read(&value, sizeof value);
    return value;
  }
  std::size_t count() { return static_cast<std::size_t>(number()); }
  dim3 extents() {
    dim3 read;
    for (unsigned* extent : {&read.x, &read.y, &read.z}) *extent = static_cast<unsigned>(number());
    return read;
  }

 private:
  std::FILE* file_;
};

void run(const char* in, const char* out) {
  File file(in, "rb");
  gridDim = file.extents(), blockDim = file.extents();
  const std::size_t shared_bytes = file.count(), buffers = file.count(), arguments = file.count();
  std::vector<std::pair<std::size_t, Memory>> memories;
  for (std::size_t k = 0; k < buffers; ++k) {
    const std::size_t bytes = file.count();
    memories.emplace_back(bytes, allocate(bytes));
    file.read(memories.back().second.get(), bytes);
  }
  std::vector<std::int64_t> values(arguments);
  for (std::int64_t& value : values) {
    const std::int64_t buffer = file.number(), offset = file.number();
    value = buffer >= 0 ? reinterpret_cast<std::intptr_t>(memories[static_cast<std::size_t>(buffer)].second.get()) : 0;
    if (buffer != -1) value += offset;
    g_parameters.push_back(&value);
  }
  std::vector<char> sizes(file.count());
  file.read(sizes.data(), sizes.size());
  g_parameters.push_back(sizes.data());

  g_threads = std::vector<Thread>(std::size_t{blockDim.x} * blockDim.y * blockDim.z);
  for (blockIdx.z = 0; blockIdx.z < gridDim.z; ++blockIdx.z)
    for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y)
      for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) {
        g_shared = allocate(shared_bytes);
        run_block((blockIdx.x + blockIdx.y + blockIdx.z) % 2 == 1);
      }
  File results(out, "wb");
  for (const auto& [bytes, memory] : memories) results.write(memory.get(), bytes);
}

}  // namespace

void fail(const char* why) {
  std::fprintf(stderr, "thread %u of block %u: %s\n", threadIdx.x, blockIdx.x, why);
  std::_Exit(1);
}

void* dynamic_shared() { return g_shared.get(); }

void begin_copy(void* to, const void* from, int bytes, int valid) {
  for (const void* address : {const_cast<const void*>(to), from})
    require_aligned(address, static_cast<unsigned>(bytes));
  if (valid < 0 || valid > bytes) fail("a copy of fewer bytes than none, or of more than there are");
  std::memset(to, 0xff, static_cast<std::size_t>(bytes));
  g_current->batches.back().push_back({to, from, bytes, valid});
}
void close_batch() { g_current->batches.emplace_back(); }
void wait_for_batches(unsigned pending) {
  for (auto& batches = g_current->batches; batches.size() > pending + 1; batches.pop_front())
    for (const Copy& copy : batches.front()) {
      std::memset(copy.to, 0, static_cast<std::size_t>(copy.bytes));
      std::memcpy(copy.to, copy.from, static_cast<std::size_t>(copy.valid));
    }
}

unsigned lane() { return static_cast<unsigned>(index_of(g_current) % kWarp); }

void exchange(const void* value, std::size_t bytes, void* all) {
  if (bytes > kMostBytes) fail("a value that is too large for the other lanes");
  std::memcpy(g_current->given, value, bytes);
  wait(Waits::for_warp);
  const std::size_t first = index_of(g_current) / kWarp * kWarp;
  for (std::size_t k = first; k < std::min(first + kWarp, g_threads.size()); ++k)
    std::memcpy(static_cast<char*>(all) + (k - first) * bytes, g_threads[k].given, bytes);
  wait(Waits::for_warp);
}

}  // namespace host_gpu

void __syncthreads() { host_gpu::wait(host_gpu::Waits::for_block); }
void __syncwarp(unsigned) { host_gpu::wait(host_gpu::Waits::for_warp); }

int main(int, char** files) { host_gpu::run(files[1], files[2]); }
