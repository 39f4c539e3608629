// Frames driven through pointer and keys, with assertions on the state that comes of it.
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/catch.h"
#include "tests/viewer/frames/drawn_text.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using viewer::Key;

// One layer whose cells are all large enough to be hit.
viewer::State small_state() {
  viewer::State state = state_of({.n = 1, .ci = 2, .hi = 6, .wi = 6, .co = 2, .hf = 3, .wf = 3},
                                 {"im2col.ref", "im2win.ref", "winograd.ref"});
  state.picture = "";
  return state;
}

std::string sidebar(const Screen& screen) { return screen.child("sidebar").name; }

}  // namespace

TEST_CASE("pointing at a tensor moves the cursor into it, and lights what its index map says") {
  if (!can_draw()) return;
  Screen screen(small_state());
  for (const viewer::Exhibit& exhibit : screen.app().model().exhibits()) {
    INFO(exhibit.id);
    const Area pane = screen.child(exhibit.id).inner;
    std::set<Coord> cells;
    for (int k = 0; k < 64; ++k) {
      const float across = static_cast<float>(k % 8) / 8 + 0.06f, down = static_cast<float>(k / 8) / 8 + 0.06f;
      screen.point({pane.left + (pane.right - pane.left) * across, pane.top + (pane.bottom - pane.top) * down});
      screen.frames(2);
      if (screen.state().cursor.tensor != exhibit.id) continue;
      const viewer::Cursor cursor = screen.state().cursor;
      cells.insert(cursor.at);
      CHECK(screen.app().model().valid(cursor) == cursor);
      CHECK(screen.app().links().lit(exhibit.id, cursor.at));
      CHECK(screen.app().links().cells == viewer::links_of(screen.app().model(), cursor).cells);
    }
    CHECK(cells.size() >= (exhibit.cells() > 1 ? 2u : 1u));
  }
}

TEST_CASE("a slider that is dragged changes the layer, and one undo takes all of the drag back") {
  if (!can_draw()) return;
  Screen screen(viewer::first_state());
  const viewer::State before = screen.state();
  const auto slider = screen.find(sidebar(screen), {"stride_w", "##slider"}, 0.05f);
  REQUIRE(slider);
  screen.drag(*slider, {slider->x + 100, slider->y});
  CHECK(screen.state().spec.stride_w > 2);
  CHECK(screen.state().layer.empty());
  REQUIRE(screen.app().model().problem());
  CHECK(screen.app().model().problem()->spec().stride_w == screen.state().spec.stride_w);
  const viewer::State after = screen.state();

  screen.point({-1, -1});
  screen.key(Key::z, true);
  CHECK(screen.state().spec == before.spec);
  CHECK(screen.state().layer == before.layer);
  screen.key(Key::y, true);
  CHECK(screen.state().spec == after.spec);
}

TEST_CASE("pointing uses up no step of undo, and leaves what can be redone") {
  if (!can_draw()) return;
  Screen screen(small_state());
  const viewer::State before = screen.state();
  const auto strided = [](viewer::State state) {
    state.spec.stride_h = 2;
    return state;
  };
  screen.app().change(strided(before));
  screen.settle();
  const auto point_at = [&](const std::string& tensor, float part) {
    const Area pane = screen.child(tensor).inner;
    for (int k = 0; k < 4; ++k)  // over several cells, as a hand does
      screen.point({pane.left + (pane.right - pane.left) * part + 10 * static_cast<float>(k), pane.middle().y});
    screen.frames(2);
    REQUIRE(screen.state().cursor.tensor == tensor);
  };
  point_at("x", 0.3f);
  screen.key(Key::z, true);
  CHECK(screen.state().spec == before.spec);
  CHECK(screen.state().cursor.tensor == "x");
  screen.settle();
  point_at("w", 0.2f);
  const viewer::Cursor cursor = screen.state().cursor;
  screen.key(Key::y, true);
  CHECK(screen.state().spec.stride_h == 2);
  CHECK(screen.state().cursor == cursor);
}

