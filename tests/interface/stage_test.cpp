// Stages: sizes, offsets, passes and formulas, all from the axes; and the two stages that all algorithms share.
#include "algorithms/error.h"
#include "algorithms/interface/fill.h"
#include "algorithms/interface/tensor_maps.h"
#include "tests/catch.h"

namespace {

using namespace convlens;

Stage stage_of(std::vector<Axis> axes) {
  Stage stage;
  stage.id = "tiles";
  stage.axes = std::move(axes);
  stage.lay_out();
  return stage;
}

// One axis of windows: cell (j, t) = x(0, 0, 0, 2·j + 3·t − 4), of an image 9 wide.
struct Windows {
  static constexpr Operand from = kInput;
  Coord at(const Coord& cell) const { return {0, 0, 0, 2 * cell[0] + 3 * cell[1] - 4}; }
  Gathered gather(const Coord& cell) const {
    const Coord x = at(cell);
    return {x[3] >= 0 && x[3] < 9 ? SourceKind::element : SourceKind::zero_padding, x};
  }
};

}  // namespace

TEST_CASE("a stage is dense in the order it is laid out in") {
  Stage stage = stage_of({{"n", "N", 2, 2}, {"c", "C_i", 3, 3}, {"k", "W̃", 5, 5}});
  CHECK(stage.offset({1, 2, 4}) == 29);
  CHECK(stage.offset({1, 0, 0}) == 15);
  stage.lay_out({0, 2, 1});
  CHECK(stage.offset({0, 1, 0}) == 1);
  CHECK(stage.offset({0, 0, 1}) == 3);
  CHECK(stage.offset({1, 2, 4}) == 29);
  CHECK(stage.bytes() == 2 * 3 * 5 * 4);
}

TEST_CASE("a stage made in passes stores what is resident") {
  const Stage stage = stage_of({{"n", "N", 7, 3}, {"p", "H_o", 5, 1}, {"k", "K", 4, 4}});
  CHECK(stage.cells() == 140);
  CHECK(stage.resident_cells() == 12);
  CHECK(stage.bytes() == 48);
  CHECK(stage.passes() == 3 * 5);
  CHECK(stage.offset({4, 3, 2}) == stage.offset({1, 0, 2}));  // where the pass puts it
  CHECK(stage.formula() == "3·1·K × 4 B");
  CHECK(stage.numbers() == "3·1·4 × 4 B");

  const Box last = pass_at(stage, {6, 4, 0});
  CHECK(last.extent == Coord{1, 1, 4, 1, 1, 1});
  CHECK(whole(stage).extent == Coord{7, 5, 4, 1, 1, 1});
}

TEST_CASE("a stage's cell may be complex, short, virtual or absent") {
  Stage stage = stage_of({{"n", "N", 2, 2}, {"k", "K", 3, 3}});
  stage.complex = true;
  CHECK(stage.bytes() == 48);
  CHECK(stage.formula() == "N·K × 8 B");
  stage.complex = false;
  stage.dtype = DType::f16;
  CHECK(stage.bytes() == 12);
  stage.stored = false;
  CHECK(stage.bytes() == 0);
  const Stage empty = stage_of({{"n", "N", 0, 0}, {"k", "K", 3, 3}});
  CHECK(empty.bytes() == 0);
  CHECK(empty.cells() == 0);
  CHECK(empty.passes() == 0);
}

TEST_CASE("a stage that does not fit 64 bits is refused by name") {
  const std::int64_t big = std::int64_t{1} << 31;
  CHECK_THROWS_WITH(stage_of({{"a", "A", big, big}, {"b", "B", big, big}, {"c", "C", 4, 4}}),
                    Catch::Matchers::Contains("stage tiles") && Catch::Matchers::Contains("overflows 64 bits"));
  CHECK_THROWS_AS(stage_of({{"a", "A", big, big}, {"b", "B", big, big}}),
                  Unsupported);  // the cells fit, their bytes don't
}

TEST_CASE("the filter stage is one row an output channel, its columns in the order asked for") {
  const ConvProblem p({.ci = 4, .hi = 9, .wi = 9, .co = 6, .hf = 3, .wf = 2, .groups = 2});
  const Stage filter = filter_stage(p, DType::f32, {3, 2, 1});  // v, u, c
  CHECK(filter.bytes() == 6 * 2 * 3 * 2 * 4);
  CHECK(filter.offset({0, 1, 0, 0}) == 1);
  CHECK(filter.offset({0, 0, 1, 0}) == 2);
  CHECK(filter.offset({0, 0, 0, 1}) == 6);
  CHECK(filter.offset({1, 0, 0, 0}) == p.reduction());
  CHECK(filter.formula() == "C_o·(C_i/groups)·H_f·W_f × 4 B");
  CHECK(input_stage(p, DType::f32).bytes() == 0);
}

TEST_CASE("filling writes every cell of its box and nothing else, whatever the strides and the pass") {
  const float x[]{1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (const std::vector<int>& order : {std::vector{0, 1}, std::vector{1, 0}})
    for (int threads : {1, 3})
      for (std::int64_t first : {0, 3, 6}) {
        Stage stage = stage_of({{"j", "J", 8, 3}, {"t", "T", 4, 4}});
        stage.lay_out(order);
        std::vector<float> buffer(13, -1);
        const Box box = pass_at(stage, {first});
        fill(Windows{}, stage, box, View<const float>{x, {1, 1, 1, 9}, {9, 9, 9, 1}}, buffer.data(), threads);
        CHECK(buffer[12] == -1);
        for (std::int64_t j = 0; j < 3; ++j)
          for (std::int64_t t = 0; t < 4; ++t) {
            const Coord cell{first + j, t};
            const Gathered g = Windows{}.gather(cell);
            const float expected = j >= box.extent[0] ? -1 : g.kind == SourceKind::element ? x[g.at[3]] : 0;
            CHECK(buffer[static_cast<std::size_t>(stage.offset(cell))] == expected);
          }
      }
}
