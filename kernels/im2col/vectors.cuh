// Vectors of 16 bytes that are copied, never computed with: an element is its bits.
#pragma once

#include "common/element.cuh"

template <int bytes>
struct BitsOf {
  using Type = unsigned short;
};
template <>
struct BitsOf<4> {
  using Type = unsigned;
};
template <>
struct BitsOf<16> {
  using Type = uint4;
};
using Bits = typename BitsOf<sizeof(Element)>::Type;
constexpr int bits_bytes = sizeof(Bits), vector = 16 / bits_bytes;

// Put together as words: the compiler stores single elements of an array in pieces of 4 bytes.
__device__ __forceinline__ uint4 vector_of(const Bits (&elements)[vector]) {
  unsigned words[4] = {};
#pragma unroll
  for (int e = 0; e < vector; ++e)
    words[e * bits_bytes / 4] |= static_cast<unsigned>(elements[e]) << e * bits_bytes % 4 * 8;
  return {words[0], words[1], words[2], words[3]};
}
__device__ __forceinline__ uint4 vector_of(const uint4 (&whole)[1]) { return whole[0]; }

// Ones where a vector's elements from `begin` to before `end` are, zeros elsewhere.
__device__ __forceinline__ uint4 mask(int begin, int end) {
  unsigned words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {  // bytes first … last − 1 of a word
    const int first = min(max(begin * bits_bytes - 4 * i, 0), 4), last = min(max(end * bits_bytes - 4 * i, 0), 4);
    words[i] = first < last ? ~0u >> 8 * (4 - last + first) << 8 * first : 0;
  }
  return {words[0], words[1], words[2], words[3]};
}
__device__ __forceinline__ uint4 operator&(uint4 a, uint4 b) { return {a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w}; }

// How many elements an address is beyond a multiple of 16 bytes.
__device__ __forceinline__ int phase_of(const Bits* at) {
  return static_cast<int>(reinterpret_cast<unsigned long long>(at) / bits_bytes % vector);
}

// Elements from … from + vector − 1 of a line of x, where a vector of x is; those before `begin` and from `end` on are
// zeros. The tensor, from x to x_end, may begin or end within the vector.
__device__ __forceinline__ uint4 vector_of_line(const Bits* line, int from, int begin, int end, const Bits* x,
                                                const Bits* x_end) {
  uint4 found;
  if (line + from >= x && line + from + vector <= x_end) {
    found = *reinterpret_cast<const uint4*>(line + from);
  } else {
    Bits elements[vector];
#pragma unroll
    for (int e = 0; e < vector; ++e) elements[e] = line + from + e >= x && line + from + e < x_end ? line[from + e] : 0;
    found = vector_of(elements);
  }
  return from >= begin && from + vector <= end ? found : found & mask(begin - from, end - from);
}
