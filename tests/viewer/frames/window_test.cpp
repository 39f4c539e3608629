// A session in a real window. Where widgets are is found out off-screen, in a frame of the same state and size.
#include <signal.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "tests/catch.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/frames/window.h"
#include "tests/viewer/states.h"
#include "viewer/logic/commands.h"

namespace {

using namespace convlens;
using namespace convlens::testing;

constexpr int kWidth = 1280, kHeight = 1000;

bool can_open() {
  const std::string why = why_no_window();
  if (!why.empty()) std::cout << "SKIP: " << why << "\n";
  return why.empty() && can_draw();
}

viewer::State small_state() {
  viewer::State state = state_of({.n = 1, .ci = 2, .hi = 9, .wi = 9, .co = 2, .hf = 3, .wf = 3}, {"im2col.ref"});
  state.picture = "";
  state.scale = 1;  // whatever the display believes its density to be
  return state;
}

// Where something is on the screen, in a frame that is gone again when the answer is there.
Point found(const viewer::State& state, const std::function<std::optional<Point>(Screen&)>& look) {
  Screen screen(state, kWidth, kHeight);
  const std::optional<Point> at = look(screen);
  REQUIRE(at);
  return *at;
}

void pass(double seconds) {
  comes_true(seconds, [] { return false; });
}

// A change that has come to the window for certain: a key that is under way when a window ends is lost with it.
bool takes_scale_from_monitor(Window& window) {
  return comes_true(kPatience, [&] {
    window.key("ctrl+0");
    return window.state().scale == 0;
  });
}

// Seconds of a processor, in the second that passes now.
double spent_in_a_second(pid_t process) {
  const double before = cpu_seconds(process);
  pass(1);
  return cpu_seconds(process) - before;
}

std::pair<int, int> png_size(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string head(24, '\0');
  stream.read(head.data(), 24);
  REQUIRE(head.substr(1, 3) == "PNG");
  const auto number = [&](std::size_t at) {  // big-endian, in the chunk IHDR
    int value = 0;
    for (std::size_t k = at; k < at + 4; ++k) value = value * 256 + static_cast<unsigned char>(head[k]);
    return value;
  };
  return {number(16), number(20)};
}

}  // namespace

TEST_CASE("a session in a window: a slider, a cell, an option, undo, pictures, other sizes, an icon") {
  if (!can_open()) return;
  const viewer::State first = small_state();
  Window window(first, kWidth, kHeight);
  CHECK(window.state() == first);

  const Point slider = found(first, [](Screen& screen) {
    return screen.find(screen.child("sidebar").name, {"stride_w", "##slider"}, 0.05f);
  });
  window.drag(slider, {slider.x + 100, slider.y});
  const viewer::State strided = window.state();
  CHECK(strided.spec.stride_w > 1);
  CHECK(strided.spec.stride_h == 1);
  // A key that comes while a dialog is still closing is the dialog's: it is pressed once more.
  const auto comes_to = [&](const viewer::State& state, const char* key) {
    return comes_true(kPatience, [&] {
      window.key(key);
      return window.state() == state;
    });
  };
  CHECK(comes_to(first, "ctrl+z"));
  CHECK(comes_to(strided, "ctrl+y"));
  CHECK(comes_to(first, "ctrl+z"));

  // The same cell under the pointer as in the frame drawn off-screen.
  viewer::Cursor cursor;
  const Point cell = found(first, [&](Screen& screen) {
    const Area pane = screen.child("x").inner;
    const Point at{std::round(pane.middle().x) + 9, std::round(pane.middle().y) + 9};
    screen.point({at.x - 1, at.y});
    screen.point(at);
    screen.frames(2);
    cursor = screen.state().cursor;
    return at;
  });
  REQUIRE(cursor.tensor == "x");
  window.point({cell.x - 1, cell.y});
  window.point(cell);
  const viewer::State pointing = window.state();
  CHECK(pointing.cursor == cursor);

  const Algorithm& row = find_algorithm("im2col.ref");
  const Option& option = row.options.front();
  const std::string wanted = option.values.back();
  Point choice;
  const Point combo = found(pointing, [&](Screen& screen) {
    const auto at = screen.find(screen.child("sidebar").name, {row.id + option.id, "##value"}, 0.2f);
    if (!at) return at;
    screen.click(*at);
    const auto in_popup = screen.find_in_popup(wanted);
    REQUIRE(in_popup);
    choice = *in_popup;
    return at;
  });
  OptionSet chosen = parse_run(row.id).options;
  chosen.set(option.id, wanted);
  double pause = 0.2;  // until the list is open; where the click came before it, more slowly once more
  CHECK(comes_true(kPatience, [&] {
    window.click(combo);
    pass(pause);
    window.click(choice);
    pass(pause);
    if (window.state().runs == std::vector{run_name(row, chosen)}) return true;
    window.click({kWidth - 20, kHeight - 10});
    if (window.state().runs != first.runs) window.key("ctrl+z");
    pause *= 2;
    return false;
  }));
  CHECK(comes_true(kPatience, [&] {
    window.key("ctrl+z");
    return window.state().runs == first.runs;
  }));

  const auto whole = png_size(window.write("ctrl+e", "panel.png"));
  window.resize(kWidth - 200, kHeight - 150);
  CHECK(comes_true(kPatience, [&] {
    return png_size(window.write("ctrl+e", "panel.png")) == std::pair(whole.first - 200, whole.second - 150);
  }));
  for (const auto& [width, height] : {std::pair(1, 1), std::pair(40, 700), std::pair(kWidth, 8)}) {
    window.resize(width, height);
    window.point({static_cast<float>(width) / 2, static_cast<float>(height) / 2});
  }
  window.resize(kWidth, kHeight);
  CHECK(window.state().spec == first.spec);

  window.iconify();
  CHECK(comes_true(kPatience, [&] { return spent_in_a_second(window.program().id()) < 0.1; }));
  window.restore();
  CHECK(window.state().spec == first.spec);

  window.key("ctrl+q");
  CHECK(window.program().exit(kPatience) == 0);
  CHECK(viewer::read_state(window.kept_file()).cursor.tensor == "x");
}

