// Sheets: laying a tensor out flat loses nothing and invents nothing.
#include "viewer/logic/sheet.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/support/boxes.h"
#include "tests/support/draw.h"
#include "tests/viewer/states.h"
#include "viewer/logic/default_sheet.h"
#include "viewer/logic/marks.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;
using testing::Draw;

struct Laid {
  std::vector<Axis> axes;
  std::vector<int> down, across;
  Coord fixed{};
  Fold fold{};

  Sheet sheet() const { return Sheet(axes, down, across, fixed, fold); }
};

Fold some_fold(Draw& draw) {
  Fold fold{.axis = 0, .rows = draw(1, 5), .columns = draw(1, 5)};
  if (fold.rows > 1 && draw(0, 1) == 1) fold.ends = draw(1, fold.columns);
  return fold;
}

bool holds(const Box& box, const std::optional<Coord>& cell) { return cell && box.contains(*cell); }

// Up to six axes, each down, across or fixed, in any order; one of them may be folded.
Laid some_sheet(Draw& draw) {
  Laid laid;
  const std::int64_t rank = draw(1, 6);
  for (int axis = 0; axis < rank; ++axis) {
    std::int64_t extent = draw(1, 4);
    const bool folded = laid.fold.axis < 0 && draw(0, 3) == 0;
    if (folded) {
      laid.fold = some_fold(draw);
      laid.fold.axis = axis;
      extent = laid.fold.extent();
      laid.down.insert(laid.down.begin() + draw(0, static_cast<std::int64_t>(laid.down.size())), axis);
      laid.across.insert(laid.across.begin() + draw(0, static_cast<std::int64_t>(laid.across.size())), axis);
    }
    laid.axes.push_back({"a", "A", extent, extent, 1});
    if (folded) continue;
    const std::int64_t place = draw(0, 2);
    std::vector<int>& order = place == 0 ? laid.down : laid.across;
    if (place == 2)
      laid.fixed[static_cast<std::size_t>(axis)] = draw(0, extent - 1);
    else
      order.insert(order.begin() + draw(0, static_cast<std::int64_t>(order.size())), axis);
  }
  return laid;
}

Box some_box(Draw& draw, const std::vector<Axis>& axes) {
  Box box;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    box.first[axis] = draw(0, axes[axis].extent - 1);
    box.extent[axis] = draw(1, axes[axis].extent - box.first[axis]);
  }
  return box;
}

Interval some_interval(Draw& draw, std::int64_t cells) {
  const std::int64_t first = draw(0, cells - 1);
  return {first, draw(1, cells - first)};
}

bool inside(const Interval& interval, std::int64_t k) {
  return k >= interval.first && k < interval.first + interval.count;
}

}  // namespace

TEST_CASE("the cells of a sheet and their positions are each other's inverse") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Draw draw{seed};
    const Laid laid = some_sheet(draw);
    const Sheet sheet = laid.sheet();
    std::int64_t cells = 0;
    Box all;
    for (std::size_t axis = 0; axis < laid.axes.size(); ++axis) all.extent[axis] = laid.axes[axis].extent;
    testing::for_each(all, [&](const Coord& cell) {
      const auto position = sheet.position(cell);
      bool in_slice = true;
      for (int axis = 0; axis < static_cast<int>(laid.axes.size()); ++axis)
        if (std::ranges::find(laid.down, axis) == laid.down.end() &&
            std::ranges::find(laid.across, axis) == laid.across.end())
          in_slice &= cell[static_cast<std::size_t>(axis)] == laid.fixed[static_cast<std::size_t>(axis)];
      REQUIRE(position.has_value() == in_slice);
      if (!position) return;
      ++cells;
      REQUIRE(sheet.cell(position->row, position->column) == cell);
      REQUIRE((position->row >= 0 && position->row < sheet.rows()));
      REQUIRE((position->column >= 0 && position->column < sheet.columns()));
    });
    const std::int64_t none = laid.fold.axis < 0 ? 0 : laid.fold.rows * laid.fold.columns - laid.fold.extent();
    const std::int64_t folds = laid.fold.axis < 0 ? 1 : laid.fold.rows * laid.fold.columns;
    CHECK(cells == sheet.rows() * sheet.columns() / folds * (folds - none));
  }
}

