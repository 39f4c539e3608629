// Slices of an operand on their way from global to shared memory: `rows` rows of tile_k elements, by all threads.
//
//   row 0   │ word │ word │ …      a word is 16 bytes, or 4 without vector_io. A thread copies the same word of every
//   row 1   │ word │ word │ …      `rows_at_once`-th row, so that where it lies in a window is worked out once a slice.
//
// `begin` starts a copy and `finish` ends it, the arithmetic being in between. With async_copy the words pass by the
// registers (cp.async, since sm_80); without it a thread keeps them in registers until `finish` stores them.
#pragma once

#include "common/copy_async.cuh"
#include "common/element.cuh"

template <bool vector>
struct WordOf {
  using Type = uint4;
};
template <>
struct WordOf<false> {
  using Type = unsigned;
};
using Word = typename WordOf<vector_io>::Type;
constexpr int word_elements = sizeof(Word) / sizeof(Element);

// The first `valid` elements at `from`, and zeros.
__device__ __forceinline__ Word load_word(const Element* from, int valid) {
  union {
    Word word;
    Element of[word_elements];
  } loaded{};
  if (valid >= word_elements) return *reinterpret_cast<const Word*>(from);
#pragma unroll
  for (int i = 0; i < word_elements; ++i)
    if (i < valid) loaded.of[i] = from[i];
  return loaded.word;
}

// An `Operand` says where its rows lie in memory:
//
//   memory       its first element
//   start(row)   the row's distance from there in runs of eight elements
//   place(e)     the distance of a row's element e from its first, a multiple of a word
//   length       a row's elements; behind them are zeros
//   whole        whether a row's length is a multiple of tile_k, so that nothing is behind it
template <int rows, int threads, class Operand>
struct SliceCopy {
  static constexpr int words = tile_k / word_elements, rows_at_once = threads / words;
  static constexpr int rounds = (rows + rows_at_once - 1) / rows_at_once;
  static_assert(threads % words == 0, "a thread copies the same word of its rows");

  Operand operand;
  int starts[rounds];
  Word staged[async_copy ? 1 : rounds];

  __device__ explicit SliceCopy(const Operand& operand) : operand(operand) {
#pragma unroll
    for (int i = 0; i < rounds; ++i) starts[i] = is_row(i) ? operand.start(row(i)) : 0;
  }
  static __device__ int word() { return threadIdx.x % words; }
  static __device__ int row(int round) { return round * rows_at_once + threadIdx.x / words; }
  static __device__ bool is_row(int round) { return (round + 1) * rows_at_once <= rows || row(round) < rows; }
  static __device__ Element* cell(Element* slice, int round) {
    return slice + row(round) * tile_pitch + word() * word_elements;
  }

  __device__ __forceinline__ void begin(Element* slice, int slice_index) {
    const int e = slice_index * tile_k + word() * word_elements;
    const int left = Operand::whole ? word_elements : max(0, min(word_elements, operand.length - e));
    const long long place = left > 0 ? operand.place(e) : 0;
#pragma unroll
    for (int i = 0; i < rounds; ++i) {
      if (!is_row(i)) continue;
      const Element* const from = operand.memory + (left > 0 ? starts[i] * 8LL + place : 0);
      if constexpr (async_copy)
        copy_async_bytes<sizeof(Word)>(cell(slice, i), from, left * static_cast<int>(sizeof(Element)));
      else
        staged[i] = load_word(from, left);
    }
  }

  // Its own words are then in shared memory; those of other threads after a barrier.
  __device__ __forceinline__ void finish(Element* slice) {
    if constexpr (async_copy) {
      close_batch();
      wait_for_batches<0>();
    } else {
#pragma unroll
      for (int i = 0; i < rounds; ++i)
        if (is_row(i)) *reinterpret_cast<Word*>(cell(slice, i)) = staged[i];
    }
  }
};
