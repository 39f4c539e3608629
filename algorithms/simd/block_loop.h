// The loop nest around the micro-kernel that the fast CPU rows share.
//
//   for each block of output rows            shared out between threads; its windows stay in the L2 cache
//     prepare the block's windows            im2win, im2col: form them; direct: nothing
//     for each panel of the filter           stays in L2 while the block's tiles use it
//       for each tile of the block's pixels  accumulates in registers
//
// Each output is summed by one tile in the order of k, so results do not depend on blocks, tiles or threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <vector>

#include "algorithms/interface/algorithm.h"
#include "algorithms/simd/panels.h"
#include "algorithms/simd/tile.h"

namespace convlens::simd {

// Output rows first_n ≤ n < first_n + images, first_p ≤ p < first_p + rows; rows is H_o when there are several images.
struct Block {
  std::int64_t first_n = 0, images = 1, first_p = 0, rows = 1;
};

// How an output is cut into blocks.
struct Blocking {
  std::int64_t images = 1, rows = 1;

  std::int64_t count(const ConvProblem& p) const { return per_batch(p) * per_image(p); }
  Block at(const ConvProblem& p, std::int64_t index) const {
    const std::int64_t n = index / per_image(p) * images, row = index % per_image(p) * rows;
    return {n, std::min(images, p.n() - n), row, std::min(rows, p.ho() - row)};
  }

 private:
  std::int64_t per_batch(const ConvProblem& p) const { return (p.n() + images - 1) / images; }
  std::int64_t per_image(const ConvProblem& p) const { return (p.ho() + rows - 1) / rows; }
};

// What of the loop nest can be switched off, to see what it is worth.
struct Switches {
  bool simd = true, register_tile = true, prefetch = true, nontemporal = false;
};
Switches switches(const Request& request);
// As many output rows as keep `row_bytes` each within half an L2 cache, but so that every thread gets several blocks.
Blocking choose_blocking(const Request& request, std::int64_t row_bytes);
int used_threads(const Request& request);
std::vector<Option> block_options();  // simd, threads, register_tile, cache_block
std::vector<Option> loop_options();   // these, prefetch and nontemporal

// A row's call and its kernel from one function: compute(arguments, workspace, packed_already), which leaves out
// packing the filter, copying the picture and storing windows where a call before has done so. What is formed block by
// block belongs to the kernel.
template <class Compute>
void set_calls(Decisions& decisions, Compute compute) {
  decisions.execute = [compute](const Arguments& a, const Workspace& w, int, Stream) { compute(a, w, false); };
  decisions.kernel = [compute](const Arguments& a, const Workspace& w, int, Stream) { compute(a, w, true); };
}

// The limit that the fast rows share.
Rule f32_only();

struct BlockLoop {
  const ConvProblem& problem;
  const Panels& panels;
  const float* packed;  // by panels.pack
  View<float> y;
  Blocking blocking;
  Switches switches;
  int threads;
  std::int64_t step = switches.register_tile ? tile_pixels() : 1;  // pixels of a full tile

  // Windows offers
  //   segments(), length()                      of each pixel's window
  //   prepare(block, thread)                    makes the windows of the block
  //   rows(block, n, p, q, count, g, s, thread, out)
  //       where segment s begins for the pixels (n, p, q) … (n, p, q + count − 1) of group g
  template <class Windows>
  void run(const Windows& windows) const {
    const std::int64_t blocks = blocking.count(problem);
#pragma omp parallel num_threads(threads)
    {
      const int thread = omp_get_thread_num();
      Tiles tiles;
#pragma omp for schedule(dynamic)
      for (std::int64_t index = 0; index < blocks; ++index) {
        const Block block = blocking.at(problem, index);
        windows.prepare(block, thread);
        for (std::int64_t g = 0; g < panels.groups(); ++g) {
          find_windows(windows, block, g, thread, tiles);
          multiply_group(windows, g, tiles);
        }
      }
    }
  }

 private:
  // For the pixels of a block: where their outputs go, and tile by tile, segment by segment, where their windows begin.
  struct Tiles {
    std::vector<float*> to;
    std::vector<const float*> rows;
    std::int64_t pixels() const { return static_cast<std::int64_t>(to.size()); }
  };

