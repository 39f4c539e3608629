// The loop nest around the micro-kernel that the fast CPU rows share.
//
//   for each block of output rows            shared out between threads; its windows stay in the L2 cache
//     for each piece of the reduction        a few channels of all taps, or everything
//       prepare the block's windows          im2win, im2col: form them; direct: nothing
//       for each panel of the filter         stays in L1 or L2 while the block's tiles use it
//         for each tile of the block's pixels   accumulates in registers
//
// The filter is packed before the loops, panel by panel within them, or not at all: `pack`.
//
// Each output is summed in the order of k, piece by piece, and pieces depend on the problem and its options alone: so
// results do not depend on blocks, tiles or threads.
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

// How an output is cut into blocks; and how the panels of each are shared out, where there are too few blocks for all
// threads: the windows of a block are then made once a share.
struct Blocking {
  std::int64_t images = 1, rows = 1, shares = 1;

  std::int64_t count(const ConvProblem& p) const { return per_batch(p) * per_image(p) * shares; }
  Block at(const ConvProblem& p, std::int64_t index) const {
    index /= shares;
    const std::int64_t n = index / per_image(p) * images, row = index % per_image(p) * rows;
    return {n, std::min(images, p.n() - n), row, std::min(rows, p.ho() - row)};
  }

 private:
  std::int64_t per_batch(const ConvProblem& p) const { return (p.n() + images - 1) / images; }
  std::int64_t per_image(const ConvProblem& p) const { return (p.ho() + rows - 1) / rows; }
};

// Who packs the filter: the row before its loops, each thread the panels that it is about to use, or nobody.
enum class Pack : std::uint8_t { on, block, off };

// What of the loop nest can be switched off, to see what it is worth.
struct Switches {
  bool simd = true, register_tile = true, prefetch = true, nontemporal = false;
  Pack pack = Pack::on;
};
Pack choose_pack(const Request& request);
Switches switches(const Request& request);

// As many output rows as keep `row_bytes` each within half an L2 cache, but so that every thread gets several blocks;
// where each block `packs` its panels, few large ones instead, and shares of them.
Blocking choose_blocking(const Request& request, const Panels& panels, std::int64_t row_bytes, bool packs);
// How many pieces the channels are taken in where each block packs its panels: the fewest equal ones that leave a
// piece's panel and windows in the nearest caches, but of whole vectors of channels. One where there are groups.
std::int64_t channel_pieces(const Request& request);
int used_threads(const Request& request);
std::vector<Option> block_options();  // simd, threads, register_tile, cache_block
std::vector<Option> loop_options();   // these, pack, prefetch and nontemporal

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

// The filter as the loops find it.
struct Filter {
  View<const float> w;
  std::span<const FilterValue> values;  // of w
  const std::int64_t* within;           // their offsets in the order of k; unless packed
  const float* bias;                    // by panels.pack_bias
  float* packed;                        // by panels.pack; or of each thread a piece of panels.at_a_time(); or null
};

struct BlockLoop {
  const ConvProblem& problem;
  const Panels& panels;
  Filter filter;
  View<float> y;
  Blocking blocking;
  Switches switches;
  int threads;
  std::int64_t step = switches.register_tile ? tile_pixels() : 1;   // pixels of a full tile
  bool nontemporal = switches.nontemporal && panels.pieces() == 1;  // what is added to must stay in the cache

