// The loop nest that rows which transform tiles and filters share, in one of three orders.
//
//   tiles    for each block of tiles: transform it; for each panel: multiply, transform back     all panels filled
//   first panels   for each panel: fill it; for each block of tiles: multiply, transform back          all tiles
//   transformed first stored   transform all tiles, fill all panels, multiply everything, transform everything back
//
// What is outermost is shared out between threads, and exists for one block, or panel, a thread. Each output passes
// through the same sums in every order, so results do not depend on orders, blocks or threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "algorithms/interface/option.h"
#include "algorithms/interface/plan.h"
#include "algorithms/simd/tile_blocks.h"

namespace convlens::simd {

enum class TileOrder : std::uint8_t { tiles, panels, stored };

// The option `fuse`: auto takes tiles or panels.
Option fuse_option();

// What `fuse` asks for. auto makes the larger of transformed tiles and panels piece by piece where it is needed and
// stores the smaller, unless that leaves threads without a piece.
TileOrder choose_order(const Request& request, const TileBlocking& blocking, std::int64_t panels, int threads);

// As many output channels as the products keep in memory: those of one panel, or of a group where the panels of a group
// begin elsewhere than those of the next; all of them when they are stored.
std::int64_t resident_outputs(const ConvProblem& problem, std::int64_t panel_width, TileOrder order);

// Where a cell lies in the memory of the calling thread, where each has a copy of the stage, or of all.
std::int64_t place_of(const Stage& stage, const Coord& cell);

// Passes offers
//   Work                              what a thread keeps about the block that it works on
//   begin(work, block)                finds the block's tiles in memory
//   transform_input(work)
//   fill(panel, piece)                panels are numbered, and filled piece by piece
//   multiply(work, panel)
//   transform_output(work, panel)
template <class Passes>
struct TileLoop {
  const Passes& passes;
  TileBlocking blocking;
  std::int64_t panels, pieces;
  int threads;

  void run(TileOrder order) const {
    switch (order) {
      case TileOrder::tiles:
        return tiles_outermost();
      case TileOrder::panels:
        return panels_outermost();
      case TileOrder::stored:
        return one_after_the_other();
    }
  }

 private:
  using Work = typename Passes::Work;

  template <class Pass>
  void for_each_block(const TileBlocking& blocks, Pass&& pass) const {
#pragma omp parallel num_threads(threads)
    {
      Work work;
#pragma omp for schedule(dynamic)
      for (std::int64_t block = 0; block < blocks.count(); ++block) {
        passes.begin(work, blocks.at(block));
        pass(work);
      }
    }
  }

  // Where nothing is multiplied in between, blocks may be smaller: so many that all threads have some.
  void transform_all_input() const {
    constexpr std::int64_t kBlocksPerThread = 4;
    const std::int64_t most = parts(blocking.all_tiles(), kBlocksPerThread * threads);
    const TileBlocking shared(blocking.n, blocking.tiles_h, blocking.tiles_w, std::min(blocking.tiles(), most));
    for_each_block(shared, [&](Work& work) { passes.transform_input(work); });
  }

  void fill_all() const {
#pragma omp parallel for collapse(2) num_threads(threads)
    for (std::int64_t panel = 0; panel < panels; ++panel)
      for (std::int64_t piece = 0; piece < pieces; ++piece) passes.fill(panel, piece);
  }

  void tiles_outermost() const {
    fill_all();
    for_each_block(blocking, [&](Work& work) {
      passes.transform_input(work);
      for (std::int64_t panel = 0; panel < panels; ++panel) {
        passes.multiply(work, panel);
        passes.transform_output(work, panel);
      }
    });
  }

  void panels_outermost() const {
    transform_all_input();
#pragma omp parallel num_threads(threads)
    {
      Work work;
#pragma omp for schedule(dynamic)
      for (std::int64_t panel = 0; panel < panels; ++panel) {
        for (std::int64_t piece = 0; piece < pieces; ++piece) passes.fill(panel, piece);
        for (std::int64_t block = 0; block < blocking.count(); ++block) {
          passes.begin(work, blocking.at(block));
          passes.multiply(work, panel);
          passes.transform_output(work, panel);
        }
      }
    }
  }

  void one_after_the_other() const {
    transform_all_input();
    fill_all();
    for_each_block(blocking, [&](Work& work) {
      for (std::int64_t panel = 0; panel < panels; ++panel) passes.multiply(work, panel);
    });
    for_each_block(blocking, [&](Work& work) {
      for (std::int64_t panel = 0; panel < panels; ++panel) passes.transform_output(work, panel);
    });
  }
};

}  // namespace convlens::simd
