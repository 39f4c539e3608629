// Blocks of tiles: what a thread of a transforming row transforms, multiplies and transforms back while it is in its
// cache. Tile (n, t, s) is in row t and column s of those that cover the outputs of image n.
#pragma once

#include <algorithm>
#include <cstdint>

namespace convlens::simd {

inline std::int64_t parts(std::int64_t all, std::int64_t size) { return (all + size - 1) / size; }

// The least number of floats ≥ `floats` that fills an odd number of cache lines. Rows that are a power of two apart
// would all fall into the same few sets of a cache; rows an odd number of lines apart spread over all of them.
inline std::int64_t odd_lines(std::int64_t floats) {
  constexpr std::int64_t kLine = 64 / sizeof(float);
  return (parts(floats, kLine) / 2 * 2 + 1) * kLine;
}

struct TileBlock {
  std::int64_t first_n = 0, images = 1, first_t = 0, rows = 1, first_s = 0, columns = 1;

  std::int64_t tiles() const { return images * rows * columns; }

  // Calls visit(i, n, t, s) for each tile, i counting them.
  template <class Visit>
  void for_each(Visit&& visit) const {
    std::int64_t i = 0;
    for (std::int64_t n = first_n; n < first_n + images; ++n)
      for (std::int64_t t = first_t; t < first_t + rows; ++t)
        for (std::int64_t s = first_s; s < first_s + columns; ++s) visit(i++, n, t, s);
  }
};

// The size of parts of `all` that are at most `most` each, as equal as they can be.
inline std::int64_t share(std::int64_t all, std::int64_t most) {
  return parts(all, parts(all, std::max<std::int64_t>(1, most)));
}

// How all tiles are cut into blocks of at most `most`: whole images if they are that small, or else rows of tiles, or
// else pieces of one row; as equal as they can be.
struct TileBlocking {
  std::int64_t n, tiles_h, tiles_w;
  std::int64_t images = 1, rows = 1, columns = 1;  // of a block

  TileBlocking(std::int64_t batch, std::int64_t rows_of_tiles, std::int64_t columns_of_tiles, std::int64_t most)
      : n(batch), tiles_h(rows_of_tiles), tiles_w(columns_of_tiles) {
    columns = share(tiles_w, most);
    if (columns == tiles_w) rows = share(tiles_h, most / tiles_w);
    if (columns == tiles_w && rows == tiles_h) images = share(std::max<std::int64_t>(1, n), most / (tiles_h * tiles_w));
  }

  std::int64_t tiles() const { return images * rows * columns; }
  std::int64_t all_tiles() const { return n * tiles_h * tiles_w; }
  std::int64_t count() const { return parts(n, images) * parts(tiles_h, rows) * parts(tiles_w, columns); }
  TileBlock at(std::int64_t index) const {
    const std::int64_t s = index % parts(tiles_w, columns) * columns;
    index /= parts(tiles_w, columns);
    const std::int64_t t = index % parts(tiles_h, rows) * rows, first = index / parts(tiles_h, rows) * images;
    return {first, std::min(images, n - first), t, std::min(rows, tiles_h - t), s, std::min(columns, tiles_w - s)};
  }
};

}  // namespace convlens::simd