TEST_CASE("a cursor on a cell that the layer brought back by undo lacks moves onto one that it has") {
  if (!can_draw()) return;
  viewer::State small = small_state(), large = small;
  large.spec.hi = large.spec.wi = 12;
  Screen screen(small);
  screen.app().change(large);
  screen.settle();
  large.cursor = {"y", {0, 1, 9, 8}};
  screen.app().change(large, "cursor");
  screen.settle();
  REQUIRE(screen.app().model().wrong_cursor(screen.state().cursor).empty());
  screen.key(Key::z, true);
  CHECK(screen.state().spec == small.spec);
  CHECK(screen.state().cursor == viewer::Cursor{"y", {0, 1, 3, 3}});
}

TEST_CASE("an illegal number is kept as it is typed and shown red, and a legal one mends it") {
  if (!can_draw()) return;
  Screen screen(viewer::first_state());
  const Area side = screen.child("sidebar").area;
  const auto box = screen.find(sidebar(screen), {"stride_w", "##box"}, 0.6f);
  REQUIRE(box);
  const int red_before = screen.picture().count(side, viewer::palette().wrong);
  screen.click(*box);
  screen.type("0");
  CHECK(screen.state().spec.stride_w == 0);
  CHECK_FALSE(screen.app().model().problem());
  REQUIRE(screen.app().model().broken().size() == 1);
  CHECK(screen.app().model().broken().front().parameter == "stride_w");
  screen.settle();
  CHECK(drawn_text().find("s_w:0,mustbe") != std::string::npos);  // as the box is called
  CHECK(screen.picture().count(side, viewer::palette().wrong) > red_before + 20);
  screen.frames(30);
  CHECK(screen.state().spec.stride_w == 0);

  screen.click({-1, -1});
  const auto again = screen.find(sidebar(screen), {"stride_w", "##box"}, 0.6f);
  REQUIRE(again);
  screen.click(*again);
  screen.type("2");
  CHECK(screen.state().spec.stride_w == 2);
  CHECK(screen.app().model().problem());
}

TEST_CASE("an option that is switched is in the run's name, and in the plan") {
  if (!can_draw()) return;
  Screen screen(small_state());
  const Algorithm& row = find_algorithm("im2win.ref");
  const Option* option = nullptr;
  for (const Option& candidate : row.options)
    if (candidate.values.size() > 1) option = &candidate;
  REQUIRE(option != nullptr);
  const auto combo = screen.find(sidebar(screen), {row.id + option->id, "##value"}, 0.2f);
  REQUIRE(combo);
  screen.click(*combo);
  const std::string wanted = option->values.back();
  const auto choice = screen.find_in_popup(wanted);
  REQUIRE(choice);
  screen.click(*choice);
  OptionSet chosen = parse_run(row.id).options;
  chosen.set(option->id, wanted);
  CHECK(std::ranges::count(screen.state().runs, run_name(row, chosen)) == 1);
  CHECK(screen.app().model().rows()[1].plan->request().options[option->id] == wanted);
}

TEST_CASE("a click on a tab brings its panel to the front, and undo the other back") {
  if (!can_draw()) return;
  Screen screen(small_state());
  const Area in = screen.child("centre").inner;
  std::string before;
  for (float x = in.left + 10; x < in.right && screen.state().panel != "memory"; x += 25) {
    before = screen.state().panel;
    screen.click({x, in.top + 10});
  }
  CHECK(screen.state().panel == "memory");
  screen.point({-1, -1});
  screen.settle();
  CHECK_NOTHROW(screen.child("memory"));
  screen.key(Key::z, true);
  screen.settle();
  CHECK(screen.state().panel == before);
  CHECK_NOTHROW(screen.child(before));
}

