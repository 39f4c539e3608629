#include "kernels/runtime/cudnn_bench.h"

#include <algorithm>
#include <string>

#include "algorithms/error.h"
#include "algorithms/tensor/random.h"

namespace convlens::gpu {

namespace {

constexpr double kSlower = 1.5;   // times the best: no candidate, and not worth more samples
constexpr double kGraphMs = 1.0;  // shorter calls are replayed as graphs: the host needs 45–120 µs for one
constexpr int kSamples = 9;
constexpr double kMostMs = 60;  // for all samples of a call

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw Unsupported(std::string("cuDNN's search: ") + what + ", " + cudaGetErrorString(status));
}

int l2_bytes() {
  int device = 0, bytes = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device), "cudaDeviceGetAttribute");
  return bytes;
}

}  // namespace

CudnnBench::CudnnBench(const Request& request) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  stream_.reset(stream);
  for (Owned<cudaEvent_t>* event : {&begin_, &end_}) {
    cudaEvent_t made = nullptr;
    check(cudaEventCreate(&made), "cudaEventCreate");
    event->reset(made);
  }
  flushed_bytes_ = 3 * static_cast<std::int64_t>(l2_bytes());
  flushed_ = allocate(flushed_bytes_);
  x_ = random_tensor(request.dtype, request.x_bytes());
  w_ = random_tensor(request.dtype, request.w_bytes());
  if (request.problem.bias()) bias_ = random_tensor(request.dtype, request.bias_bytes());
  y_ = allocate(request.y_bytes());
  if (!flushed_ || !y_)
    throw Unsupported("cuDNN's search: out of memory for tensors of " + std::to_string(request.tensor_bytes()) +
                      " bytes");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // the stream does not wait for the copies by itself
}

CudnnBench::Memory CudnnBench::allocate(std::int64_t bytes) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))) != cudaSuccess) {
    cudaGetLastError();  // which would otherwise be reported by the next call
    return nullptr;
  }
  return Memory(static_cast<std::byte*>(memory));
}

// A block of numbers, repeated: how fast a chip may run depends on the bits that switch, not on their period.
CudnnBench::Memory CudnnBench::random_tensor(DType dtype, std::int64_t bytes) const {
  Memory memory = allocate(bytes);
  if (!memory) throw Unsupported("cuDNN's search: out of memory for a tensor of " + std::to_string(bytes) + " bytes");
  const std::int64_t block = std::min<std::int64_t>(bytes, 1 << 22);
  std::vector<std::byte> numbers(static_cast<std::size_t>(block));
  visit(dtype, [&]<class T>() {
    auto* const values = reinterpret_cast<T*>(numbers.data());
    for (std::int64_t k = 0; k < block / static_cast<std::int64_t>(sizeof(T)); ++k)
      values[k] = static_cast<T>(random_uniform(1, static_cast<std::uint64_t>(k)));
  });
  check(cudaMemcpy(memory.get(), numbers.data(), numbers.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
  for (std::int64_t filled = block; filled < bytes; filled += std::min(filled, bytes - filled))
    check(cudaMemcpy(memory.get() + filled, memory.get(), static_cast<std::size_t>(std::min(filled, bytes - filled)),
                     cudaMemcpyDeviceToDevice),
          "cudaMemcpy");
  return memory;
}

void CudnnBench::queue(const CudnnCall& call) const {
  const CudnnHandle handle(stream_.get());
  call.execute(handle, {x_.get(), w_.get(), bias_.get(), y_.get(), workspace_.get()});
}

// Null when the call can't be captured; it is then timed as it is.
CudnnBench::Owned<cudaGraphExec_t> CudnnBench::captured(const CudnnCall& call) const {
  check(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  bool queued = true;
  try {
    queue(call);
  } catch (const Unsupported&) {
    queued = false;
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t made = nullptr;
  if (cudaStreamEndCapture(stream_.get(), &graph) == cudaSuccess && queued) cudaGraphInstantiate(&made, graph, 0);
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();  // of a capture that failed; the next call would report it
  return Owned<cudaGraphExec_t>(made);
}

template <class Queue>
double CudnnBench::sample(Queue&& queue) const {
  check(cudaMemsetAsync(flushed_.get(), 0, static_cast<std::size_t>(flushed_bytes_), stream_.get()), "cudaMemsetAsync");
  check(cudaEventRecord(begin_.get(), stream_.get()), "cudaEventRecord");
  queue();
  check(cudaEventRecord(end_.get(), stream_.get()), "cudaEventRecord");
  check(cudaEventSynchronize(end_.get()), "a call of cuDNN");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin_.get(), end_.get()), "cudaEventElapsedTime");
  return ms;
}

std::optional<double> CudnnBench::time(const CudnnCall& call, std::optional<double> best) {
  if (call.workspace_bytes() > workspace_bytes_) {
    workspace_.reset();
    workspace_ = allocate(call.workspace_bytes());
    workspace_bytes_ = workspace_ ? call.workspace_bytes() : 0;
    if (!workspace_) return std::nullopt;
  }
  try {
    queue(call);  // loads its kernels
  } catch (const Unsupported&) {
    return std::nullopt;
  }
  const double once = sample([&] { queue(call); });
  if (best && once > kSlower * *best) return once;

  const Owned<cudaGraphExec_t> graph = once < kGraphMs ? captured(call) : nullptr;
  std::vector<double> samples;
  for (double spent = 0; samples.size() < kSamples && (samples.empty() || spent < kMostMs); spent += samples.back())
    samples.push_back(sample([&] {
      if (graph)
        check(cudaGraphLaunch(graph.get(), stream_.get()), "cudaGraphLaunch");
      else
        queue(call);
    }));
  std::ranges::nth_element(samples, samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2));
  return samples[samples.size() / 2];
}

}  // namespace convlens::gpu
