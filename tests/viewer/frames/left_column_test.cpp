// The left column under a hand: every option of a chosen run can be set, and what a row refuses can be mended.
#include <algorithm>

#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/viewer/frames/drawn_text.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"
#include "viewer/logic/commands.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using viewer::Key;

viewer::State small_state(std::vector<std::string> runs) {
  return state_of({.n = 1, .ci = 2, .hi = 6, .wi = 6, .co = 2, .hf = 3, .wf = 3}, std::move(runs));
}

std::optional<Point> find_option(Screen& screen, const std::string& row, const std::string& option) {
  for (const Option& candidate : find_algorithm(row).options)
    if (candidate.id == option) return screen.find(screen.child("sidebar").name, {row + option, "##value"}, 0.2f);
  return std::nullopt;
}

// Types into the box of an option, over what stands there.
void write(Screen& screen, const std::string& row, const std::string& option, const std::string& text) {
  const auto box = find_option(screen, row, option);
  REQUIRE(box);
  screen.click(*box);
  screen.type(text);
}

void leave_box(Screen& screen) {
  screen.click({-1, -1});
  screen.settle();
}

std::string drawn_in_sidebar(Screen& screen) {
  screen.picture();
  std::string text;
  for (const DrawnLetter& letter : drawn_letters())
    if (letter.window.find("/sidebar_") != std::string::npos) text += static_cast<char>(letter.code);
  return text;
}

}  // namespace

TEST_CASE("every option of every chosen row can be set in the left column") {
  if (!can_draw()) return;
  for (const Algorithm* row : algorithms()) {
    Screen screen(small_state({row->id}), 1280, 1600);
    for (const Option& option : row->options) {
      INFO(row->id << " " << option.id);
      CHECK(find_option(screen, row->id, option.id));
    }
  }
}

TEST_CASE("the sizes of a layer are shown whole where the column is narrow") {
  if (!can_draw()) return;
  viewer::State state = small_state({"direct.ref"});
  state.spec.n = 256, state.spec.ci = 1024, state.spec.co = 2048;
  state.scale = 2;
  Screen screen(state, 900, 600);
  const std::string text = drawn_in_sidebar(screen);
  for (const char* size : {"256N", "1024C_i", "6H_i"}) CHECK_THAT(text, Catch::Matchers::Contains(size));
}

TEST_CASE("a box switches the bias on and off, and undo takes it back") {
  if (!can_draw()) return;
  Screen screen(small_state({"direct.ref"}), 1280, 1600);
  const auto box = screen.find(screen.child("sidebar").name, {"bias"}, 0.05f);
  REQUIRE(box);
  screen.click(*box);
  CHECK(screen.state().spec.bias);
  screen.click(*box);
  CHECK_FALSE(screen.state().spec.bias);
  screen.point({-1, -1});
  screen.key(Key::z, true);
  CHECK(screen.state().spec.bias);
}

TEST_CASE("nothing in the left column is cut at its edge, at any scale") {
  if (!can_draw()) return;
  for (const double scale : {1.0, 1.25, 1.5, 2.0}) {
    viewer::State state =
        small_state({"winograd.cc", "im2col.tc", "fft.tc", "direct.tc", "winograd.ref:points=0,1,1/2"});
    state.dtype = DType::f16;
    state.scale = scale;
    Screen screen(state, 1280, 4000);
    INFO(scale);
    screen.picture();
    for (const DrawnLetter& letter : drawn_letters()) {
      if (letter.window.find("/sidebar_") == std::string::npos) continue;
      INFO(static_cast<char>(letter.code) << " at " << letter.area.text());
      CHECK_FALSE(letter.cut_across);
    }
  }
}

TEST_CASE("a number typed for an option is in the run, the plan and the command line, and one undo takes it back") {
  if (!can_draw()) return;
  Screen screen(small_state({"winograd.ref", "im2col.ref:batching=chunk"}), 1280, 1600);
  write(screen, "winograd.ref", "m", "4");
  leave_box(screen);
  CHECK(screen.state().runs.front() == "winograd.ref:m=4");
  CHECK(screen.app().model().rows()[0].plan->request().options.integer("m") == 4);
  write(screen, "im2col.ref", "chunk_images", "12");
  leave_box(screen);
  CHECK(screen.state().runs.back() == "im2col.ref:batching=chunk,chunk_images=12");
  const std::string line = viewer::as_command_line(screen.state());
  CHECK(line.find("--algorithm winograd.ref:m=4 ") != std::string::npos);
  CHECK(line.find("--algorithm im2col.ref:batching=chunk,chunk_images=12 ") != std::string::npos);
  screen.point({-1, -1});
  screen.key(Key::z, true);
  CHECK(screen.state().runs.back() == "im2col.ref:batching=chunk");
  screen.key(Key::z, true);
  CHECK(screen.state().runs.front() == "winograd.ref");
  screen.key(Key::y, true);
  CHECK(screen.state().runs.front() == "winograd.ref:m=4");
  CHECK(drawn_in_sidebar(screen).find("Outputtile") != std::string::npos);
}

