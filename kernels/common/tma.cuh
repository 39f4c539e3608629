// Copies of whole tiles by Hopper's copy engine (TMA): one thread asks, the hardware computes all addresses, zeros what
// lies outside the tensor, and tells a barrier how many bytes have come (PTX ISA, cp.async.bulk.tensor).
//
// A tile arrives as rows of at most 128 bytes, whose pieces are permuted as in swizzled_rows.cuh (SWIZZLE_128B).
#pragma once

#include "common/mbarrier.cuh"
#include "common/swizzled_rows.cuh"

// Opaque; the program describes it (kernels/tensor_map.h) and the driver encodes it.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

// What a kernel is handed of a tensor: a map where the copy engine fetches it, otherwise the address.
template <bool by_tma, class T>
struct TensorArgument {
  using Type = const T*;
};
template <class T>
struct TensorArgument<true, T> {
  using Type = TensorMap;
};

// The box at (c0, c1, c2), (c0, …, c3), contiguous axis first.
__device__ __forceinline__ void copy_box(void* to, const TensorMap& map, Barrier* full, int c0, int c1, int c2) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::
          "r"(shared_address(to)),
      "l"(&map), "r"(shared_address(full)), "r"(c0), "r"(c1), "r"(c2)
      : "memory");
}
__device__ __forceinline__ void copy_box(void* to, const TensorMap& map, Barrier* full, int c0, int c1, int c2,
                                         int c3) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], "
      "[%2];" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(full)), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
      : "memory");
}

// im2col mode: the tap (right, down) of the windows from the one at (w, h, n) on, channels from c on. The windows are
// counted along rows and images by the hardware; behind the last it writes zeros.
__device__ __forceinline__ void copy_windows(void* to, const TensorMap& map, Barrier* full, int c, int w, int h, int n,
                                             int right, int down) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, "
      "%6}], "
      "[%2], {%7, %8};" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(full)), "r"(c), "r"(w), "r"(h), "r"(n), "h"(static_cast<unsigned short>(right)),
      "h"(static_cast<unsigned short>(down))
      : "memory");
}
