// Undo and redo against a plain list of states.
#include <vector>

#include "tests/catch.h"
#include "tests/support/draw.h"
#include "viewer/logic/state.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

State numbered(std::int64_t number) {
  State state = first_state();
  state.spec.n = number;
  return state;
}

State numbered(std::int64_t number, const Cursor& cursor) {
  State state = numbered(number);
  state.cursor = cursor;
  return state;
}

}  // namespace

TEST_CASE("undo goes back one state at a time, redo forth, and a change cuts off what was undone") {
  testing::Draw draw{17};
  History history(numbered(0));
  std::vector<std::int64_t> states{0};
  std::size_t at = 0;
  for (std::int64_t step = 1; step < 600; ++step) {
    switch (draw(0, 3)) {
      case 0:
        history.undo();
        if (at > 0) --at;
        break;
      case 1:
        history.redo();
        if (at + 1 < states.size()) ++at;
        break;
      default:
        history.change(numbered(step));
        states.resize(++at);
        states.push_back(step);
    }
    REQUIRE(history.now() == numbered(states[at]));
    REQUIRE(history.can_undo() == (at > 0));
    REQUIRE(history.can_redo() == (at + 1 < states.size()));
  }
}

TEST_CASE("changes under one key are one step, and without a key, or after an undo, each is its own") {
  History history(numbered(0));
  history.change(numbered(1), "n");
  history.change(numbered(2), "n");
  history.change(numbered(3), "n");
  CHECK(history.now() == numbered(3));
  history.change(numbered(4), "stride_h");
  history.undo();
  CHECK(history.now() == numbered(3));
  history.undo();
  CHECK(history.now() == numbered(0));
  CHECK_FALSE(history.can_undo());

  history.change(numbered(5), "n");
  history.undo();
  history.redo();
  history.change(numbered(6), "n");  // the drag before the undo is over
  history.undo();
  CHECK(history.now() == numbered(5));

  History single(numbered(0));
  single.change(numbered(1));
  single.change(numbered(2));
  single.undo();
  CHECK(single.now() == numbered(1));
}

TEST_CASE("a change to the same state is none, and keeps what can be redone") {
  History history(numbered(0));
  history.change(numbered(1));
  history.undo();
  history.change(numbered(0));
  CHECK(history.can_redo());
  CHECK_FALSE(history.can_undo());
}

TEST_CASE("a long session forgets its first steps, never its last") {
  History history(numbered(0));
  for (std::int64_t k = 1; k <= 3000; ++k) history.change(numbered(k));
  CHECK(history.now() == numbered(3000));
  std::int64_t undone = 0;
  for (; history.can_undo(); ++undone) {
    history.undo();
    REQUIRE(history.now() == numbered(3000 - undone - 1));
  }
  CHECK(undone >= 500);
  while (history.can_redo()) history.redo();
  CHECK(history.now() == numbered(3000));
}

TEST_CASE("pointing is no step: what was undone can be redone, and the cursor stays where it is") {
  const Cursor x{"x", {0, 1, 2, 3}}, w{"w", {3, 2, 1, 0}};
  History history(numbered(0));
  history.change(numbered(0, x), "cursor");
  CHECK(history.now() == numbered(0, x));
  CHECK_FALSE(history.can_undo());
  history.change(numbered(1, x));
  history.undo();
  history.change(numbered(0, w), "cursor");
  REQUIRE(history.can_redo());
  history.redo();
  CHECK(history.now() == numbered(1, w));
  history.change(numbered(1, x), "cursor");
  history.undo();
  CHECK(history.now() == numbered(0, x));
  CHECK_FALSE(history.can_undo());
}

TEST_CASE("who points while something is dragged or plays does not cut it into steps") {
  const Cursor x{"x", {0, 1, 2, 3}};
  History history(numbered(0));
  history.change(numbered(1), "step");
  history.change(numbered(1, x), "cursor");
  history.change(numbered(2, x), "step");
  history.undo();
  CHECK(history.now() == numbered(0, x));
}

TEST_CASE("among random pointing, undo and redo go through the same states as without") {
  testing::Draw draw{23};
  History history(numbered(0)), still(numbered(0));
  Cursor cursor = still.now().cursor;
  for (std::int64_t step = 1; step < 600; ++step) {
    const std::int64_t choice = draw(0, 4);
    if (choice == 0) history.undo(), still.undo();
    if (choice == 1) history.redo(), still.redo();
    if (choice == 2) history.change(numbered(step, cursor)), still.change(numbered(step));
    if (choice > 2) {
      cursor = {draw.coin() ? "x" : "y", {0, draw(0, 9), draw(0, 9), draw(0, 9)}};
      history.change(numbered(history.now().spec.n, cursor), "cursor");
    }
    REQUIRE(history.now() == numbered(still.now().spec.n, cursor));
    REQUIRE(history.can_undo() == still.can_undo());
    REQUIRE(history.can_redo() == still.can_redo());
  }
}