TEST_CASE("the rectangles of a box are its cells in the window, each once") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draw draw{seed + 1000};
    const Laid laid = some_sheet(draw);
    const Sheet sheet = laid.sheet();
    const Box box = some_box(draw, laid.axes);
    const Rectangle window{some_interval(draw, sheet.rows()), some_interval(draw, sheet.columns())};
    const std::vector<Rectangle> rectangles = sheet.rectangles(box, window, 1000000);
    for (std::int64_t row = 0; row < sheet.rows(); ++row)
      for (std::int64_t column = 0; column < sheet.columns(); ++column) {
        const auto covering = std::ranges::count_if(
            rectangles, [&](const Rectangle& r) { return inside(r.rows, row) && inside(r.columns, column); });
        const bool expected =
            inside(window.rows, row) && inside(window.columns, column) && holds(box, sheet.cell(row, column));
        INFO("seed " << seed << ", row " << row << ", column " << column);
        REQUIRE(covering == (expected ? 1 : 0));
      }
    CHECK(sheet.rectangles(box, window, 1).size() <= 1);
    CHECK(sheet.rectangles(box, window, 0).empty());
  }
}

TEST_CASE("any run of the indices of a folded axis is at most five rectangles, which hold each of them once") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Draw draw{seed + 9000};
    const Fold fold = some_fold(draw);
    for (std::int64_t first = 0; first < fold.extent(); ++first)
      for (std::int64_t count = 1; first + count <= fold.extent(); ++count) {
        const std::vector<Rectangle> rectangles = fold.rectangles({first, count});
        INFO(fold.rows << " x " << fold.columns << ", ends " << fold.ends << ": " << count << " from " << first);
        REQUIRE(rectangles.size() <= 5);
        std::vector<int> held(static_cast<std::size_t>(fold.extent()), 0);
        for (const Rectangle& r : rectangles)
          for (std::int64_t row = r.rows.first; row < r.rows.first + r.rows.count; ++row)
            for (std::int64_t column = r.columns.first; column < r.columns.first + r.columns.count; ++column) {
              REQUIRE(fold.index(row, column));
              ++held[static_cast<std::size_t>(*fold.index(row, column))];
            }
        for (std::int64_t k = 0; k < fold.extent(); ++k)
          REQUIRE(held[static_cast<std::size_t>(k)] == (k >= first && k < first + count ? 1 : 0));
      }
  }
}

TEST_CASE("bins that a kernel numbers are drawn at their row k and column l of the tile, tiles side by side") {
  int folded = 0;
  for (const char* run :
       {"fft.cc:transform=whole", "fft.cc:transform=cufft", "fft.cc", "fft.tc", "fft.tc:multiplications=3"}) {
    State state = testing::state_of({.n = 2, .ci = 3, .hi = 20, .wi = 17, .co = 4, .hf = 3, .wf = 3}, {run});
    if (std::string(run).find(".tc") != std::string::npos) state.dtype = DType::f16;
    const Model model(state);
    REQUIRE(model.unknown_runs().empty());
    REQUIRE(model.rows().front().plan);
    for (const Exhibit& exhibit : model.exhibits()) {
      if (!exhibit.complex) continue;
      INFO(exhibit.id);
      REQUIRE(exhibit.fold.axis >= 0);
      const gpu::Spectra spectra = gpu::spectra_of(model.rows().front().plan->request());
      const auto b = static_cast<std::size_t>(exhibit.fold.axis);
      CHECK(exhibit.fold.extent() == exhibit.axes[b].extent);
      const bool of_filter = exhibit.axes[b - 1].name != "j";
      for (std::uint64_t k = 0; k < 200; ++k) {
        const Coord at = testing::some_cell(exhibit, 5, k);
        const Sheet sheet = default_sheet(exhibit, at);
        const auto place = sheet.position(at);
        REQUIRE(place);
        const gpu::Bin bin = spectra.bin(at[b]);
        CHECK(place->row == (of_filter ? 0 : at[b - 2] * exhibit.fold.rows) + bin.k);
        CHECK(place->column == (of_filter ? 0 : at[b - 1] * exhibit.fold.columns) + bin.l);
        ++folded;
      }
    }
  }
  CHECK(folded == 5 * 3 * 200);
}

