// A plan: one request, decided. Immutable, so that any number of threads may run it at once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/interface/error_model.h"
#include "algorithms/interface/request.h"
#include "algorithms/interface/stage.h"
#include "algorithms/tensor/view.h"

namespace convlens {

struct Algorithm;
namespace gpu {
struct Program;
}

// A named part of the workspace. Offsets are multiples of 64 bytes; what that wastes is the buffer "alignment".
struct Buffer {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;
};

// The memory that a run may use, cut into the plan's buffers. It owns nothing and holds garbage at first.
class Workspace {
 public:
  Workspace(std::span<std::byte> memory, std::span<const Buffer> buffers) : memory_(memory), buffers_(buffers) {}

  // The buffer called `name`, as an array of T.
  template <class T>
  T* get(std::string_view name) const {
    return reinterpret_cast<T*>(memory_.data() + find(name).offset);
  }

 private:
  const Buffer& find(std::string_view name) const;

  std::span<std::byte> memory_;
  std::span<const Buffer> buffers_;
};

// The tensors of one run. Views must be in the plan's place and have the problem's shapes.
struct Arguments {
  ConstTensorView x, w;
  BiasView bias;  // without data when the problem has none
  TensorView y;
};

// An in-order queue of work on a device; on the host there is nothing to queue.
struct Stream {
  void* handle = nullptr;
};

// What an algorithm decides when it plans.
struct Decisions {
  std::vector<Stage> stages;        // stored ones get a buffer of their own in the workspace
  std::vector<Buffer> scratch;      // further named bytes that no stage describes
  std::int64_t executed_flops = 0;  // what is really computed: padding, transforms and tails included
  ErrorModel error_model;
  std::vector<std::string> notes;               // decisions worth recording: "gemm: OpenBLAS …"
  bool dense_views = false;                     // views must be dense in the declared layouts
  std::shared_ptr<const gpu::Program> program;  // of a row on a GPU: what it launches (kernels/program.h)
  // Computes y. Buffers hold garbage on entry; `threads` is at least 1.
  std::function<void(const Arguments&, const Workspace&, int threads, Stream)> execute;
  // The main kernel alone, where a row can tell it apart: the same y from what `execute`, called before with the same
  // arguments, has packed, reordered and transformed into the workspace. A library's may stop at its own layout of y.
  std::function<void(const Arguments&, const Workspace&, int threads, Stream)> kernel = nullptr;
};

class Plan {
 public:
  Plan(const Algorithm& algorithm, Request request, Decisions decisions);

  const Algorithm& algorithm() const { return *algorithm_; }
  const Request& request() const { return request_; }
  const ConvProblem& problem() const { return request_.problem; }
  std::span<const Stage> stages() const { return decisions_.stages; }
  std::span<const Buffer> workspace() const { return buffers_; }
  std::int64_t workspace_bytes() const { return workspace_bytes_; }
  std::int64_t flops() const { return problem().flops(); }
  std::int64_t executed_flops() const { return problem().n() == 0 ? 0 : decisions_.executed_flops; }
  const ErrorModel& error_model() const { return decisions_.error_model; }
  std::span<const std::string> notes() const { return decisions_.notes; }
  bool dense_views() const { return decisions_.dense_views; }
  const gpu::Program* program() const { return decisions_.program.get(); }  // null on the host
  std::string run_name() const;                                             // "im2col.ref:batching=tile"

  // Computes y from x, w and bias. `memory` must hold workspace_bytes(), aligned to 64; it may hold garbage.
  // Throws BadInput when a view's shape, type, place or, for dense views, strides are not the plan's, or the memory is
  // too small.
  // An empty batch returns at once.
  void run(const Arguments& arguments, std::span<std::byte> memory, Stream stream = {}) const;

  // The main kernel alone, on memory that `run` has left, with the same arguments. Throws as `run` does, and
  // Unsupported where the row has no kernel that can be told apart.
  std::string why_no_kernel() const;  // in one line; "" where it has
  void run_kernel(const Arguments& arguments, std::span<std::byte> memory, Stream stream = {}) const;

 private:
  void check(const Arguments& arguments, std::span<std::byte> memory) const;

  const Algorithm* algorithm_;
  Request request_;
  Decisions decisions_;
  std::vector<Buffer> buffers_;
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace convlens
