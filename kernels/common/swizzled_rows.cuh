// A tile in shared memory as rows of 64 two-byte elements. Their 16-byte pieces are permuted so that neither reading a
// column of pieces nor a row meets a bank of shared memory twice:
//
//   piece j of row r lies at r·128 + 16·(j xor r mod 8)
//
// The copy engine does so by itself (tma.cuh); a tile of its begins at a multiple of 1024 bytes.
#pragma once

constexpr int row_bytes = 128, row_elements = 64;

__device__ __forceinline__ constexpr int swizzled(int row, int piece) {
  return row * row_bytes + ((piece ^ row % 8) << 4);
}
