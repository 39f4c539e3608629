// kernels/common/mma.cuh on the host: lanes hand each other what they hold of the operands.
#pragma once

#include "common/element.cuh"

template <bool transposed>
void load_blocks(unsigned (&blocks)[4], const Element* row) {
  host_gpu::require_aligned(row, 16);
  const host_gpu::Lanes<const Element*> rows(row);
  const unsigned lane = host_gpu::lane(), r = lane / 4, c = lane % 4 * 2;
  for (unsigned block = 0; block < 4; ++block) {
    Element pair[2];
    for (unsigned e = 0; e < 2; ++e)
      pair[e] = transposed ? rows.of[8 * block + c + e][r] : rows.of[8 * block + r][c + e];
    std::memcpy(&blocks[block], pair, sizeof pair);
  }
  __syncwarp();
}

inline void multiply_add(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  struct Operands {
    Element a[4][2], b[2][2];
  };
  Operands own;
  const unsigned b[2] = {b0, b1};
  std::memcpy(own.a, a, sizeof a), std::memcpy(own.b, b, sizeof b);
  const host_gpu::Lanes<Operands> all(own);
  const unsigned lane = host_gpu::lane();
  for (unsigned e = 0; e < 4; ++e) {
    const unsigned row = lane / 4 + 8 * (e / 2), column = lane % 4 * 2 + e % 2;
    for (unsigned k = 0; k < 16; ++k)
      d[e] += to_float(all.of[row % 8 * 4 + k % 8 / 2].a[row / 8 + 2 * (k / 8)][k % 2]) *
              to_float(all.of[column * 4 + k % 8 / 2].b[k / 8][k % 2]);
  }
}
