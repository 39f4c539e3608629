// Where pictures of a sheet and their lenses stand: inside their space, never on each other, and as large as it allows.
#include "viewer/ui/grid_division.h"

#include "tests/catch.h"
#include "tests/support/draw.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

Sheet sheet_of(std::int64_t rows, std::int64_t columns) {
  return Sheet({{"h", "H", rows, rows, columns}, {"w", "W", columns, columns, 1}}, {0}, {1}, {});
}

bool inside(const Space& part, const Space& space) {
  return part.first.x >= space.first.x && part.first.y >= space.first.y && part.last().x <= space.last().x + 0.01f &&
         part.last().y <= space.last().y + 0.01f;
}

bool apart(const Space& a, const Space& b) {
  return a.last().x <= b.first.x || b.last().x <= a.first.x || a.last().y <= b.first.y || b.last().y <= a.first.y;
}

}  // namespace

TEST_CASE("pictures and lenses lie in their space and beside each other, whatever the sheet and the zoom") {
  testing::Draw draw{77};
  for (int k = 0; k < 4000; ++k) {
    const Sheet sheet = sheet_of(draw(1, 3) == 1 ? draw(1, 5) : draw(1, 3000), draw(1, 3) == 1 ? 1 : draw(1, 3000));
    const Space space{{static_cast<float>(draw(0, 90)), static_cast<float>(draw(0, 90))},
                      {static_cast<float>(draw(30, 900)), static_cast<float>(draw(30, 900))}};
    const int pictures = static_cast<int>(draw(1, 2));
    const double zoom = draw(0, 1) == 0 ? 0 : static_cast<double>(draw(1, 40)) / 2;
    const Division d = divide(sheet, pictures, draw(0, 3) > 0, space, zoom);
    INFO(sheet.rows() << " x " << sheet.columns() << " in " << space.size.x << " x " << space.size.y << ", zoom "
                      << zoom);
    REQUIRE(d.pictures.size() == static_cast<std::size_t>(pictures));
    REQUIRE((d.lenses.empty() || d.lenses.size() == d.pictures.size()));
    std::vector<Space> all = d.pictures;
    all.insert(all.end(), d.lenses.begin(), d.lenses.end());
    for (std::size_t a = 0; a < all.size(); ++a) {
      REQUIRE(inside(all[a], space));
      for (std::size_t b = 0; b < a; ++b) REQUIRE(apart(all[a], all[b]));
    }
    for (const Space& picture : d.pictures) {
      REQUIRE(picture.size.x == d.pictures[0].size.x);
      REQUIRE(picture.size.y == d.pictures[0].size.y);
      if (zoom == 0 && d.cell > kSmallestCell) {
        REQUIRE(d.cell * static_cast<double>(sheet.columns()) <= picture.size.x);
        REQUIRE(d.cell * static_cast<double>(sheet.rows()) <= picture.size.y);
      }
    }
  }
}

TEST_CASE("magnitude and phase of a spectrum and their lenses use the pane that they have") {
  // The half spectrum of a whole image, and tiles of kept bins, in panes of nine at 1600 × 1000 and at 1280 × 720.
  for (const auto& [rows, columns, width, height, cell, lens] : {std::tuple{60, 31, 404.0f, 236.0f, 3.0, 110.0f},
                                                                 {45, 72, 404.0f, 236.0f, 2.0, 110.0f},
                                                                 {60, 31, 300.0f, 146.0f, 2.0, 60.0f},
                                                                 {5, 8, 404.0f, 236.0f, 24.0, 0.0f}}) {
    const Division d = divide(sheet_of(rows, columns), 2, true, {{0, 0}, {width, height}}, 0);
    INFO(rows << " x " << columns << " in " << width << " x " << height << ": " << d.cell);
    CHECK(d.cell >= cell);
    CHECK(d.lenses.empty() == (lens == 0));
    for (const Space& each : d.lenses) CHECK(std::min(each.size.x, each.size.y) >= lens);
  }
}
