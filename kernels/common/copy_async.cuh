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
