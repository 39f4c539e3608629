// An output whose window lies in the padding, in part or wholly, and cells of padding themselves.
#include <map>
#include <set>

#include "tests/catch.h"
#include "tests/viewer/states.h"
#include "viewer/logic/links.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

const std::vector<std::string> kRows{"im2col.ref", "im2win.ref", "winograd.ref", "fft.ref"};

ConvSpec wide_padding() { return testing::padded(3, {.n = 2, .ci = 2, .hi = 6, .wi = 6, .co = 2, .hf = 3, .wf = 3}); }

std::set<Coord> cells_of(const std::vector<Box>& boxes) {
  std::set<Coord> cells;
  for (const Box& box : boxes) testing::for_each(box, [&](const Coord& at) { cells.insert(at); });
  return cells;
}

}  // namespace

TEST_CASE("an output whose window lies wholly in the padding lights the zeros that it is computed from") {
  const Model model(testing::state_of(wide_padding(), kRows));
  const Links links = links_of(model, {"y", {1, 0, 0, 0}});
  CHECK(links.complete);
  CHECK(links.image == 1);
  CHECK(links.cells.at("x").empty());
  const std::map<std::string, std::size_t> taps{{"im2col.ref/im2col", 2 * 3 * 3}, {"im2win.ref/im2win", 2 * 3 * 3}};
  for (const auto& [id, cells] : taps) {
    INFO(id);
    CHECK(cells_of(links.cells.at(id)).size() == cells);
    CHECK(cells_of(links.used.at(id)).size() == cells);
  }
  // Every bin of both channels of that image: one tile, which holds all of it.
  for (const Exhibit& exhibit : model.exhibits()) {
    if (exhibit.id != "fft.ref/input_spectra" && exhibit.id != "winograd.ref/V") continue;
    INFO(exhibit.id);
    const std::set<Coord> lit = cells_of(links.cells.at(exhibit.id));
    CHECK(lit.size() >= 2 * 9);
    const std::size_t n = exhibit.id == "winograd.ref/V" ? 2 : 0;
    for (const Coord& at : lit) CHECK(at[n] == 1);
    if (n == 0) CHECK(static_cast<std::int64_t>(lit.size()) == exhibit.cells() / 2);
  }
}

TEST_CASE("of a window that lies in the padding in part, the zeros light up with the elements") {
  const Model model(testing::state_of(wide_padding(), kRows));
  const Links links = links_of(model, {"y", {1, 1, 2, 4}});
  CHECK(cells_of(links.cells.at("x")).size() == 2 * 2 * 3);
  for (const char* id : {"im2col.ref/im2col", "im2win.ref/im2win"}) {
    INFO(id);
    CHECK(cells_of(links.used.at(id)).size() == 2 * 3 * 3);
    for (const Coord& at : cells_of(links.used.at(id))) CHECK(links.lit(id, at));
  }
}

TEST_CASE("the zeros that taps of a dilated filter read light up wherever the window lies") {
  ConvSpec spec = testing::padded(4, {.n = 1, .ci = 2, .hi = 7, .wi = 6, .co = 1, .hf = 3, .wf = 3});
  spec.dilation_h = 2, spec.dilation_w = 3;
  const Model model(testing::state_of(spec, {"im2col.ref", "im2win.ref", "mec.ref"}));
  testing::for_each(Box{{}, {1, 1, model.problem()->ho(), model.problem()->wo(), 1, 1}}, [&](const Coord& y) {
    const Links links = links_of(model, {"y", y});
    for (const char* id : {"im2col.ref/im2col", "im2win.ref/im2win", "mec.ref/mec"}) {
      INFO(id << " at row " << y[2] << ", column " << y[3]);
      CHECK(cells_of(links.used.at(id)).size() == 2 * 3 * 3);
      for (const Coord& at : cells_of(links.used.at(id))) CHECK(links.lit(id, at));
    }
  });
}

TEST_CASE("of a cell of padding every tensor is seen at its image") {
  const Model model(testing::state_of(wide_padding(), kRows));
  for (const auto& [id, image] :
       {std::pair("im2col.ref/im2col", 1), std::pair("im2win.ref/im2win", 1), std::pair("im2col.ref/im2col", 0)})
    CHECK(links_of(model, {id, {image}}).image == image);
  CHECK(links_of(model, {"winograd.ref/V", {0, 0, 1}}).image == 1);
  CHECK(links_of(model, {"w", {1}}).image == 0);
}
