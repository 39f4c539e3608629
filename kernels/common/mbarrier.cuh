// Barriers in shared memory (mbarrier, PTX ISA since sm_80; try_wait since sm_90): how the warps that fetch and the
// warps that multiply tell each other that a slot of a ring is full, or empty again.
//
// A barrier's phase ends when all its arrivals have come and, of copies that were announced, all bytes. Phases
// alternate in parity, 0 first. `wait(parity)` returns once the phase of that parity has ended; a fresh barrier counts
// as one whose phase of parity 1 has just ended, so that the first wait for an empty slot passes.
//
//   fetch     wait(empty[slot], 1 − parity) … copies …  ─→ full[slot]
//   multiply  wait(full[slot], parity)      … products … ─→ empty[slot]      parity flips whenever the ring turns round
//
// Threads write to shared memory by one path and wgmma and TMA read it by another (the async proxy): what threads have
// written is fenced with `publish_writes` before they arrive.
#pragma once

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

using Barrier = unsigned long long;  // 8 bytes of shared memory

__device__ __forceinline__ void init_barrier(Barrier* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
// After the last `init_barrier`, before the __syncthreads that lets others use them.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void arrive(Barrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
// Arrives, and announces `bytes` of copies by TMA that this phase must wait for.
__device__ __forceinline__ void arrive_expecting(Barrier* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

// With the option `jitter`, warps are delayed at random: a protocol that is right stays right.
__device__ __forceinline__ void delay_at_random() {
  if constexpr (jitter) {
    unsigned hash = (static_cast<unsigned>(clock64()) ^ (blockIdx.x * 977 + threadIdx.x / 32 * 131)) * 2654435761u;
    if (hash >> 30 == 0) __nanosleep(hash >> 19 & 2047);
  }
}

__device__ __forceinline__ void wait(Barrier* barrier, int parity) {
  delay_at_random();
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
}

// Makes what this thread has written to shared memory visible to wgmma and TMA.
__device__ __forceinline__ void publish_writes() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// A barrier of `threads` threads, not of the whole block; number 0 is __syncthreads'.
__device__ __forceinline__ void sync_threads(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

// The place in a ring of `slots` slots.
template <int slots>
struct RingPlace {
  int slot = 0, parity = 0;
  __device__ void advance() {
    if (++slot == slots) slot = 0, parity ^= 1;
  }
};
