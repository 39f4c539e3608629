// Copies from global to shared memory that run beside the arithmetic (cp.async, since sm_80).
//
// A thread issues copies, closes them into a batch with `close_batch`, and later waits until at most `pending` of its
// youngest batches are still on their way. What other threads copied is visible after a barrier.
#pragma once

// Copies the first `valid` of `bytes` bytes (4, 8 or 16, at such an address), and writes zeros for the rest.
template <int bytes>
__device__ __forceinline__ void copy_async_bytes(void* to, const void* from, int valid) {
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(from), "n"(bytes), "r"(valid));
}

// Copies the first `valid` of `floats` (1 or 4) floats, and writes zeros for the rest. What is not copied is not read;
// `from` must all the same be an address within its tensor.
template <int floats>
__device__ __forceinline__ void copy_async(float* to, const float* from, int valid) {
  static_assert(floats == 1 || floats == 4, "cp.async copies 4 or 16 bytes here");
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(from), "n"(4 * floats),
               "r"(4 * max(0, min(floats, valid))));
}

// The same for all or nothing.
template <int floats>
__device__ __forceinline__ void copy_async(float* to, const float* from, bool inside = true) {
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  static_assert(floats == 1 || floats == 4, "cp.async copies 4 or 16 bytes here");
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(from), "n"(4 * floats),
               "r"(inside ? 4 * floats : 0));
}

__device__ __forceinline__ void close_batch() { asm volatile("cp.async.commit_group;"); }

template <int pending>
__device__ __forceinline__ void wait_for_batches() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}
