// The loop over the stages of k: with two slots in shared memory, one stage is multiplied while the next is on its way.
//
//            ▼ barrier 0             ▼ barrier 1             ▼ barrier 2
//   slot 0   │ multiply 0            │ fetch 2 …             │ multiply 2
//   slot 1   │ fetch 1 …             │ multiply 1            │ fetch 3 …
//
// One barrier a stage: barrier k makes stage k visible to all threads, and says that all have done with stage k − 1,
// whose slot is fetched into next.
//
// With a single slot nothing overlaps: that is the rung below.
#pragma once

#include "common/copy_async.cuh"
#include "common/register_tile.cuh"

// Slots of the filter and of the operand, one behind the other.
struct Slots {
  float *filters, *operands;
  int filter_floats, operand_floats;
  __device__ float* filter(int slot) const { return filters + slot * filter_floats; }
  __device__ float* operand(int slot) const { return operands + slot * operand_floats; }
};

// `fetch(slot)` issues the copies of the next stage; it is called `stage_count` times.
template <class Window, class Fetch>
__device__ __forceinline__ void run_pipeline(int stage_count, const Slots& slots, const ThreadPlace& place,
                                             const int (&unit_at)[thread_units], Sums& sums, Fetch fetch) {
  if constexpr (double_buffer) {
    fetch(0);
    close_batch();
  }
  for (int stage = 0, slot = 0; stage < stage_count; ++stage) {
    if constexpr (!double_buffer) {
      fetch(0);
      close_batch();
    }
    wait_for_batches<0>();
    __syncthreads();
    if constexpr (double_buffer) {
      if (stage + 1 < stage_count) fetch(1 - slot);
      close_batch();
    }
    multiply<Window>(slots.filter(slot), slots.operand(slot), place, unit_at, sums);
    if constexpr (double_buffer)
      slot = 1 - slot;
    else
      __syncthreads();
  }
}
