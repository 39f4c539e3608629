// The index maps of the three spectra: c ∈ cells(s) ⇔ s ∈ sources(c), and both are the truth.
#include "algorithms/fft/fft_map.h"

#include "algorithms/fft/fft_stages.h"
#include "tests/fft/random_places.h"

using namespace fft_test;

namespace {

// Transform lengths that a request of these options might get, without the need to make the plan.
fft::Lengths random_lengths(Dice& dice, const ConvProblem& p) {
  const fft::Lengths whole{fft::good_height(WindowAxis::rows(p).span()),
                           fft::good_width(WindowAxis::columns(p).span())};
  if (dice(0, 1) == 0) return whole;
  const std::int64_t tile = std::max<std::int64_t>({8, fft::good_width(p.extent_h()), fft::good_width(p.extent_w())});
  return {std::min(tile, whole.h), std::min(tile, whole.w)};
}

}  // namespace

TEST_CASE("fft: a cell has a source exactly when the source has the cell, on 500 random problems") {
  Dice dice{11};
  for (int k = 0; k < 500; ++k) {
    const ConvProblem p = random_problem(dice);
    const std::vector<Stage> stages = fft::stages(p, DType::f32, random_lengths(dice, p));
    CAPTURE(k);
    for (const Stage& stage : stages)
      for (int sample = 0; sample < 20; ++sample) {
        const Coord cell = random_cell(dice, stage);
        const Source source = stage.map->source(cell);
        REQUIRE((source.kind == SourceKind::zero_padding) == source.terms.empty());
        for (const Term& term : source.terms) {
          Coord inside = term.at.first;
          for (std::size_t axis = 0; axis < inside.size(); ++axis) inside[axis] += dice(0, term.at.extent[axis] - 1);
          REQUIRE(any_contains(stage.map->cells(term.from, inside), cell));
        }
        for (Operand operand : stage.made_from) {
          const Coord element = random_element(dice, operand, p, stages);
          const bool listed = std::ranges::any_of(
              source.terms, [&](const Term& t) { return t.from == operand && t.at.contains(element); });
          REQUIRE(listed == any_contains(stage.map->cells(operand, element), cell));
        }
      }
  }
}

TEST_CASE("fft: tiles cover every output once, fit the transform, and hold exactly what their outputs read") {
  Dice dice{12};
  for (int k = 0; k < 300; ++k) {
    const ConvProblem p = random_problem(dice);
    const fft::Lengths lengths = random_lengths(dice, p);
    const fft::TileAxis axis(WindowAxis::rows(p), lengths.h);
    REQUIRE(axis.span() <= lengths.h);
    std::int64_t next = 0;
    for (std::int64_t tile = 0; tile < axis.tiles; ++tile) {
      REQUIRE(axis.first_output(tile) == next);
      REQUIRE(axis.outputs(tile) >= 1);
      next += axis.outputs(tile);

      std::vector<bool> read(static_cast<std::size_t>(p.hi())), held(read.size());
      for (std::int64_t row = axis.first_output(tile); row < next; ++row)
        for (std::int64_t u = 0; u < p.hf(); ++u)
          if (const std::int64_t h = p.input_row(row, u); h >= 0 && h < p.hi())
            read[static_cast<std::size_t>(h)] = true;
      axis.runs(tile, [&](std::int64_t first, std::int64_t count) {
        REQUIRE((first >= axis.origin(tile) && first + count <= axis.origin(tile) + axis.span()));
        for (std::int64_t h = first; h < first + count; ++h) held[static_cast<std::size_t>(h)] = true;
      });
      REQUIRE(read == held);
    }
    REQUIRE(next == p.ho());
  }
}

TEST_CASE("fft: outputs(cell) are the outputs that its spectrum makes") {
  const ConvSpec spec{.n = 2, .ci = 4, .hi = 30, .wi = 20, .co = 6, .hf = 3, .wf = 3, .stride_h = 2, .groups = 2};
  const ConvProblem p(spec);                                              // y is 14 × 18
  const std::vector<Stage> stages = fft::stages(p, DType::f32, {16, 8});  // 7 × 6 outputs a tile
  CHECK(stages[0].map->outputs({1, 3, 1, 2, 5, 4}) == std::vector<Box>{{{1, 3, 7, 12}, {1, 3, 7, 6, 1, 1}}});
  CHECK(stages[1].map->outputs({4, 1, 5, 4}) == std::vector<Box>{{{0, 4, 0, 0}, {2, 1, 14, 18, 1, 1}}});
  CHECK(stages[2].map->outputs({1, 4, 0, 1, 5, 4}) == std::vector<Box>{{{1, 4, 0, 6}, {1, 1, 7, 6, 1, 1}}});
}

TEST_CASE("fft: a tile that lies in the padding holds no element") {
  const ConvProblem p({.n = 1, .ci = 1, .hi = 4, .wi = 4, .co = 1, .hf = 3, .wf = 3, .pad_bottom = 20});
  const Stage input = fft::stages(p, DType::f32, {8, 8})[0];
  CHECK(input.map->source({0, 0, 0, 0}).kind == SourceKind::region);
  CHECK(input.map->source({0, 0, input.axes[2].extent - 1, 0}).kind == SourceKind::zero_padding);
}
