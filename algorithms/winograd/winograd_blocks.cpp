#include "algorithms/winograd/winograd_blocks.h"

#include <algorithm>
#include <vector>

#include "algorithms/simd/tile.h"

namespace convlens {

namespace {

struct Passes {
  const BlockSetting& setting;
  const BlockArguments& a;

  const ConvProblem& p = setting.problem;
  const Nested& f = *setting.nested;
  const std::int64_t points = f.products();
  const std::int64_t v_point = setting.v.axes[1].stride, m_point = setting.m.axes[1].stride;
  const std::int64_t p_point = setting.p.axes[1].stride;

  using Panel = WinogradPanels::Panel;

  float* place(const Panel& panel) const { return a.p + simd::place_of(setting.p, {0, 0, panel.g, panel.b, 0, 0}); }

  // A block, and what to know of its tiles in the memory of the thread that works on it.
  struct Work {
    simd::TileBlock block;
    std::vector<std::int64_t> v, m;  // where a tile begins, for its first point and channel
    std::vector<const float*> rows;
    std::vector<float*> products;
  };

  void begin(Work& work, const simd::TileBlock& block) const {
    work.block = block;
    const auto tiles = static_cast<std::size_t>(work.block.tiles());
    work.v.resize(tiles), work.m.resize(tiles), work.rows.resize(tiles), work.products.resize(tiles);
    work.block.for_each([&](std::int64_t i, std::int64_t n, std::int64_t t, std::int64_t s) {
      work.v[static_cast<std::size_t>(i)] = simd::place_of(setting.v, {0, 0, n, t, s, 0});
      work.m[static_cast<std::size_t>(i)] = simd::place_of(setting.m, {0, 0, n, t, s, 0});
    });
  }

  // Where the n_h·n_w pixels of a tile lie; the padding is zeros.
  void find_pixels(std::int64_t n, std::int64_t t, std::int64_t s, const float** pixels) const {
    const std::int64_t first = f.columns.first_input(s), end = first + f.columns.n(), step = a.x.strides[3];
    for (std::int64_t h = f.rows.first_input(t); h < f.rows.first_input(t) + f.rows.n(); ++h) {
      const bool inside = f.rows.inside(h);
      const float* const row = inside ? &a.x(n, 0, h, 0) : a.zeros;
      for (std::int64_t w = first; w < end; ++w) *pixels++ = inside && f.columns.inside(w) ? row + w * step : a.zeros;
    }
  }

  // Asks for the pixels that a tile does not share with the one to its left.
  void prefetch(const float* const* pixels) const {
    constexpr std::int64_t kLine = 64 / sizeof(float);
    for (std::int64_t k = 0; k < points; ++k)
      if (k % f.columns.n() >= f.columns.n() - f.columns.m)
        for (std::int64_t c = 0; c < p.ci(); c += kLine) __builtin_prefetch(pixels[k] + c);
  }

  void transform_input(const Work& work) const {
    const float* pixels[2][kMaxTile];  // of a tile, and of the one before it, which is transformed meanwhile
    float* out[kMaxTile];
    for (std::int64_t k = 0; k < points; ++k) out[k] = a.v + k * v_point;
    const auto transform = [&](std::int64_t i) {
      setting.input.apply({.in = pixels[i % 2],
                           .out = out,
                           .out_offset = work.v[static_cast<std::size_t>(i)],
                           .rows = f.rows.n(),
                           .columns = f.columns.n(),
                           .channels = p.ci()},
                          setting.simd);
    };
    work.block.for_each([&](std::int64_t i, std::int64_t n, std::int64_t t, std::int64_t s) {
      find_pixels(n, t, s, pixels[i % 2]);
      if (setting.prefetch) prefetch(pixels[i % 2]);
      if (i > 0) transform(i - 1);
    });
    transform(work.block.tiles() - 1);
  }

  void fill(std::int64_t number, std::int64_t piece) const {
    const Panel panel = setting.panels.at(number);
    setting.panels.fill(panel, piece, setting.filter, a.w, place(panel), p_point, setting.simd);
  }

  // Where the outputs of a panel lie among those of M that are in memory.
  std::int64_t place_in_m(const Panel& panel) const { return panel.first_output % setting.m.axes[5].resident; }

  void multiply(Work& work, std::int64_t number) const {
    const Panel panel = setting.panels.at(number);
    const auto tiles = static_cast<std::int64_t>(work.v.size());
    const std::int64_t step = simd::share(tiles, setting.step);
    const float* const filters = place(panel);
    for (std::size_t i = 0; i < work.m.size(); ++i) work.products[i] = a.m + work.m[i];
    for (std::int64_t k = 0; k < points; ++k) {
      const float* const point = a.v + k * v_point + panel.g * p.ci_per_group();
      for (std::size_t i = 0; i < work.v.size(); ++i) work.rows[i] = point + work.v[i];
      for (std::int64_t first = 0; first < tiles; first += step) {
        const simd::Tile tile{.pixels = std::min(step, tiles - first),
                              .segments = 1,
                              .length = p.ci_per_group(),
                              .rows = work.rows.data() + first,
                              .panel = filters + k * p_point,
                              .bias = a.zeros,
                              .to = work.products.data() + first,
                              .to_offset = k * m_point + place_in_m(panel),
                              .channels = panel.outputs};
        setting.simd ? simd::multiply(tile) : simd::multiply_scalar(tile);
      }
    }
  }

  void transform_output(const Work& work, std::int64_t number) const {
    const Panel panel = setting.panels.at(number);
    const bool contiguous = a.y.strides[1] == 1;
    const float* in[kMaxTile];
    float* out[kMaxTile];
    float apart[kMaxTile][simd::kMostWidth];  // outputs whose channels do not lie together in y
    for (std::int64_t k = 0; k < points; ++k) in[k] = a.m + k * m_point + place_in_m(panel);
    for (std::size_t k = 0; k < kMaxTile; ++k) out[k] = apart[k];

    const std::int64_t tile_columns = f.columns.m, row_step = a.y.strides[2], column_step = a.y.strides[3];
    work.block.for_each([&](std::int64_t i, std::int64_t n, std::int64_t t, std::int64_t s) {
      const std::int64_t rows = f.rows.kept(t), columns = f.columns.kept(s);
      float* const first = &a.y(n, panel.first_output, t * f.rows.m, s * tile_columns);
      const auto each = [&](auto&& visit) {
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t q = 0; q < columns; ++q)
            visit(r * tile_columns + q, first + r * row_step + q * column_step);
      };
      if (contiguous) each([&](std::int64_t at, float* to) { out[at] = to; });
      setting.output.apply({.in = in,
                            .in_offset = work.m[static_cast<std::size_t>(i)],
                            .out = out,
                            .add = a.bias + panel.first_output,
                            .rows = rows,
                            .columns = columns,
                            .channels = panel.outputs},
                           setting.simd);
      if (!contiguous)
        for (std::int64_t j = 0; j < panel.outputs; ++j)
          each([&](std::int64_t at, float* to) { to[j * a.y.strides[1]] = apart[at][j]; });
    });
  }
};

}  // namespace

void run_blocks(const BlockSetting& setting, const BlockArguments& arguments) {
  const WinogradPanels& panels = setting.panels;
  const Passes passes{setting, arguments};
  simd::TileLoop<Passes>{passes, setting.blocking, panels.count(), panels.pieces(), setting.threads}.run(setting.order);
}

}  // namespace convlens
