#include "algorithms/fft/fft_blocks.h"

#include <omp.h>

#include <algorithm>
#include <vector>

#include "algorithms/fft/vector_transform.h"
#include "algorithms/simd/tile.h"

namespace convlens::fft {

namespace {

using Panel = SpectrumPanels::Panel;

struct Passes {
  const BlockSetting& s;
  const BlockArguments& a;

  const ConvProblem& problem = s.problem;
  const std::int64_t bins = bins_of(s.length);
  const std::int64_t x_step = s.x_hat.axes[5].stride, y_step = s.y_hat.axes[5].stride;  // cells from bin to bin
  // From the real parts of a bin and tile to the imaginary ones.
  const std::int64_t x_parts = s.x_hat.axes[1].resident, y_parts = s.y_hat.axes[1].resident;
  const std::int64_t p_step = s.p.axes[1].stride;

  // A block, and where its tiles begin in the memory of the thread that works on it, counted in cells.
  struct Work {
    simd::TileBlock block;
    std::vector<std::int64_t> x, y;
    std::vector<const float*> elements;  // of a tile
    std::vector<float*> outputs;         // of a tile
    std::vector<float> apart;            // outputs whose channels do not lie together in y
  };

  float* place(const Panel& panel) const { return a.p + simd::place_of(s.p, {0, 0, panel.number, 0, 0, 0}); }

  void begin(Work& work, const simd::TileBlock& block) const {
    work.block = block;
    work.x.clear(), work.y.clear();
    work.block.for_each([&](std::int64_t, std::int64_t n, std::int64_t i, std::int64_t j) {
      work.x.push_back(simd::place_of(s.x_hat, {n, 0, i, j, 0, 0}));
      work.y.push_back(simd::place_of(s.y_hat, {n, 0, i, j, 0, 0}));
    });
  }

  void transform_input(Work& work) const {
    const std::int64_t rows = s.map.rows.span(), columns = s.map.columns.span();
    work.block.for_each([&](std::int64_t tile, std::int64_t n, std::int64_t i, std::int64_t j) {
      const std::int64_t cell = work.x[static_cast<std::size_t>(tile)];
      work.elements.assign(static_cast<std::size_t>(rows * columns), nullptr);
      s.map.sources({n, 0, i, j}, [&](const Term& term) {
        for (std::int64_t h = term.at.first[2]; h < term.at.first[2] + term.at.extent[2]; ++h)
          for (std::int64_t v = term.at.first[3]; v < term.at.first[3] + term.at.extent[3]; ++v) {
            const std::int64_t at = (h - s.map.rows.origin(i)) * columns + v - s.map.columns.origin(j);
            work.elements[static_cast<std::size_t>(at)] = &a.x(n, 0, h, v);
          }
      });
      forward(s.length,
              {.in = work.elements.data(),
               .rows = rows,
               .columns = columns,
               .out = a.x_hat + 2 * cell,
               .bin_step = 2 * x_step,
               .imaginary = x_parts,
               .negated = a.negated + cell,
               .negated_step = x_step,
               .channels = problem.ci()},
              s.vectors);
    });
  }

  void fill(std::int64_t number, std::int64_t piece) const {
    const Panel panel = s.panels.at(number);
    float* const gathered = a.gathered + omp_get_thread_num() * s.panels.gathered_floats();
    s.panels.fill(panel, piece, a.w, gathered, place(panel), p_step, s.vectors);
  }

  // Where the outputs of a panel lie among those of Ŷ that are in memory.
  std::int64_t place_in_y_hat(const Panel& panel) const { return panel.first_output % y_parts; }

  void multiply(const Work& work, std::int64_t number) const {
    const Panel panel = s.panels.at(number);
    const auto tiles = static_cast<std::int64_t>(work.x.size());
    const std::int64_t step = simd::share(tiles, s.step);
    const std::int64_t channel = panel.g * problem.ci_per_group();
    const float* rows[2][2 * simd::kMostPixels];  // of a part of Ŷ: its two segments of X̂
    float* to[2][simd::kMostPixels];
    for (std::int64_t bin = 0; bin < bins; ++bin)
      for (std::int64_t first = 0; first < tiles; first += step) {
        const std::int64_t pixels = std::min(step, tiles - first);
        for (std::int64_t i = 0; i < pixels; ++i) {
          const std::int64_t x = work.x[static_cast<std::size_t>(first + i)] + bin * x_step;
          const std::int64_t y = work.y[static_cast<std::size_t>(first + i)] + bin * y_step;
          rows[0][i] = a.x_hat + 2 * x + channel;
          rows[0][pixels + i] = rows[1][i] = rows[0][i] + x_parts;
          rows[1][pixels + i] = a.negated + x + channel;
          to[0][i] = a.y_hat + 2 * y + place_in_y_hat(panel);
          to[1][i] = to[0][i] + y_parts;
        }
        for (int part = 0; part < 2; ++part) {
          const simd::Tile tile{.pixels = pixels,
                                .segments = 2,
                                .length = problem.ci_per_group(),
                                .rows = rows[part],
                                .panel = place(panel) + bin * p_step,
                                .bias = a.zeros,
                                .to = to[part],
                                .channels = panel.outputs};
          s.vectors ? simd::multiply(tile) : simd::multiply_scalar(tile);
        }
      }
  }

  void transform_output(Work& work, std::int64_t number) const {
    const Panel panel = s.panels.at(number);
    const bool contiguous = a.y.strides[1] == 1;
    const TileAxis &row_axis = s.map.rows, &column_axis = s.map.columns;
    work.apart.resize(static_cast<std::size_t>(row_axis.per_tile * column_axis.per_tile * s.panels.width()));
    work.block.for_each([&](std::int64_t tile, std::int64_t n, std::int64_t i, std::int64_t j) {
      const std::int64_t rows = row_axis.outputs(i), columns = column_axis.outputs(j);
      const auto output = [&](std::int64_t channel, std::int64_t k) {
        return &a.y(n, panel.first_output + channel, row_axis.first_output(i) + k / columns,
                    column_axis.first_output(j) + k % columns);
      };
      work.outputs.resize(static_cast<std::size_t>(rows * columns));
      for (std::int64_t k = 0; k < rows * columns; ++k)
        work.outputs[static_cast<std::size_t>(k)] =
            contiguous ? output(0, k) : work.apart.data() + k * s.panels.width();
      inverse(s.length,
              {.in = a.y_hat + 2 * work.y[static_cast<std::size_t>(tile)] + place_in_y_hat(panel),
               .bin_step = 2 * y_step,
               .imaginary = y_parts,
               .out = work.outputs.data(),
               .rows = rows,
               .columns = columns,
               .step_h = problem.spec().stride_h,
               .step_w = problem.spec().stride_w,
               .add = a.bias + panel.first_output,
               .channels = panel.outputs},
              s.vectors);
      if (!contiguous)
        for (std::int64_t channel = 0; channel < panel.outputs; ++channel)
          for (std::int64_t k = 0; k < rows * columns; ++k)
            *output(channel, k) = work.outputs[static_cast<std::size_t>(k)][channel];
    });
  }
};

}  // namespace

void run_blocks(const BlockSetting& setting, const BlockArguments& arguments) {
  const SpectrumPanels& panels = setting.panels;
  const Passes passes{setting, arguments};
  simd::TileLoop<Passes>{passes, setting.blocking, panels.count(), panels.pieces(), setting.threads}.run(setting.order);
}

}  // namespace convlens::fft
