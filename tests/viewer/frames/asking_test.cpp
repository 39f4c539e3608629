// What a hand asks of the window in vain, or at an awkward moment: nothing is lost, moved or left open.
#include <algorithm>
#include <filesystem>

#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/viewer/frames/drawn_text.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using viewer::Key;

viewer::State small_state() {
  viewer::State state = state_of({.n = 1, .ci = 2, .hi = 6, .wi = 6, .co = 2, .hf = 3, .wf = 3},
                                 {"im2col.ref", "im2win.ref", "winograd.ref"});
  state.picture = "";
  return state;
}

std::string sidebar(const Screen& screen) { return screen.child("sidebar").name; }

bool popup_open(const Screen& screen) {
  for (const Screen::Window& window : screen.windows())
    if (window.popup) return true;
  return false;
}

std::string drawn(Screen& screen, const std::string& window) {
  screen.picture();
  std::string text;
  for (const DrawnLetter& letter : drawn_letters())
    if (letter.window.find(window) != std::string::npos) text += static_cast<char>(letter.code);
  return text;
}

// The middle of the first letter of a text.
Point where_drawn(Screen& screen, const std::string& text) {
  screen.picture();
  const std::vector<DrawnLetter> letters = drawn_letters();
  const auto same = [](const DrawnLetter& letter, char c) { return letter.code == static_cast<unsigned char>(c); };
  const auto first = std::search(letters.begin(), letters.end(), text.begin(), text.end(), same);
  REQUIRE(first != letters.end());
  return first->area.middle();
}

// Writes `name` over what the open dialog suggests.
void answer_dialog(Screen& screen, const std::string& name) {
  screen.settle();
  screen.type(name);
  const auto ok = screen.find_in_popup("OK", 0.05f);
  REQUIRE(ok);
  screen.click(*ok);
  screen.settle();
}

}  // namespace

TEST_CASE("a number beyond 64 bits stays in its box as it is typed, red, and the layer as it was") {
  if (!can_draw()) return;
  Screen screen(viewer::first_state());
  const Area side = screen.child("sidebar").area;
  const auto box = screen.find(sidebar(screen), {"groups", "##box"}, 0.6f);
  REQUIRE(box);
  screen.click(*box);
  screen.type("9223372036854775808");
  screen.click({-1, -1});
  CHECK(screen.state().spec == viewer::first_state().spec);
  CHECK(screen.picture().count(side, viewer::palette().wrong) > 20);
  CHECK(drawn(screen, "/sidebar_").find("9223372036854775808,must") != std::string::npos);
  const auto again = screen.find(sidebar(screen), {"groups", "##box"}, 0.6f);
  REQUIRE(again);
  screen.click(*again);
  screen.type("1");
  CHECK(screen.state().spec.groups == 1);
  CHECK(screen.app().model().problem());
}

TEST_CASE("an output whose every element is a sum too long to look at is not drawn, and says so") {
  if (!can_draw()) return;
  Screen screen(state_of({.n = 1, .ci = 9223372, .hi = 54, .wi = 54, .co = 64, .hf = 3, .wf = 3}, {"im2col.ref"}));
  CHECK(drawn(screen, "/y_").find("Notdrawn") != std::string::npos);
}

TEST_CASE("Escape closes what is open: the list of tensors, a menu, a list of choices, the dialog") {
  if (!can_draw()) return;
  Screen screen(small_state());
  const auto closes = [&] {
    screen.frames(2);
    const bool open = popup_open(screen);
    screen.key(Key::escape);
    screen.point({-1, -1});
    screen.frames(4);
    return open && !popup_open(screen);
  };
  for (const char* title : {"Tensors", "File", "View"}) {
    INFO(title);
    screen.click(where_drawn(screen, title));
    CHECK(closes());
  }
  const auto combo = screen.find(sidebar(screen), {"##layer"}, 0.4f);
  REQUIRE(combo);
  screen.click(*combo);
  CHECK(closes());
  screen.key(Key::s, true);
  screen.settle();
  CHECK(closes());
}

TEST_CASE("a click counts while the scrubber plays, and the scrubber goes on") {
  if (!can_draw()) return;
  for (int wait = 0; wait < 6; ++wait) {
    viewer::State state = small_state();
    state.spec.stride_h = state.spec.stride_w = 2;
    state.arrangement = "five";
    state.step = 10;
    Screen screen(state, 1280, 1600);
    const auto button = screen.find(sidebar(screen), {"make it so##winograd.ref"}, 0.08f);
    REQUIRE(button);
    screen.key(Key::space);
    screen.frames(wait);
    screen.click(*button);
    INFO("after " << wait << " frames, at step " << screen.state().step);
    CHECK(screen.state().spec.stride_h == 1);
    CHECK(screen.state().spec.stride_w == 1);
    const std::int64_t then = screen.state().step;
    screen.frames(30);
    CHECK(screen.state().step > then);
  }
}

TEST_CASE("a picture is not written under another format's name, nor a state into a folder that is not there") {
  if (!can_draw()) return;
  const TemporaryFolder folder;
  Screen screen(small_state());
  screen.key(Key::e, true);
  answer_dialog(screen, "x.jpg");
  CHECK(screen.app().notice() == "picture: x.jpg, must end in .png");
  CHECK(screen.pictures.empty());
  screen.key(Key::escape);  // the dialog has stayed, with the reason
  screen.settle();
  screen.key(Key::s, true);
  answer_dialog(screen, folder.path() + "/new/a.json");
  CHECK(screen.app().notice().find("cannot be written (No such file") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/new"));
}

TEST_CASE("a notice stands beside the formula, and goes after some seconds or with the next change") {
  if (!can_draw()) return;
  Screen screen(small_state());
  const auto fail = [&] {
    screen.key(Key::e, true);
    answer_dialog(screen, "x.jpg");
    REQUIRE_FALSE(screen.app().notice().empty());
  };
  fail();
  const std::string text = drawn(screen, "/status_");
  CHECK(text.find("mustendin.png") != std::string::npos);
  CHECK(text.find("...") == std::string::npos);
  const std::string with = text.substr(text.find(".png") + 4);
  screen.frames(60 * 9);
  CHECK(screen.app().notice().empty());
  const std::string without = drawn(screen, "/status_");
  CHECK(with.size() > 10);
  CHECK(without.ends_with(with.substr(with.size() - 10)));
  fail();
  viewer::State next = screen.state();
  next.cursor.at[3] = 1;
  screen.app().change(next);
  CHECK_FALSE(screen.app().notice().empty());
  next.dark = !next.dark;
  screen.app().change(next);
  CHECK(screen.app().notice().empty());
}

TEST_CASE("a file that cannot be written leaves the dialog open, with its name and the reason") {
  if (!can_draw()) return;
  Screen screen(small_state());
  screen.key(Key::s, true);
  answer_dialog(screen, "/nowhere/at/all.json");
  REQUIRE(popup_open(screen));
  CHECK_THAT(drawn(screen, "file"), Catch::Matchers::Contains("/nowhere/at/all.json"));
  const TemporaryFolder folder;
  answer_dialog(screen, folder.path() + "/all.json");
  CHECK_FALSE(popup_open(screen));
  CHECK(std::filesystem::exists(folder.path() + "/all.json"));
}
