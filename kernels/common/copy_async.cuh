// Copies from global to shared memory that run beside the arithmetic (cp.async, since sm_80).
//
// A thread issues copies, closes them into a batch with `close_batch`, and later waits until at most `pending` of its
// youngest batches are still on their way. What other threads copied is visible after a barrier.
#pragma once

// Copies `floats` (1 or 4) floats, or writes as many zeros where `inside` is false; then nothing is read at `from`,
// which must all the same be an address within its tensor.
template <int floats>
__device__ __forceinline__ void copy_async(float* to, const float* from, bool inside = true) {
  static_assert(floats == 1 || floats == 4, "cp.async copies 4 or 16 bytes here");
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(from), "n"(4 * floats),
               "r"(inside ? 4 * floats : 0));
}

__device__ __forceinline__ void close_batch() { asm volatile("cp.async.commit_group;"); }

template <int pending>
__device__ __forceinline__ void wait_for_batches() {
// Asynchronous copies from global to shared memory (cp.async, from sm_80 on): the thread goes on while they are under
// way, and waits for them by group.
#pragma once

// Starts the copy of `width` floats, 1 or 4; those at and beyond `valid` become zeros and are not read.
template <int width>
__device__ __forceinline__ void copy_async(float* to, const float* from, int valid) {
  static_assert(width == 1 || width == 4, "cp.async copies 4 or 16 bytes of floats");
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = 4 * max(0, min(width, valid));
  if constexpr (width == 4)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(bytes));
}

// Closes the group of the copies started since the last one; a group may be empty.
__device__ __forceinline__ void close_group() { asm volatile("cp.async.commit_group;"); }

// Waits until at most `pending` of this thread's groups are still under way.
template <int pending>
__device__ __forceinline__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}
