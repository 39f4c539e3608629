// The Numerics and Kernel panels and the guided tour, driven by pointer and keys.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "algorithms/interface/registry.h"
#include "algorithms/measure/device.h"
#include "tests/catch.h"
#include "tests/viewer/frames/drawn_text.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"
#include "viewer/logic/tour.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using viewer::Key;

viewer::State numerics_state() {
  viewer::State state = state_of({.n = 1, .ci = 4, .hi = 12, .wi = 12, .co = 2, .hf = 3, .wf = 3, .pad_top = 1},
                                 {"direct.ref", "winograd.ref"});
  state.panel = "numerics";
  return state;
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

viewer::State kernel_state() {
  viewer::State state = viewer::first_state();
  state.panel = "kernel";
  state.runs = {"im2win.cc"};
  return state;
}

}  // namespace

TEST_CASE("a click in the table of verdicts brings that row and type to the front, and undo the other back") {
  if (!can_draw()) return;
  Screen screen(numerics_state(), 1600, 1000);
  screen.settle();
  const Area panel = screen.child("numerics").inner;
  // Wherever in the table: the state says what was hit.
  std::optional<viewer::NumericsState> hit;
  const float across = panel.right - panel.left;
  for (float y = panel.top + 40; y < panel.top + 200 && !hit; y += 6) {
    screen.click({panel.left + across * 0.95f, y});
    if (screen.state().numerics.dtype == DType::f64) hit = screen.state().numerics;
  }
  REQUIRE(hit);
  CHECK_FALSE(hit->run.empty());
  screen.point({-1, -1});
  screen.key(Key::z, true);
  CHECK(screen.state().numerics == numerics_state().numerics);
}

TEST_CASE("Numerics shows the tensors' type, and of a row that cannot run its true reason and its matrices") {
  if (!can_draw()) return;
  viewer::State state = numerics_state();
  state.runs = {"winograd.tc", "im2win.ref"};
  state.dtype = DType::f16;
  Screen screen(state, 1600, 1000);
  screen.picture();
  using Catch::Matchers::Contains;
  CHECK_THAT(drawn_text(), Contains("Outputsbyerror,inf16") && Contains("ofatile,wherethesumtakes"));
  CHECK_THAT(drawn_text(), !Contains("mustbef16orbf16ontensorcores.") && !Contains("winograd.tccannotberuninf32"));
  const std::string why = why_not_here(find_algorithm("winograd.tc"));
  if (why.empty()) return;
  CHECK_THAT(drawn_text(), Contains("winograd.tccannotberuninf16:" + without_spaces(why)));
  std::string histogram;
  for (const DrawnLetter& letter : drawn_letters())
    if (letter.window.find("/histogram_") != std::string::npos) histogram += static_cast<char>(letter.code);
  CHECK_THAT(histogram, Contains("im2win.ref") && !Contains("winograd.tc"));
}

TEST_CASE("the matrices of a row on a GPU, whose m is chosen for it, need no GPU and no type of its own") {
  if (!can_draw()) return;
  for (const char* run : {"winograd.cc", "winograd.tc", "winograd.tc:m=4"})
    for (const DType dtype : {DType::f32, DType::f16}) {
      viewer::State state = numerics_state();
      state.runs = {run, "im2win.ref"}, state.dtype = dtype;
      Screen screen(state, 1600, 1000);
      screen.picture();
      INFO(run << " " << name(dtype));
      CHECK_THAT(drawn_text(), Catch::Matchers::Contains("ofatile,wherethesumtakes"));
    }
}

TEST_CASE("where no chosen row has a kernel the panel says so, and a button shows one of the family's") {
  if (!can_draw()) return;
  viewer::State state = kernel_state();
  state.runs = {"im2win.cpu"};
  Screen screen(state, 1600, 1000);
  screen.settle();
  const auto rows = screen.app().data();
  CHECK(rows.front().at("refused").get<std::string>().find("of im2win.cpu there is none") != std::string::npos);
  CHECK(rows.front().at("refused").get<std::string>().find("im2win.cc, im2win.tc") != std::string::npos);
  std::optional<Point> button;
  for (float column = 0.02f; !button && column < 0.3f; column += 0.02f)
    button = screen.find(screen.child("kernel").name, {"im2win.tc"}, column);
  REQUIRE(button);
  screen.click(*button);
  CHECK(screen.state().kernel.run == "im2win.tc");
  screen.settle();
  CHECK(screen.app().data().front().at("run") == "im2win.tc");
}

TEST_CASE("a click on the error map chooses the output whose terms are listed") {
  if (!can_draw()) return;
  Screen screen(numerics_state(), 1600, 1000);
  screen.settle();
  const Area map = screen.child("error map").inner;
  screen.click({map.middle().x, map.middle().y + 30});
  const std::vector<std::int64_t> element = screen.state().numerics.element;
  REQUIRE(element.size() == 4);
  CHECK((element[0] == 0 && element[1] == 0));
  CHECK((element[2] > 0 && element[2] < 11 && element[3] > 0 && element[3] < 10));
}

TEST_CASE("the scale of x that is dragged is one step of undo, and its numbers come in the background") {
  if (!can_draw()) return;
  Screen screen(numerics_state(), 1600, 1000);
  const std::string panel = screen.child("numerics").name;
  const auto slider = screen.find(panel, {"##scale"}, 0.06f);
  REQUIRE(slider);
  screen.drag(*slider, {slider->x + 40, slider->y});
  CHECK(screen.state().numerics.exponent > 0);
  screen.point({-1, -1});
  screen.settle();
  screen.key(Key::z, true);
  CHECK(screen.state().numerics.exponent == 0);
}

