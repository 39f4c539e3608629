// The editor of the Kernel panel under a hand: Escape, the caret, the colours of the code.
#include <imgui/imgui_internal.h>

#include <algorithm>

#include "tests/catch.h"
#include "tests/viewer/frames/drawn_text.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using viewer::Key;

constexpr char kTyped = '@';  // which no kernel holds

viewer::State kernel_state() {
  viewer::State state = viewer::first_state();
  state.panel = "kernel";
  state.runs = {"im2win.cc"};
  return state;
}

void begin_editing(Screen& screen) {
  screen.settle();
  const auto edit = screen.find(screen.child("kernel").name, {"edit"}, 0.01f);
  REQUIRE(edit);
  screen.click(*edit);
  screen.frames(2);
}

void click_into_text(Screen& screen) { screen.click(screen.child("source").inner.middle()); }

std::string text_of(const Screen& screen) {
  const auto& texts = screen.state().kernel.texts;
  return texts.empty() ? "" : texts.begin()->second;
}

}  // namespace

TEST_CASE("Escape leaves the editor and keeps what was typed, which undo takes back") {
  if (!can_draw()) return;
  Screen screen(kernel_state(), 1600, 1000);
  begin_editing(screen);
  click_into_text(screen);
  screen.type(std::string(3, kTyped));
  const std::string typed = text_of(screen);
  REQUIRE(typed.find(std::string(3, kTyped)) != std::string::npos);
  screen.key(Key::escape);
  screen.settle();
  CHECK(GImGui->ActiveId == 0);
  CHECK(text_of(screen) == typed);
  screen.point({-1, -1});
  screen.key(Key::z, true);
  CHECK(screen.state().kernel.texts.empty());
  screen.key(Key::y, true);
  CHECK(text_of(screen) == typed);
}

TEST_CASE("the text is scrolled to where it is typed") {
  if (!can_draw()) return;
  Screen screen(kernel_state(), 1600, 1000);
  begin_editing(screen);
  click_into_text(screen);
  for (int k = 0; k < 60; ++k) screen.key(Key::enter);  // farther down than the panel is high
  screen.type(std::string(1, kTyped));
  screen.settle();
  const Area seen = screen.child("source").inner;
  const std::vector<DrawnLetter> letters = drawn_letters();
  CHECK(std::ranges::any_of(letters, [&](const DrawnLetter& letter) {
    return letter.code == kTyped && letter.window.find("/source") != std::string::npos && letter.area.within(seen);
  }));
}

TEST_CASE("in the editor the code has the colours that it has to be read") {
  if (!can_draw()) return;
  Screen screen(kernel_state(), 1600, 1000);
  screen.settle();
  const Area source = screen.child("source").inner;
  const Frame before = screen.picture();
  begin_editing(screen);
  screen.point({-1, -1});
  const Frame after = screen.picture();
  int different = 0, drawn = 0;
  for (int y = static_cast<int>(source.top); y < static_cast<int>(source.bottom); ++y)
    for (int x = static_cast<int>(source.left); x < static_cast<int>(source.right) - 20; ++x) {
      drawn += before.at(x, y) != before.at(x - 1, y);
      different += before.at(x, y) != after.at(x, y);
    }
  REQUIRE(drawn > 1000);
  CHECK(different < drawn / 100);
}