TEST_CASE("what an option cannot be stays as it is typed, red with the rule, and the run as it was") {
  if (!can_draw()) return;
  Screen screen(small_state({"winograd.ref:m=4"}));
  const Area side = screen.child("sidebar").area;
  REQUIRE(find_option(screen, "winograd.ref", "m"));
  const int red_before = screen.picture().count(side, viewer::palette().wrong);
  write(screen, "winograd.ref", "m", "99");
  leave_box(screen);
  CHECK(screen.state().runs.front() == "winograd.ref:m=4");
  CHECK(screen.picture().count(side, viewer::palette().wrong) > red_before + 20);
  const std::string text = drawn_in_sidebar(screen);
  CHECK(text.find("m:99,mustbeanintegerfrom1to8") != std::string::npos);
  CHECK(text.find("untilthenitis4") != std::string::npos);
  screen.frames(30);
  CHECK(screen.state().runs.front() == "winograd.ref:m=4");
  write(screen, "winograd.ref", "m", "3");
  leave_box(screen);
  CHECK(screen.state().runs.front() == "winograd.ref:m=3");
  CHECK(screen.picture().count(side, viewer::palette().wrong) <= red_before);
}

TEST_CASE("points are typed letter by letter, and those that do not fit the tile are refused with a way back") {
  if (!can_draw()) return;
  Screen screen(small_state({"winograd.ref"}), 1280, 1600);
  write(screen, "winograd.ref", "points", "0,1,1/2");
  leave_box(screen);
  CHECK(screen.state().runs.front() == "winograd.ref:points=0,1,1/2");
  CHECK(screen.app().model().rows().front().plan);
  write(screen, "winograd.ref", "points", "0,1");
  leave_box(screen);
  CHECK(screen.state().runs.front() == "winograd.ref:points=0,1");
  REQUIRE_FALSE(screen.app().model().rows().front().support);
  CHECK(screen.app().model().unknown_runs().empty());
  const auto button = screen.find(screen.child("sidebar").name, {"make it so##winograd.ref:points=0,1"}, 0.08f);
  REQUIRE(button);
  screen.click(*button);
  CHECK(screen.state().runs.front() == "winograd.ref");
  CHECK(screen.app().model().rows().front().plan);
}

TEST_CASE("a row whose rules know of no change gets a button all the same, where one helps") {
  if (!can_draw()) return;
  viewer::State state = small_state({"winograd.ref"});
  state.spec.hf = state.spec.wf = 1;
  Screen screen(state, 1280, 1600);
  REQUIRE_FALSE(screen.app().model().rows().front().support);
  REQUIRE_FALSE(screen.app().model().rows().front().support.nearest);
  screen.settle();
  const auto button = screen.find(screen.child("sidebar").name, {"make it so##winograd.ref"}, 0.08f);
  REQUIRE(button);
  screen.click(*button);
  CHECK(screen.app().model().rows().front().plan);
  screen.point({-1, -1});
  screen.key(Key::z, true);
  CHECK(screen.state().spec == state.spec);
}

TEST_CASE("two runs of one row have each its own options and its own way out") {
  if (!can_draw()) return;
  viewer::State state = small_state({"winograd.ref:m=8", "winograd.ref", "im2win.ref"});
  state.spec.hf = 5;
  Screen screen(state, 1280, 2000);
  REQUIRE_FALSE(screen.app().model().rows()[0].support);
  REQUIRE(screen.app().model().rows()[1].plan);
  const std::string text = drawn_in_sidebar(screen);
  CHECK(text.find("winograd.ref:m=8") != std::string::npos);
  const auto button = screen.find(screen.child("sidebar").name, {"make it so##winograd.ref:m=8"}, 0.08f);
  REQUIRE(button);
  screen.click(*button);
  CHECK(screen.state().runs == std::vector<std::string>{"winograd.ref:m=6", "winograd.ref", "im2win.ref"});
}

TEST_CASE("a run whose option makes it what another is already becomes one with that") {
  if (!can_draw()) return;
  Screen screen(small_state({"winograd.ref", "im2win.ref", "winograd.ref:m=4"}), 1280, 1600);
  const auto box = screen.find(screen.child("sidebar").name, {"winograd.refm", "##value"}, 0.2f);
  REQUIRE(box);
  screen.click(*box);
  screen.type("4");
  leave_box(screen);
  CHECK(screen.state().runs == std::vector<std::string>{"winograd.ref:m=4", "im2win.ref"});
  CHECK(screen.app().model().rows().size() == 2);
}
