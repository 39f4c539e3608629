// Packing the filter: what lands in which row of a panel, whole and in pieces, for every layout and for strange views.
#include "algorithms/simd/panels.h"

#include <array>
#include <cmath>

#include "algorithms/tensor/random.h"
#include "algorithms/tensor/tensor.h"
#include "tests/catch.h"

namespace convlens::simd {

namespace {

// w in a layout, with its last axis reversed in memory if so wished.
struct Weights {
  Tensor tensor;
  View<const float> view;

  Weights(const ConvProblem& p, FilterLayout layout, bool reversed) : tensor(DType::f32, layout, p.w_shape()) {
    std::uint64_t counter = 0;
    fill(tensor.view(), [&](auto...) { return random_uniform(5, counter++); });
    view = std::as_const(tensor).view().as<float>();
    if (!reversed) return;
    view.data += (view.shape[3] - 1) * view.strides[3];
    view.strides[3] *= -1;
  }
};

}  // namespace

TEST_CASE("a panel holds what its map says, packed whole or piece by piece, and zeros beyond the last filter") {
  for (const auto& [ci, co, groups, hf, wf, pieces] : {std::array<std::int64_t, 6>{3, 5, 1, 2, 3, 1},
                                                       {32, 70, 1, 3, 3, 4},
                                                       {12, 33, 1, 1, 5, 3},
                                                       {8, 6, 2, 3, 1, 1}}) {
    const ConvProblem p({.ci = ci, .hi = 9, .wi = 9, .co = co, .hf = hf, .wf = wf, .groups = groups});
    for (const ReductionOrder& order : {kRowTapChannel, kTapRowChannel, kChannelRowTap})
      for (FilterLayout layout : kFilterLayouts)
        for (bool reversed : {false, true}) {
          const Weights w(p, layout, reversed);
          const Panels panels(p, order, false, pieces);
          const Stage stage = panels.stage(p);
          const auto values = panels.values(w.view);
          REQUIRE(values.size() == static_cast<std::size_t>(p.reduction()));
          std::vector<float> whole(static_cast<std::size_t>(stage.resident_cells()), std::nanf(""));
          panels.pack(w.view, values, whole.data(), 2);
          for (std::int64_t g = 0; g < panels.groups(); ++g)
            for (std::int64_t b = 0; b < panels.per_group(); ++b)
              for (std::int64_t piece = 0; piece < pieces; ++piece) {
                const std::int64_t rows = panels.piece_reduction();
                std::vector<float> own(static_cast<std::size_t>(rows * panels.width()), std::nanf(""));
                panels.pack(w.view, values, g, b, piece, own.data());
                for (std::int64_t k = 0; k < rows; ++k)
                  for (std::int64_t j = 0; j < panels.width(); ++j) {
                    const Coord cell{g, b, piece * rows + k, j};
                    const Source source = stage.map->source(cell);
                    float expected = 0;
                    if (source.kind != SourceKind::alignment_padding) {
                      const Coord& at = source.terms.front().at.first;
                      expected = w.view(at[0], at[1], at[2], at[3]);
                    }
                    REQUIRE(own[static_cast<std::size_t>(k * panels.width() + j)] == expected);
                    REQUIRE(whole[static_cast<std::size_t>(stage.offset(cell))] == expected);
                  }
              }
        }
  }
}

TEST_CASE("what threads hold of the panels at a time is a piece of one, or all of a group that are small") {
  const ConvProblem large({.ci = 512, .hi = 7, .wi = 7, .co = 512, .hf = 3, .wf = 3});
  const Panels panels(large, kTapRowChannel, false, 16);
  CHECK(panels.at_a_time() == 1);
  CHECK(panels.stage_in_pieces(large, 2).bytes() == 2 * 288 * panels.width() * 4);
  const ConvProblem small({.ci = 3, .hi = 7, .wi = 7, .co = 64, .hf = 3, .wf = 3});
  CHECK(Panels(small, kTapRowChannel).at_a_time() == Panels(small, kTapRowChannel).per_group());
}

}  // namespace convlens::simd