TEST_CASE("what a type cannot hold is said in the table of verdicts, whichever type is in front") {
  if (!can_draw()) return;
  viewer::State state = numerics_state();
  const auto text_at = [&](std::int64_t exponent) {
    state.numerics.exponent = exponent;
    Screen screen(state, 1600, 1000);
    screen.picture();
    return drawn_text();
  };
  using Catch::Matchers::Contains;
  const std::string large = text_at(20);
  CHECK_THAT(large, Contains("Inf16") && Contains("elementsofxaretoolargeatthisscale,andInf:noverdict."));
  CHECK_THAT(large, Contains("NaN"));
  const std::string small = text_at(-30);
  CHECK_THAT(small, Contains("Inf16allofxis0,beingtoosmall") && Contains("xis0"));
  CHECK_THAT(small, !Contains("NaNtimes"));
  state.numerics.dtype = DType::f16;
  CHECK_THAT(text_at(-30), Contains("alltermsare0") && !Contains("NaNtimes"));
  CHECK_THAT(text_at(25), !Contains("offbyNaN"));
}

TEST_CASE("a channel that the piece does not have is said to be another, the same in slider and map") {
  if (!can_draw()) return;
  viewer::State state = numerics_state();
  state.numerics.channel = 63;
  Screen screen(state, 1600, 1000);
  screen.picture();
  using Catch::Matchers::Contains;
  CHECK_THAT(drawn_text(), Contains("channel1ofy") && Contains("Errors,channel1") && !Contains("channel63of"));
  CHECK_THAT(drawn_text(), Contains("Channel63isaskedfor"));
}

TEST_CASE("the bins at both sides of the histogram have names") {
  if (!can_draw()) return;
  Screen screen(numerics_state(), 1600, 1000);
  screen.picture();
  CHECK_THAT(drawn_text(), Catch::Matchers::Contains("0NaN,Inf"));  // in the order in which they are drawn
}

TEST_CASE("the pictures of one row with and without a NaN differ on the error map") {
  if (!can_draw()) return;
  viewer::State state = numerics_state();
  Screen screen(state, 1600, 1000);
  const Frame clean = screen.picture();
  state.numerics.injection = "nan";
  screen.app().change(state);
  const Frame struck = screen.picture();
  const Area map = screen.child("error map").inner;
  int different = 0;
  for (int y = static_cast<int>(map.top); y < static_cast<int>(map.bottom); ++y)
    for (int x = static_cast<int>(map.left); x < static_cast<int>(map.right); ++x)
      different += clean.at(x, y) != struck.at(x, y);
  CHECK(different > 100);
}

TEST_CASE("text that is typed into a kernel is compiled as it stands, and one click brings the text that ships back") {
  if (!can_draw()) return;
  Screen screen(kernel_state(), 1600, 1000);
  screen.settle();
  const std::string panel = screen.child("kernel").name;
  const auto edit = screen.find(panel, {"edit"}, 0.01f);
  REQUIRE(edit);
  screen.click(*edit);
  screen.frames(2);
  screen.click(screen.child("source").inner.middle());
  screen.type("~");
  REQUIRE(screen.state().kernel.texts.size() == 1);
  const auto& [file, text] = *screen.state().kernel.texts.begin();
  CHECK(file == "im2win/im2win_cc.cu");
  CHECK(text.find('~') != std::string::npos);
  screen.click({-1, -1});
  screen.settle();
  const auto back = screen.find(panel, {"back to the text that ships"}, 0.1f);
  REQUIRE(back);
  screen.click(*back);
  CHECK(screen.state().kernel.texts.empty());
  screen.point({-1, -1});
  screen.key(Key::z, true);
  CHECK(screen.state().kernel.texts.size() == 1);
}

TEST_CASE("the tour goes through its steps by its buttons, and points at what is there") {
  if (!can_draw()) return;
  for (const double scale : {1.0, 2.0}) {
    viewer::State state = viewer::at_tour_step(viewer::first_state(), 1);
    state.scale = scale;
    Screen screen(state, 1280, 720);
    const auto steps = static_cast<std::int64_t>(viewer::tour().size());
    for (std::int64_t step = 1; step <= steps; ++step) {
      INFO(step << " at " << scale);
      CHECK(screen.state().tour == step);
      screen.settle();
      const std::string shown = viewer::tour()[static_cast<std::size_t>(step - 1)].points_at;
      screen.child(shown.front() == '/' ? shown.substr(1) : shown);
      // A strip of its own, which covers nothing.
      const Screen::Window card = screen.child("tour");
      CHECK(card.area.within({0, 0, 1280, 720}));
      CHECK((card.scroll_most.x <= 1 && card.scroll_most.y <= 1));
      for (const char* other : {"sidebar", "centre", "status"})
        CHECK_FALSE(card.area.overlaps(screen.child(other).area));
      std::optional<Point> next;
      for (float across = 0.02f; across < 0.9f && !next; across += 0.03f)
        next = screen.find(card.name, {step < steps ? "next" : "done"}, across);
      REQUIRE(next);
      screen.click(*next);
    }
    CHECK(screen.state().tour == 0);
  }
}