  template <class Windows>
  void find_windows(const Windows& windows, const Block& block, std::int64_t g, int thread, Tiles& tiles) const {
    const std::int64_t wo = problem.wo(), pixels = block.images * block.rows * wo, segments = windows.segments();
    tiles.to.resize(static_cast<std::size_t>(pixels));
    tiles.rows.resize(static_cast<std::size_t>(pixels * segments));
    std::int64_t n = block.first_n, p = block.first_p, q = 0;
    for (std::int64_t first = 0; first < pixels; first += step) {
      const std::int64_t in_tile = std::min(step, pixels - first);
      const float** rows = tiles.rows.data() + first * segments;
      for (std::int64_t i = 0; i < in_tile;) {  // pieces of the tile within one output row
        const std::int64_t count = std::min(in_tile - i, wo - q);
        for (std::int64_t k = 0; k < count; ++k) tiles.to[static_cast<std::size_t>(first + i + k)] = &y(n, 0, p, q + k);
        for (std::int64_t s = 0; s < segments; ++s)
          windows.rows(block, n, p, q, count, g, s, thread, rows + s * in_tile + i);
        i += count, q += count;
        if (q == wo) q = 0, ++p;
        if (p == block.first_p + block.rows) p = block.first_p, ++n;
      }
    }
  }

  // Panels outermost, so that a panel is read from L2 by all tiles of the block; a filter that fits into L1 along with
  // a tile's windows takes the other order, which reads those windows once.
  template <class Windows>
  void multiply_group(const Windows& windows, std::int64_t g, const Tiles& tiles) const {
    constexpr std::int64_t kHalfL1 = 24 * 1024;
    const std::int64_t panel_bytes = windows.segments() * windows.length() * panels.width() * size_of(DType::f32);
    const std::int64_t panel_step = panels.per_group() * panel_bytes <= kHalfL1 ? panels.per_group() : 1;
    for (std::int64_t b = 0; b < panels.per_group(); b += panel_step)
      for (std::int64_t first = 0; first < tiles.pixels(); first += step)
        for (std::int64_t inner = b; inner < b + panel_step; ++inner) multiply_tile(windows, g, inner, first, tiles);
  }

  template <class Windows>
  void multiply_tile(const Windows& windows, std::int64_t g, std::int64_t b, std::int64_t first,
                     const Tiles& tiles) const {
    const std::int64_t o = panels.first_channel(g, b);
    Tile tile{.pixels = std::min(step, tiles.pixels() - first),
              .segments = windows.segments(),
              .length = windows.length(),
              .rows = tiles.rows.data() + first * windows.segments(),
              .panel = packed + panels.offset(g, b),
              .bias = packed + panels.bias_offset(g, b),
              .to = tiles.to.data() + first,
              .to_offset = o,
              .channels = panels.channels(b),
              .prefetch = switches.prefetch && !switches.nontemporal,
              .nontemporal = switches.nontemporal};
    if (y.strides[1] == 1) return multiply_one(tile, o);

    // Channels that are not contiguous in y are computed side by side, then written apart.
    alignas(64) float out[kMostPixels * kMostWidth];
    float* apart[kMostPixels];
    for (std::int64_t i = 0; i < tile.pixels; ++i) apart[i] = out + i * kMostWidth;
    tile.to = apart;
    tile.to_offset = 0;
    tile.nontemporal = false;
    multiply_one(tile, o);
    for (std::int64_t j = 0; j < tile.channels; ++j)
      for (std::int64_t i = 0; i < tile.pixels; ++i)
        tiles.to[static_cast<std::size_t>(first + i)][(o + j) * y.strides[1]] = apart[i][j];
  }

  // Of a depthwise layer, output channel o reads input channel o.
  void multiply_one(const Tile& tile, std::int64_t o) const {
    if (panels.depthwise())
      switches.simd ? multiply_depthwise(tile, o) : multiply_depthwise_scalar(tile, o);
    else
      switches.simd ? multiply(tile) : multiply_scalar(tile);
  }
};

// What the decisions of a row around this loop nest have in common.
struct LoopPlan {
  ConvProblem problem;
  Panels panels;
  ReductionOrder order;  // of the windows' values
  Blocking blocking;
  Switches switches;
  int threads;

  // `row_bytes` are those that the windows of one output row take; `depthwise` as for Panels.
  LoopPlan(const Request& request, const ReductionOrder& window_order, std::int64_t row_bytes, bool depthwise = false);

  // Everything but how to execute: `stages` and the panels, and `scratch` and their bias.
  Decisions decisions(std::vector<Stage> stages, std::vector<Buffer> scratch) const;

  // Packs the filter, if that has not been done already, and runs the loops.
  template <class Windows>
  void run(const Arguments& a, const Workspace& workspace, bool packed_already, const Windows& windows) const {
    float* const packed = workspace.get<float>("panels");
    if (!packed_already) panels.pack(problem, a.w.as<float>(), a.bias.as<float>(), order, packed, threads);
    BlockLoop{problem, panels, packed, a.y.as<float>(), blocking, switches, threads}.run(windows);
  }
};

// The rows of a picture that the windows of one output row add to those of the one before it, in bytes.
std::int64_t picture_row_bytes(const Request& request);

}  // namespace convlens::simd
