#include "algorithms/simd/tile_loop.h"

#include <omp.h>

#include <algorithm>

namespace convlens::simd {

Option fuse_option() {
  return {"fuse",
          "Fusion",
          "Take a block of tiles through all passes, or a panel of filters, or store what every pass makes; auto "
          "stores the smaller of transformed tiles and filters.",
          {"auto", "tiles", "panels", "stored"},
          "auto",
          true};
}

TileOrder choose_order(const Request& request, const TileBlocking& blocking, std::int64_t panels, int threads) {
  if (request.options.is("fuse", "tiles")) return TileOrder::tiles;
  if (request.options.is("fuse", "panels")) return TileOrder::panels;
  if (request.options.is("fuse", "stored")) return TileOrder::stored;
  const ConvProblem& p = request.problem;
  if (panels < std::min<std::int64_t>(threads, blocking.count())) return TileOrder::tiles;
  if (blocking.count() < std::min<std::int64_t>(threads, panels)) return TileOrder::panels;
  // C_i a tile against C_i/G an output channel.
  return p.n() * blocking.tiles_h * blocking.tiles_w * p.groups() > p.co() ? TileOrder::tiles : TileOrder::panels;
}

std::int64_t resident_outputs(const ConvProblem& p, std::int64_t panel_width, TileOrder order) {
  if (order == TileOrder::stored) return p.co();
  const bool aligned = p.groups() == 1 || p.co_per_group() % panel_width == 0;
  return std::min(p.co_per_group(), aligned ? panel_width : p.co_per_group());
}

std::int64_t place_of(const Stage& stage, const Coord& cell) {
  return stage.offset(cell) + (stage.copies > 1 ? omp_get_thread_num() * stage.resident_cells() : 0);
}

}  // namespace convlens::simd
