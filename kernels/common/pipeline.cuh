// The loop over the stages of k: while one is multiplied, the next `stages` − 1 are on their way to shared memory.
//
//   slot   0: │ fetch 0 │            │ multiply 0 │ fetch 3 … │           one barrier a stage: it makes stage k visible
//          1: │ fetch 1 │                         │ multiply 1 │ …        to all threads, and tells that all have done
//          2:           │ fetch 2 …               │            │          with stage k − 1, whose slot is fetched into
#pragma once

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
  int fetched = 0, next_slot = 0;
  const auto fetch_next = [&] {
    if (fetched < stage_count) fetch(next_slot);
    close_batch();  // an empty one at the end, so that batches can be counted
    ++fetched;
    if (++next_slot == stages) next_slot = 0;
  };
#pragma unroll
  for (int k = 0; k < stages - 1; ++k) fetch_next();
  for (int stage = 0, slot = 0; stage < stage_count; ++stage) {
    if constexpr (stages == 1) fetch_next();  // nothing overlaps
    wait_for_batches<(stages > 1 ? stages - 2 : 0)>();
    __syncthreads();
    if constexpr (stages > 1) fetch_next();
    multiply<Window>(slots.filter(slot), slots.operand(slot), place, unit_at, sums);
    if constexpr (stages == 1) __syncthreads();
    if (++slot == stages) slot = 0;
  }
}
