// The micro-kernel that every fast CPU row shares: one register tile of outputs.
//
//   to[i][j] = bias[j] + Σ_s Σ_k rows[s][i][k] · panel[s·length + k][j]      i < pixels, j < channels ≤ width
//
// or, where the sum is a later one of several pieces, added to what to[i][j] holds, without the bias.
//
// The left operand is not a matrix but a pointer for each pixel and segment, so a tile may be any set of pixels:
// windows of an im2win tensor (one segment), runs of a picture read in place (one segment a filter row or tap; padding
// is a pointer to zeros), rows of an im2col matrix. The right operand is a panel of the filter, packed so that the
// values of one k for all output channels of the panel are contiguous; or w as it lies, where they are a filter apart.
//
//   registers   AVX-512, NEON   14 pixels × 2 vectors = 28 accumulators of 32
//               AVX2, SSE4       6 pixels × 2 vectors = 12 accumulators of 16
//
// Each k loads 2 vectors of the panel and broadcasts one value a pixel: 28 multiply-adds for 16 loads. Written with
// Highway, which compiles it once an instruction set and picks one when the program starts.
#pragma once

#include <cstdint>
#include <string>

namespace convlens::simd {

// A panel that is not packed: (k, j) is first[within[k] + j·step].
struct FilterInPlace {
  const float* first = nullptr;
  std::int64_t step = 0;
  const std::int64_t* within = nullptr;

  float operator()(std::int64_t k, std::int64_t j) const { return first[within[k] + j * step]; }
};

struct Tile {
  std::int64_t pixels = 0;  // 1 … tile_pixels()
  std::int64_t segments = 0;
  std::int64_t length = 0;             // of a segment, in floats
  const float* const* rows = nullptr;  // [segments][pixels]
  const float* panel = nullptr;        // [segments·length][tile_width()], aligned to a vector; or null, and then
  FilterInPlace filter = {};           // where its values are
  const float* bias = nullptr;         // [tile_width()]
  float* const* to = nullptr;          // [pixels], where the channels of each pixel go
  std::int64_t to_offset = 0;          // added to each of them, in floats
  std::int64_t channels = 0;           // how many of the panel's channels exist
  bool add = false;                    // to what is there; no bias
  bool prefetch = false;               // ask for the cache lines of the output before they are needed
  bool nontemporal = false;            // write past the caches where a row is aligned to a vector
};

int tile_pixels();              // the most pixels of a tile on this machine, at most kMostPixels
int tile_width();               // channels of a panel on this machine: two vectors, at most kMostWidth
std::string instruction_set();  // as Highway names it: "AVX3" is AVX-512
inline constexpr int kMostPixels = 14, kMostWidth = 128;

void multiply(const Tile& tile);
void multiply_scalar(const Tile& tile);  // the same sums in the same order, one number at a time

// The micro-kernel of a depthwise layer, where each output channel j has an input channel of its own:
//
//   Y(i, j) = bias(j) + Σ_s rows(s, i)[from + j] · panel(s, j)
//
// A segment is a tap of length 1, of all channels. The vectors run over channels, of x as of the filter: each tap loads
// 2 vectors of the panel and 2 of each pixel, a load a multiply-add. Its sums are never in pieces.
void multiply_depthwise(const Tile& tile, std::int64_t from);
void multiply_depthwise_scalar(const Tile& tile, std::int64_t from);

}  // namespace convlens::simd
