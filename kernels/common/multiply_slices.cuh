// The loop over k of a block's product: `stages` slices of both operands, tile_k values of k each, are in shared
// memory, of which one is multiplied while the asynchronous copies fill the others.
#pragma once

#include "common/copy_async.cuh"

// bring(slot, k0) starts the copies of a slice of k, multiply(slot) adds its products: while one slice is multiplied,
// the next stages − 1 are on their way.
template <class Bring, class Multiply>
__device__ __forceinline__ void multiply_slices(int extent_k, Bring&& bring, Multiply&& multiply) {
  const int slices = (extent_k + tile_k - 1) / tile_k;
  const auto start = [&](int index) {
    if (index < slices) bring(index % stages, index * tile_k);
    close_batch();  // empty at the end, so that the count of batches stays right
  };
#pragma unroll
  for (int index = 0; index < stages - 1; ++index) start(index);
  for (int index = 0; index < slices; ++index) {
    if constexpr (stages == 1) {
      __syncthreads();  // nobody reads the slice any more
      start(index);
    }
    wait_for_batches<(stages > 1 ? stages - 2 : 0)>();
    __syncthreads();  // the slice is there for all, and nobody reads the one before it any more
    if constexpr (stages > 1) start(index + stages - 1);
    multiply(index % stages);
  }
}