TEST_CASE("the arrows step and space plays what has a scrubber") {
  if (!can_draw()) return;
  viewer::State state = small_state();
  state.arrangement = "five";
  state.step = 10;
  Screen screen(state);
  screen.key(Key::right);
  CHECK(screen.state().step == 11);
  screen.key(Key::left);
  screen.key(Key::left);
  CHECK(screen.state().step == 9);
  screen.key(Key::space);
  screen.frames(60);
  CHECK(screen.state().step > 12);
  screen.key(Key::space);
  const std::int64_t paused = screen.state().step;
  screen.frames(60);
  CHECK(screen.state().step == paused);
}

TEST_CASE("the wheel zooms about the pointer, dragging moves, a double click fits") {
  if (!can_draw()) return;
  viewer::State state = small_state();
  state.spec.hi = state.spec.wi = 12;
  Screen screen(state);
  const Area pane = screen.child("x").inner;
  const Point at{pane.left + (pane.right - pane.left) * 0.3f, pane.middle().y + 10};
  screen.point(at);
  screen.frames(2);
  const viewer::GridView& view = screen.app().views().at("x");
  const viewer::Rectangle whole = view.shown;
  screen.point({at.x + 1, at.y});
  screen.frames(2);
  const Coord before = screen.state().cursor.at;
  for (int k = 0; k < 8; ++k) screen.wheel(1);
  screen.point(at);
  screen.frames(2);
  CHECK(view.shown.rows.count < whole.rows.count);
  CHECK(std::abs(screen.state().cursor.at[2] - before[2]) <= 1);
  CHECK(std::abs(screen.state().cursor.at[3] - before[3]) <= 1);
  const viewer::Rectangle zoomed = view.shown;
  screen.drag(at, {at.x - 60, at.y - 30});
  CHECK(view.shown.columns.first > zoomed.columns.first);
  screen.click(at);
  screen.click(at);
  screen.frames(2);
  CHECK(view.shown == whole);
}

TEST_CASE("control and plus enlarge everything, and zero brings the monitor's size back") {
  if (!can_draw()) return;
  Screen screen(small_state());
  const float before = ImGui::GetFontSize();
  for (int k = 0; k < 4; ++k) screen.key(Key::plus, true);
  CHECK(screen.state().scale == Approx(1.4641).epsilon(0.01));
  screen.settle();
  CHECK(ImGui::GetFontSize() > before * 1.3f);
  for (int k = 0; k < 40; ++k) screen.key(Key::plus, true);
  CHECK(screen.state().scale == 4);
  for (int k = 0; k < 60; ++k) screen.key(Key::minus, true);
  CHECK(screen.state().scale == 0.5);
  screen.key(Key::zero, true);
  CHECK(screen.state().scale == 0);
}

TEST_CASE("at a new size everything is drawn anew, and back at the old one as it was") {
  if (!can_draw()) return;
  viewer::State state = small_state();
  state.scale = 0;
  Screen screen(state);
  screen.settle();
  const Frame before = screen.picture();
  screen.key(Key::plus, true);
  screen.settle();
  const Frame larger = screen.picture();
  CHECK((larger.rgba != before.rgba));  // millions of bytes, which Catch2 is not to print
  CHECK(larger.colours({0, 0, static_cast<float>(larger.width), static_cast<float>(larger.height)}) > 10);
  screen.key(Key::zero, true);
  screen.settle();
  CHECK((screen.picture().rgba == before.rgba));
}

TEST_CASE("what moves under a pointer that rests has not been pointed at: the status bar tells of what is lit") {
  if (!can_draw()) return;
  viewer::State state = small_state();
  Screen screen(state, 1280, 1000);
  screen.point(screen.child("y").inner.middle());
  screen.settle();
  const viewer::Cursor pointed = screen.state().cursor;
  CHECK(pointed.tensor == "y");
  const auto status_text = [&] {
    screen.picture();
    std::string text;
    for (const DrawnLetter& letter : drawn_letters())
      if (letter.window.find("/status_") != std::string::npos) text += static_cast<char>(letter.code);
    return text;
  };
  const std::string before = status_text();
  ImGui::GetIO().DisplaySize = {900, 640};  // now the pointer is on another tensor, or on none
  screen.settle();
  CHECK(screen.state().cursor == pointed);
  CHECK(status_text().substr(0, 20) == before.substr(0, 20));
}

