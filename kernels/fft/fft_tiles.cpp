#include "kernels/fft/fft_tiles.h"

#include <algorithm>

#include "kernels/common/products.h"

namespace convlens::gpu {

namespace {

struct Part {
  std::int64_t channel, channels, tile, tiles;  // channels count phases
};

// As first_of_block in fft_block.cuh.
Part part_of_block(const TransformBlock& shape, std::int64_t channels, std::int64_t phases, std::int64_t tiles,
                   std::int64_t block) {
  Part part{};
  if (shape.channels == 1) {
    const std::int64_t down = ceil_div(tiles, shape.tiles), neighbour = block / phases;
    part.channel = neighbour / down * phases + block % phases, part.tile = neighbour % down * shape.tiles;
  } else {
    const std::int64_t across = ceil_div(channels, shape.channels);
    part.channel = block % across * shape.channels, part.tile = block / across * shape.tiles;
  }
  part.channels = std::min(shape.channels, channels - part.channel);
  part.tiles = std::min(shape.tiles, tiles - part.tile);
  return part;
}

std::vector<Run> tile_runs(const Spectra& s, std::int64_t tile, std::int64_t tiles) {
  return runs_of_range(tile, tiles, s.rows.tiles(), s.columns.tiles());
}

}  // namespace

std::vector<Box> input_boxes(const ConvProblem& p, const Spectra& s, const TransformBlock& shape, std::int64_t first,
                             std::int64_t tiles, std::int64_t block) {
  const std::int64_t phases = s.phases();
  const Part part = part_of_block(shape, p.ci() * phases, phases, tiles, block);
  std::vector<Box> boxes;
  for (const Run& run : tile_runs(s, part.tile, part.tiles))
    for (std::int64_t channel = part.channel; channel < part.channel + part.channels; ++channel)
      boxes.push_back({{first + run.image, channel / phases, channel % phases, run.row, run.column, 0},
                       {1, 1, 1, 1, run.count, s.bins}});
  return boxes;
}

std::vector<Box> filter_boxes(const ConvProblem& p, const Spectra& s, const TransformBlock& shape, std::int64_t entries,
                              std::int64_t block) {
  const std::int64_t phases = s.phases();
  const Part part = part_of_block(shape, p.ci_per_group() * phases, phases, p.co(), block);
  std::vector<Box> boxes;
  for (std::int64_t channel = part.channel; channel < part.channel + part.channels; ++channel)
    boxes.push_back({{part.tile, channel / phases, channel % phases, 0, 0}, {part.tiles, 1, 1, s.bins, entries, 1}});
  return boxes;
}

std::vector<Box> output_boxes(const ConvProblem& p, const Spectra& s, const TransformBlock& shape, std::int64_t first,
                              std::int64_t tiles, std::int64_t block) {
  const Part part = part_of_block(shape, p.co(), 1, tiles, block);
  std::vector<Box> boxes;
  for (const Run& run : tile_runs(s, part.tile, part.tiles)) {
    const std::int64_t q = run.column * s.columns.per_tile();
    const std::int64_t end = std::min<std::int64_t>(s.columns.outputs, (run.column + run.count) * s.columns.per_tile());
    boxes.push_back({{first + run.image, part.channel, run.row * s.rows.per_tile(), q},
                     {1, part.channels, s.rows.outputs_of(static_cast<int>(run.row)), end - q, 1, 1}});
  }
  return boxes;
}

std::vector<Box> product_boxes(const Spectra& s, std::int64_t first, std::int64_t tile, std::int64_t tiles,
                               std::int64_t channel, std::int64_t channels, std::int64_t bin) {
  std::vector<Box> boxes;
  for (const Run& run : tile_runs(s, tile, tiles))
    boxes.push_back({{first + run.image, channel, run.row, run.column, bin}, {1, channels, 1, run.count, 1, 1}});
  return boxes;
}

}  // namespace convlens::gpu
