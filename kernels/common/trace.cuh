// Where and when each block of a kernel ran, noted by the block itself. No kernel includes this: it stands above the
// text of one that is traced (kernels/trace.h), with `const BlockNote note;` at the head of its function.
//
//   sm            %smid, the multiprocessor
//   begin, end    %globaltimer, in nanoseconds, the same clock on every multiprocessor; its step differs from GPU to GPU
//
// Source: PTX ISA, special registers.
#pragma once

struct BlockSpan {
  long long begin, end;
  int sm, times;
};

extern "C" {
__device__ BlockSpan* block_spans;  // one a block, in launch order; zeros before the launch
}

// Made when a block begins, and gone when the last of its threads leaves, by whichever return.
class BlockNote {
 public:
  __device__ BlockNote() {
    if (threadIdx.x + threadIdx.y + threadIdx.z > 0) return;
    BlockSpan& span = of_this_block();
    asm volatile("mov.u32 %0, %%smid;" : "=r"(span.sm));
    span.begin = now();
    ++span.times;
  }
  __device__ ~BlockNote() {
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    if (lane == __ffs(__activemask()) - 1) atomicMax(&of_this_block().end, now());  // one of those that leave together
  }
  BlockNote(const BlockNote&) = delete;

 private:
  static __device__ BlockSpan& of_this_block() {
    const long long row = blockIdx.y + static_cast<long long>(gridDim.y) * blockIdx.z;
    return block_spans[blockIdx.x + gridDim.x * row];
  }
  static __device__ long long now() {
    long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  }
};