TEST_CASE("marks are what is lit, and their edges its outline") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Draw draw{seed + 5000};
    const Laid laid = some_sheet(draw);
    const Sheet sheet = laid.sheet();
    std::vector<Box> lit;
    for (std::int64_t k = draw(0, 3); k > 0; --k) lit.push_back(some_box(draw, laid.axes));
    const Rectangle window{some_interval(draw, sheet.rows()), some_interval(draw, sheet.columns())};
    const std::int64_t step = draw(1, 3);
    const Marks marks = marks_of(sheet, lit, window, static_cast<double>(step), 1);

    // A square is marked when one of the cells that it stands for is lit.
    const auto expected = [&](std::int64_t x, std::int64_t y) {
      for (std::int64_t row = y * step; row < std::min((y + 1) * step, window.rows.count); ++row)
        for (std::int64_t column = x * step; column < std::min((x + 1) * step, window.columns.count); ++column)
          for (const Box& box : lit)
            if (x >= 0 && y >= 0 && holds(box, sheet.cell(window.rows.first + row, window.columns.first + column)))
              return true;
      return false;
    };
    const std::int64_t width = (window.columns.count + step - 1) / step, height = (window.rows.count + step - 1) / step;
    std::int64_t squares = 0, across = 0, down = 0;
    for (std::int64_t y = 0; y <= height; ++y)
      for (std::int64_t x = 0; x <= width; ++x) {
        const auto covering = std::ranges::count_if(marks.fills, [&](const Marks::Fill& f) {
          return x >= f.x && x < f.x + f.width && y >= f.y && y < f.y + f.height;
        });
        INFO("seed " << seed << ", square " << x << ", " << y << ", step " << step);
        REQUIRE(covering == (expected(x, y) ? 1 : 0));
        squares += expected(x, y);
        across += expected(x, y) != expected(x, y - 1);
        down += expected(x, y) != expected(x - 1, y);
      }
    CHECK(marks.squares == squares);
    std::int64_t length_across = 0, length_down = 0;
    for (const Marks::Edge& edge : marks.across) length_across += edge.length;
    for (const Marks::Edge& edge : marks.down) length_down += edge.length;
    CHECK(length_across == across);
    CHECK(length_down == down);
    CHECK(marks.complete);
  }
}

TEST_CASE("every tensor of every row has a sheet on which the cursor's cell lies") {
  for (std::uint64_t k = 0; k < 12; ++k) {
    const ConvProblem p = testing::random_problem(411, k);
    const Model model(testing::state_of(p.spec(), testing::all_runs()));
    for (const Exhibit& exhibit : model.exhibits()) {
      INFO(exhibit.id);
      if (exhibit.cells() == 0) continue;
      const Coord cell = testing::some_cell(exhibit, 412, k);
      const Sheet sheet = default_sheet(exhibit, cell);
      const auto position = sheet.position(cell);
      REQUIRE(position);
      CHECK(sheet.cell(position->row, position->column) == cell);
      const Fold& fold = exhibit.fold;  // of whose rectangle a part may hold no cell
      CHECK(sheet.rows() * sheet.columns() / (fold.rows * fold.columns) * fold.extent() <= exhibit.cells());
    }
  }
}
