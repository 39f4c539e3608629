// A size that is typed letter by letter: what was there before typing is what comes back, the cursor with it.
#include "tests/catch.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using viewer::Key;

viewer::State far_out() {
  viewer::State state = viewer::first_state();
  state.arrangement = "grids";
  state.spec.n = 3;
  state.cursor = {"y", {2, 5, 40, 40}};
  return state;
}

void click_on_box(Screen& screen, const std::string& size) {
  screen.click({-1, -1});
  const auto box = screen.find(screen.child("sidebar").name, {size, "##box"}, 0.6f);
  REQUIRE(box);
  screen.click(*box);
}

}  // namespace

TEST_CASE("letters that make a layer small for a moment leave the cursor where it was, and so does undo") {
  if (!can_draw()) return;
  const viewer::State first = far_out();
  Screen screen(first);
  click_on_box(screen, "n");
  screen.type("1");
  CHECK(screen.state().spec.n == 1);
  CHECK(screen.state().cursor == viewer::Cursor{"y", {0, 5, 40, 40}});
  screen.type("6");
  CHECK(screen.state().spec.n == 16);
  CHECK(screen.state().cursor == first.cursor);
  click_on_box(screen, "hi");
  screen.type("9");
  CHECK(screen.state().cursor.at != first.cursor.at);
  screen.click({-1, -1});
  screen.key(Key::z, true);
  CHECK(screen.state().spec.hi == first.spec.hi);
  CHECK(screen.state().cursor == first.cursor);
  screen.key(Key::z, true);
  CHECK(screen.state() == first);
}

TEST_CASE("a cursor that is pointed elsewhere in a small layer stays there when that grows") {
  if (!can_draw()) return;
  viewer::State next = far_out();
  Screen screen(next);
  next.spec.n = 1, next.cursor.at[0] = 0;
  screen.app().change(next);
  next.cursor.at = {0, 1, 2, 3};
  screen.app().change(next);
  screen.settle();
  screen.key(Key::z, true);
  CHECK(screen.state().spec.n == 3);
  CHECK(screen.state().cursor.at == next.cursor.at);
}

TEST_CASE("what ends as no number leaves the layer as it was before typing, its name too, and nothing to undo") {
  if (!can_draw()) return;
  for (const std::string text : {"99999999999999999999", "1e3", "7x"}) {
    INFO(text);
    const viewer::State first = far_out();
    Screen screen(first);
    const Area side = screen.child("sidebar").area;
    const int red_before = screen.picture().count(side, viewer::palette().wrong);
    click_on_box(screen, "ci");
    screen.type(text.substr(0, 1));
    CHECK(screen.state().layer.empty());
    screen.type(text.substr(1));
    CHECK(screen.state() == first);
    screen.settle();
    CHECK(screen.picture().count(side, viewer::palette().wrong) > red_before + 20);
    screen.click({-1, -1});
    screen.key(Key::z, true);
    CHECK(screen.state() == first);
  }
}