  // Windows offers
  //   segments(), length()                      of each pixel's window, or the piece of it
  //   prepare(block, piece, thread)             makes the windows of the block, each piece where the last one was
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
        for (std::int64_t piece = 0; piece < panels.pieces(); ++piece) {
          windows.prepare(block, piece, thread);
          for (std::int64_t g = 0; g < panels.groups(); ++g) {
            if (piece == 0 || panels.groups() > 1) find_windows(windows, block, g, thread, tiles);
            multiply_group(windows, g, piece, index % blocking.shares, thread, tiles);
          }
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

  // Panels outermost, so that a panel is read from L2 by all tiles of the block; those that fit into L1 along with a
  // tile's windows take the other order, which reads those windows once.
  template <class Windows>
  void multiply_group(const Windows& windows, std::int64_t g, std::int64_t piece, std::int64_t share, int thread,
                      const Tiles& tiles) const {
    const std::int64_t at_a_time = panels.at_a_time(), size = panels.piece_reduction() * panels.width();
    float* const own = filter.packed + (switches.pack == Pack::block ? thread * at_a_time * size : 0);
    const std::int64_t end = panels.per_group() * (share + 1) / blocking.shares;
    for (std::int64_t b = panels.per_group() * share / blocking.shares; b < end; b += at_a_time) {
      if (switches.pack == Pack::block)
        for (std::int64_t k = 0; k < at_a_time; ++k)
          panels.pack(filter.w, filter.values, g, b + k, piece, own + k * size);
      for (std::int64_t first = 0; first < tiles.pixels(); first += step)
        for (std::int64_t k = 0; k < at_a_time; ++k) {
          Tile tile = tile_of(windows, g, b + k, first, tiles);
          tile.add = piece > 0;
          if (switches.pack == Pack::off)
            tile.filter = {&filter.w(panels.first_channel(g, b + k), 0, 0, 0), filter.w.strides[0],
                           filter.within + piece * panels.piece_reduction()};
          else
            tile.panel = switches.pack == Pack::block ? own + k * size : filter.packed + panels.offset(g, b + k, piece);
          multiply_tile(tile, first, tiles);
        }
    }
  }

  template <class Windows>
  Tile tile_of(const Windows& windows, std::int64_t g, std::int64_t b, std::int64_t first, const Tiles& tiles) const {
    return {.pixels = std::min(step, tiles.pixels() - first),
            .segments = windows.segments(),
            .length = windows.length(),
            .rows = tiles.rows.data() + first * windows.segments(),
            .bias = filter.bias + panels.bias_offset(g, b),
            .to = tiles.to.data() + first,
            .to_offset = panels.first_channel(g, b),
            .channels = panels.channels(b),
            .prefetch = switches.prefetch && !nontemporal,
            .nontemporal = nontemporal};
  }

  void multiply_tile(Tile tile, std::int64_t first, const Tiles& tiles) const {
    const std::int64_t o = tile.to_offset;
    if (y.strides[1] == 1) return multiply_one(tile, o);

    // Channels that are not contiguous in y are computed side by side, then written apart.
    alignas(64) float out[kMostPixels * kMostWidth];
    float* apart[kMostPixels];
    for (std::int64_t i = 0; i < tile.pixels; ++i) apart[i] = out + i * kMostWidth;
    tile.to = apart;
    tile.to_offset = 0;
    tile.nontemporal = false;
    if (tile.add)
      for (std::int64_t j = 0; j < tile.channels; ++j)
        for (std::int64_t i = 0; i < tile.pixels; ++i)
          apart[i][j] = tiles.to[static_cast<std::size_t>(first + i)][(o + j) * y.strides[1]];
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
  Blocking blocking;
  Switches switches;
  int threads;
  bool bounded = false;  // packs before the loops, because packing by block would take more memory

  // `row_bytes` are those that the windows of one output row take, `held_bytes` those of them, or of their borders,
  // that a thread stores for each row of its block. Where packing by block would take more memory than packing before
  // the loops, the latter is done, with the same sums.
  LoopPlan(const Request& request, const Panels& panels, std::int64_t row_bytes, std::int64_t held_bytes);

  // Everything but how to execute: `stages` and the panels, and `scratch` and their bias.
  Decisions decisions(std::vector<Stage> stages, std::vector<Buffer> scratch) const;

  // Packs the filter, if that has not been done already, and runs the loops.
  template <class Windows>
  void run(const Arguments& a, const Workspace& workspace, bool packed_already, const Windows& windows) const {
    const auto w = a.w.as<float>();
    const std::vector<FilterValue> values = panels.values(w);
    std::vector<std::int64_t> within;
    if (switches.pack == Pack::off) {
      within.resize(values.size());
      for (const FilterValue& value : values) within[static_cast<std::size_t>(value.k)] = value.offset;
    }
    float* const bias = workspace.get<float>("panel_bias");
    float* const packed = switches.pack == Pack::off ? nullptr : workspace.get<float>("panels");
    if (!packed_already) panels.pack_bias(a.bias.as<float>(), bias);
    if (!packed_already && switches.pack == Pack::on) panels.pack(w, values, packed, threads);
    const Filter filter{w, values, within.data(), bias, packed};
    BlockLoop{problem, panels, filter, a.y.as<float>(), blocking, switches, threads}.run(windows);
  }
};

// The rows of a picture that the windows of one output row add to those of the one before it, in bytes.
std::int64_t picture_row_bytes(const Request& request);

}  // namespace convlens::simd