TEST_CASE("a copied command line opens a window on what it was copied from, whatever the last window showed") {
  if (!can_open()) return;
  viewer::State last = small_state(), copied = viewer::first_state();
  last.dark = false, last.scale = 1.5, last.layouts.x = Layout::CHWN, last.memory_limit = 7 << 20;
  copied.runs = {"im2win.ref"}, copied.performance.run = "im2win.ref";
  copied.arrangement = "ribbon";
  copied.cursor = {"x", {0, 1, 2, 3}};
  std::vector<std::string> words = viewer::command_words(copied);
  words.erase(words.begin(), words.begin() + 2);
  Window window(last, kWidth, kHeight, "1600x1200", words);
  CHECK(window.state() == copied);
}

TEST_CASE("a window of no given size fits the monitor") {
  if (!can_open()) return;
  Window window(small_state(), 0, 0, "1024x600");
  const auto [width, height] = window.size();
  CHECK((width > 900 && width <= 1024));
  CHECK((height > 500 && height <= 600));
}

TEST_CASE("a window that nobody touches uses no processor") {
  if (!can_open()) return;
  viewer::State state = small_state();
  Window window(state, kWidth, kHeight);
  // Once everything is painted.
  CHECK(comes_true(kPatience, [&] { return spent_in_a_second(window.program().id()) < 0.02; }));
}

TEST_CASE("an iconified window lets its worker rest, and one that is back has it measure on") {
  if (!can_open()) return;
  viewer::State state = small_state();
  state.panel = "performance";
  state.performance.run = "direct.cpu";
  Window window(state, kWidth, kHeight);
  const auto of_worker = [&] {
    const std::vector<pid_t> workers = window.program().children();
    return workers.size() == 1 ? spent_in_a_second(workers.front()) : 0;
  };
  REQUIRE(comes_true(kPatience, [&] { return of_worker() > 0.1; }));
  window.iconify();
  CHECK(comes_true(kPatience, [&] { return of_worker() < 0.02; }));
  CHECK(comes_true(kPatience, [&] { return spent_in_a_second(window.program().id()) < 0.02; }));
  window.restore();
  CHECK(comes_true(kPatience, [&] { return of_worker() > 0.1; }));
  window.key("ctrl+q");
  CHECK(window.program().exit(kPatience) == 0);
}

TEST_CASE("a window that is iconified while keys wait for their frames rests too, and takes them when it is back") {
  if (!can_open()) return;
  Window window(small_state(), kWidth, kHeight);
  CHECK(takes_scale_from_monitor(window));
  window.program().signal(SIGSTOP);
  for (int k = 0; k < 2; ++k) window.key("ctrl+minus");
  window.iconify();
  window.program().signal(SIGCONT);
  CHECK(comes_true(kPatience, [&] { return spent_in_a_second(window.program().id()) < 0.02; }));
  window.restore();
  CHECK(window.state().scale != 0);
}

