#include "kernels/winograd/chain_tiles.h"

#include <algorithm>

namespace convlens::gpu {

namespace {

// Neighbouring tiles along a row of an image, or, images fastest, one tile of neighbouring images; and channels.
struct Part {
  std::int64_t n = 0, t = 0, s = 0, images = 1, columns = 1;
  std::int64_t channel = 0, channels = 1;
};

std::vector<Part> parts_of_tiles(const Chain& chain, std::int64_t first_image, std::int64_t images, std::int64_t tile,
                                 std::int64_t count, std::int64_t channel, std::int64_t channels) {
  const std::int64_t down = chain.nested->rows.tiles(), across = chain.nested->columns.tiles();
  std::vector<Part> parts;
  if (chain.images_fastest)
    for (const Run& run : runs_of_range(tile, count, across, images))  // tiles are (t, s, n)
      parts.push_back({first_image + run.column, run.image, run.row, run.count, 1, channel, channels});
  else
    for (const Run& run : runs_of_range(tile, count, down, across))
      parts.push_back({first_image + run.image, run.row, run.column, 1, run.count, channel, channels});
  return parts;
}

// What the threads of a block of item_of_thread (winograd.cuh) work on.
std::vector<Part> parts_of_block(const Chain& chain, bool tiles_fastest, std::int64_t channels, std::int64_t first,
                                 std::int64_t images, std::int64_t threads, std::int64_t block) {
  const std::int64_t tiles = images * chain.nested->tiles();
  if (tiles_fastest) {
    const std::int64_t blocks = ceil_div(tiles, threads), tile = block % blocks * threads;
    return parts_of_tiles(chain, first, images, tile, std::min(threads, tiles - tile), block / blocks, 1);
  }
  std::vector<Part> parts;
  const std::int64_t index = block * threads;
  for (const Run& run : runs_of_range(index, std::min(threads, tiles * channels - index), 1, channels))
    for (const Part& part : parts_of_tiles(chain, first, images, run.image, 1, run.column, run.count))
      parts.push_back(part);
  return parts;
}

std::vector<Box> of_all_points(const Chain& chain, const std::vector<Part>& parts) {
  std::vector<Box> boxes;
  for (const Part& part : parts)
    boxes.push_back({{0, 0, part.n, part.t, part.s, part.channel},
                     {chain.nested->rows.n(), chain.nested->columns.n(), part.images, 1, part.columns, part.channels}});
  return boxes;
}

// Without what overhangs y.
std::vector<Box> of_outputs(const Chain& chain, const std::vector<Part>& parts) {
  const TileAxis &rows = chain.nested->rows, &columns = chain.nested->columns;
  std::vector<Box> boxes;
  for (const Part& part : parts) {
    const std::int64_t q = part.s * columns.m, end = std::min(columns.outputs, (part.s + part.columns) * columns.m);
    boxes.push_back(
        {{part.n, part.channel, part.t * rows.m, q}, {part.images, part.channels, rows.kept(part.t), end - q, 1, 1}});
  }
  return boxes;
}

}  // namespace

std::vector<Box> input_boxes(const Chain& chain, std::int64_t first, std::int64_t images, std::int64_t threads,
                             std::int64_t block) {
  return of_all_points(
      chain, parts_of_block(chain, chain.v_tiles_fastest, chain.problem().ci(), first, images, threads, block));
}

std::vector<Box> filter_boxes(const Chain& chain, std::int64_t threads, std::int64_t block) {
  const ConvProblem& p = chain.problem();
  const std::int64_t first = block * threads, count = std::min(threads, p.co() * p.ci_per_group() - first);
  const std::int64_t h = chain.nested->rows.n(), w = chain.nested->columns.n();
  std::vector<Box> boxes;
  if (chain.u_inputs_fastest)
    for (const Run& run : runs_of_range(first, count, 1, p.ci_per_group()))
      boxes.push_back({{0, 0, run.image, run.column}, {h, w, 1, run.count, 1, 1}});
  else
    for (const Run& run : runs_of_range(first, count, 1, p.co()))
      boxes.push_back({{0, 0, run.column, run.image}, {h, w, run.count, 1, 1, 1}});
  return boxes;
}

std::vector<Box> product_boxes(const Chain& chain, const ProductTile& tile, std::int64_t first, std::int64_t images) {
  const bool tiles_are_columns = chain.m_tiles_fastest;
  const std::int64_t channel = tile.inner * chain.problem().co_per_group() + (tiles_are_columns ? tile.i : tile.j);
  std::vector<Box> boxes =
      of_all_points(chain, parts_of_tiles(chain, first, images, tiles_are_columns ? tile.j : tile.i,
                                          tiles_are_columns ? tile.columns : tile.rows, channel,
                                          tiles_are_columns ? tile.rows : tile.columns));
  const std::int64_t across = chain.nested->columns.n();
  for (Box& box : boxes) {
    box.first[0] = tile.outer / across, box.first[1] = tile.outer % across;
    box.extent[0] = box.extent[1] = 1;
  }
  return boxes;
}

std::vector<Box> output_boxes(const Chain& chain, std::int64_t first, std::int64_t images, std::int64_t threads,
                              std::int64_t block) {
  return of_outputs(chain,
                    parts_of_block(chain, chain.m_tiles_fastest, chain.problem().co(), first, images, threads, block));
}

std::vector<Box> fused_boxes(const Chain& chain, std::int64_t tiles, std::int64_t outputs, std::int64_t block) {
  const ConvProblem& p = chain.problem();
  const std::int64_t across = ceil_div(p.co_per_group(), outputs), o = block % across * outputs;
  const std::int64_t group = block / across % p.groups(), tile = block / across / p.groups() * tiles;
  const std::int64_t left = p.n() * chain.nested->tiles() - tile;
  return of_outputs(chain, parts_of_tiles(chain, 0, p.n(), tile, std::min(tiles, left), group * p.co_per_group() + o,
                                          std::min(outputs, p.co_per_group() - o)));
}

}  // namespace convlens::gpu