TEST_CASE("the picture of the panel alone is written where the dialog is told") {
  if (!can_draw()) return;
  Screen screen(small_state());
  screen.key(Key::e, true);
  screen.settle();
  const auto ok = screen.find_in_popup("OK", 0.05f);
  REQUIRE(ok);
  screen.click(*ok);
  screen.settle();
  REQUIRE(screen.pictures.contains("convlens-layouts.png"));
  const auto [width, height] = screen.pictures["convlens-layouts.png"];
  const Area centre_area = screen.child("centre").area;
  CHECK(width == static_cast<int>(centre_area.right - centre_area.left));
  CHECK(height == static_cast<int>(centre_area.bottom - centre_area.top));
  CHECK(screen.app().notice().find("convlens-layouts.png") != std::string::npos);
}

TEST_CASE("a row that cannot run has a button for the nearest change, chosen or not") {
  if (!can_draw()) return;
  viewer::State state = small_state();
  state.spec.stride_h = state.spec.stride_w = 2;
  for (const bool chosen : {true, false}) {
    INFO((chosen ? "chosen" : "not chosen"));
    state.runs = {"im2col.ref"};
    if (chosen) state.runs.push_back("winograd.ref");
    Screen screen(state, 1280, 1600);
    const auto button = screen.find(sidebar(screen), {"make it so##winograd.ref"}, 0.08f);
    REQUIRE(button);
    screen.click(*button);
    CHECK(screen.state().spec.stride_h == 1);
    CHECK(screen.state().spec.stride_w == 1);
    REQUIRE(screen.app().model().rows().size() == 2);
    CHECK(screen.app().model().rows()[1].algorithm->id == "winograd.ref");
    CHECK(screen.app().model().rows()[1].plan);
  }
}

TEST_CASE("a question mark shows the keys, and Escape takes them away") {
  if (!can_draw()) return;
  Screen screen(small_state());
  const auto shown = [&] {
    const auto windows = screen.windows();
    return std::ranges::any_of(windows, [](const Screen::Window& window) { return window.name == "Keys"; });
  };
  CHECK_FALSE(shown());
  screen.type("?");
  screen.settle();
  CHECK(shown());
  screen.key(Key::escape);
  screen.settle();
  CHECK_FALSE(shown());
}

TEST_CASE("magnitude and phase of a spectrum are zoomed as one") {
  if (!can_draw()) return;
  viewer::State state = small_state();
  state.runs = {"fft.cc"};  // which can be looked at in every build
  Screen screen(state);
  const viewer::Exhibit* spectra = nullptr;
  for (const viewer::Exhibit& exhibit : screen.app().model().exhibits())
    if (exhibit.complex) spectra = &exhibit;
  REQUIRE(spectra != nullptr);
  const std::string id = spectra->id;
  const Area pane = screen.child(id).inner;
  screen.point({pane.left + (pane.right - pane.left) * 0.25f, pane.middle().y});
  screen.frames(2);
  for (int k = 0; k < 5; ++k) screen.wheel(1);
  const auto& views = screen.app().views();
  CHECK(views.at(id).cell > 0);
  CHECK(views.at(id).cell == views.at(id + " phase").cell);
  screen.point({pane.left + (pane.right - pane.left) * 0.8f, pane.middle().y});
  screen.frames(2);
  const double before = views.at(id).cell;
  for (int k = 0; k < 3; ++k) screen.wheel(-1);
  CHECK(views.at(id).cell < before);
  CHECK(views.at(id).cell == views.at(id + " phase").cell);
}