TEST_CASE("keys that go down and up before the next frame count") {
  if (!can_open()) return;
  Window window(small_state(), kWidth, kHeight);
  CHECK(comes_true(kPatience, [&] {
    window.key_at_once("ctrl+s");
    pass(0.5);                     // until the dialog is there
    window.key_at_once("Return");  // the name that it suggests
    return comes_true(2, [&] { return std::filesystem::exists(window.folder() + "/convlens.json"); });
  }));
  int exit = -2;
  CHECK(comes_true(kPatience, [&] {
    window.key_at_once("Escape");  // on a slow machine a dialog of the last attempt may still be there
    window.key_at_once("ctrl+q");
    exit = window.program().exit(1);
    return exit != -2;
  }));
  CHECK(exit == 0);
}

TEST_CASE("a key that went down before control did is not taken with it") {
  if (!can_open()) return;
  const viewer::State first = small_state();
  Window window(first, kWidth, kHeight);
  constexpr double kUntilClosed = 0.5;  // the dialog by which a state is saved
  CHECK(window.state() == first);
  pass(kUntilClosed);
  window.at_once({"key", "minus", "keydown", "ctrl"});
  pass(0.5);
  window.at_once({"keyup", "ctrl"});
  CHECK(window.state() == first);
  CHECK(comes_true(kPatience, [&] {
    pass(kUntilClosed);
    window.key_at_once("ctrl+minus");
    return window.state().scale < 1;
  }));
}

TEST_CASE("what is typed into a kernel before the next frame stands in the order in which it was typed") {
  if (!can_open()) return;
  viewer::State state = small_state();
  state.panel = "kernel";
  state.runs = {"im2win.cc"};
  Point text;
  const Point edit = found(state, [&](Screen& screen) {
    screen.settle();
    const auto at = screen.find(screen.child("kernel").name, {"edit"}, 0.01f);
    text = screen.child("source").inner.middle();
    return at;
  });
  Window window(state, kWidth, kHeight);
  double pause = 0.5;  // until the kernel is there; where the click came before it, more slowly once more
  std::string typed;
  CHECK(comes_true(kPatience, [&] {
    pass(pause);
    window.click(edit);
    pass(pause);
    window.click(text);
    pass(pause);
    window.program().signal(SIGSTOP);
    for (const char* key : {"z", "q", "Return", "Return", "q", "z"}) window.key(key);
    window.program().signal(SIGCONT);
    pass(pause);
    window.key("Escape");
    const viewer::State state = window.state();
    if (!state.kernel.texts.empty()) typed = state.kernel.texts.begin()->second;
    pause *= 1.5;
    return !typed.empty();
  }));
  CHECK(typed.find("zq\n\nqz") != std::string::npos);
}

TEST_CASE("a window that is told to end by a signal keeps its state") {
  if (!can_open()) return;
  const std::vector<std::pair<int, int>> ends{{SIGTERM, 0}, {SIGHUP, 0}, {SIGINT, 130}};
  for (const auto& [signal, exit] : ends) {
    INFO("signal " << signal);
    const viewer::State first = small_state();
    Window window(first, kWidth, kHeight);
    CHECK(window.state() == first);
    CHECK(takes_scale_from_monitor(window));
    if (signal == SIGHUP) window.iconify();
    window.program().signal(signal);
    CHECK(window.program().exit(kPatience) == exit);
    viewer::State expected = first;
    expected.scale = 0;
    CHECK(viewer::read_state(window.kept_file()) == expected);
  }
}

TEST_CASE("a window whose display goes away keeps its state, and says so in one line") {
  if (!can_open()) return;
  const viewer::State first = small_state();
  for (const bool iconic : {false, true}) {
    Window window(first, kWidth, kHeight);
    CHECK(window.state() == first);
    CHECK(takes_scale_from_monitor(window));
    if (iconic) window.iconify();
    pass(0.3);
    window.server().signal(SIGTERM);
    CHECK(window.program().exit(kPatience) == 4);
    CHECK(window.said() == "view: the display is gone; the state is kept in " + window.kept_file() + "\n");
    viewer::State expected = first;
    expected.scale = 0;
    CHECK(viewer::read_state(window.kept_file()) == expected);
  }
}

TEST_CASE("a window that knows no place to keep its state in says so when it ends") {
  if (!can_open()) return;
  const std::string says = "neither XDG_CONFIG_HOME nor HOME is set: what the window ends as is not kept\n";
  for (const bool lost : {false, true}) {
    Window window(small_state(), kWidth, kHeight, "1600x1200", {}, {{"HOME", ""}, {"XDG_CONFIG_HOME", ""}});
    pass(0.3);
    (lost ? window.server() : window.program()).signal(SIGTERM);
    CHECK(window.program().exit(kPatience) == (lost ? 4 : 0));
    CHECK(window.said() == (lost ? "view: the display is gone; " : "view: ") + says);
  }
}
