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
