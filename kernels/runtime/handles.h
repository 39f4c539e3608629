// Streams, events and graphs with an owner. Each belongs to the GPU that was current when it was made.
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <type_traits>

#include "kernels/runtime/status.h"

namespace convlens::gpu {

// A stream that does not wait for the default stream, so that it can be captured.
class OwnedStream {
 public:
  OwnedStream() {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    stream_.reset(stream);
  }
  cudaStream_t get() const { return stream_.get(); }
  void synchronize() const { check(cudaStreamSynchronize(get()), "waiting for a stream"); }

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  };
  std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Destroy> stream_;
};

// A moment on a stream, to measure the time between two.
class Event {
 public:
  Event() {
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event), "making an event");
    event_.reset(event);
  }
  void record(cudaStream_t stream) const { check(cudaEventRecord(event_.get(), stream), "recording an event"); }

  // From `start` to this one, both past.
  double milliseconds_since(const Event& start) const {
    float time = 0;
    check(cudaEventElapsedTime(&time, start.event_.get(), event_.get()), "reading the time between two events");
    return time;
  }

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy> event_;
};

// Work recorded once and launched as a whole, at no cost of the host's for its parts.
class Graph {
 public:
  // Records what `work` queues on `stream`. Nothing of it runs yet.
  template <class Work>
  Graph(cudaStream_t stream, const Work& work) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a graph");
    cudaGraph_t graph = nullptr;
    try {
      work();
    } catch (...) {
      if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph != nullptr) cudaGraphDestroy(graph);
      cudaGetLastError();
      throw;
    }
    check(cudaStreamEndCapture(stream, &graph), "recording a call as a graph");
    cudaGraphExec_t executable = nullptr;
    const cudaError_t made = cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphDestroy(graph);
    check(made, "preparing a graph");
    executable_.reset(executable);
    check(cudaGraphUpload(executable, stream), "sending a graph to the GPU");
  }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_.get(), stream), "launching a graph"); }

 private:
  struct Destroy {
    void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
  };
  std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, Destroy> executable_;
};

}  // namespace convlens::gpu
