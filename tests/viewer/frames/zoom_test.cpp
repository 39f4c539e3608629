// Grids under the wheel, and how their cells lie on pixels, driven through the real path of pointer and frames.
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/catch.h"
#include "tests/support/draw.h"
#include "tests/viewer/frames/drawn_text.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"

namespace {

using namespace convlens;
using namespace convlens::testing;

Point random_point(const Area& area, std::uint64_t number) {
  const auto between = [&](float low, float high, std::uint64_t k) {
    return low + (high - low) * static_cast<float>(random_integer(91, 2 * number + k, 0, 999)) / 1000;
  };
  return {std::floor(between(area.left, area.right, 0)), std::floor(between(area.top, area.bottom, 1))};
}

// The part of a pane where the pointer finds cells of x, in steps of a pixel along its middle lines.
Area where_x_is(Screen& screen, const Area& pane, const viewer::State& elsewhere) {
  const auto on_x = [&](Point at) {
    screen.app().change(elsewhere);
    screen.point({-1, -1});
    screen.frames(1);
    screen.point(at);
    screen.frames(2);
    return screen.state().cursor.tensor == "x";
  };
  Area found{1e9f, 1e9f, 0, 0};
  for (float t = 0.02f; t < 1 && found.right == 0; t += 0.07f) {
    const Point start{pane.left + (pane.right - pane.left) * t, pane.top + (pane.bottom - pane.top) * 0.6f};
    if (!on_x(start)) continue;
    found = {start.x, start.y, start.x + 1, start.y + 1};
    while (on_x({found.left - 1, start.y})) --found.left;
    while (on_x({found.right, start.y})) ++found.right;
    while (on_x({start.x, found.top - 1})) --found.top;
    while (on_x({start.x, found.bottom})) ++found.bottom;
  }
  return found;
}

std::array<double, 3> mean_colour(const Frame& frame, const Area& area) {
  std::array<double, 3> mean{};
  double pixels = 0;
  for (int y = static_cast<int>(area.top); y < static_cast<int>(area.bottom); ++y)
    for (int x = static_cast<int>(area.left); x < static_cast<int>(area.right); ++x, ++pixels)
      for (std::size_t k = 0; k < 3; ++k) mean[k] += frame.at(x, y) >> (8 * k) & 255;
  for (double& part : mean) part /= pixels;
  return mean;
}

// WCAG 2.1's relative luminance, of a colour 0x00BBGGRR.
double luminance(std::uint32_t colour) {
  const auto linear = [&](int shift) {
    const double part = (colour >> shift & 255) / 255.0;
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(0) + 0.7152 * linear(8) + 0.0722 * linear(16);
}

}  // namespace

TEST_CASE("whatever the wheel does, the cell under the pointer stays there and is the one that is told of") {
  if (!can_draw()) return;
  viewer::State state = viewer::first_state();
  state.arrangement = "grids";
  state.runs = {"im2win.ref", "im2col.ref"};
  std::uint64_t number = 0;
  int tried = 0;
  for (const std::string id : {"x", "x", "w", "im2col.ref/im2col", "im2win.ref/im2win", "y"}) {
    Screen screen(state, 1600, 1000);
    for (int attempt = 0; attempt < 3; ++attempt) {
      const Point at = random_point(screen.child(id).inner, ++number);
      screen.point({at.x + 1, at.y});
      screen.frames(2);
      screen.point(at);
      screen.frames(2);
      if (screen.state().cursor.tensor != id) continue;
      if (screen.app().views().at(id).lensed.rows.count > 0 && attempt == 0) ++tried;
      const viewer::Cursor cursor = screen.state().cursor;
      INFO(id << text(cursor.at) << " under (" << at.x << ", " << at.y << ")");
      const auto same_after_a_move = [&] {
        screen.point({-1, -1});
        screen.frames(2);
        screen.point(at);
        screen.frames(2);
        return screen.state().cursor == cursor;
      };
      for (int notch = 0; notch < 14; ++notch) {
        screen.wheel(1);
        screen.frames(2);
        INFO("after " << notch + 1 << " notches, cells of " << screen.app().views().at(id).cell);
        REQUIRE(text(screen.state().cursor.at) == text(cursor.at));
        REQUIRE(same_after_a_move());
      }
      for (int notch = 0; notch < 20; ++notch) {  // where the lens comes back under the pointer, it is on no cell
        screen.wheel(-1);
        screen.frames(2);
        INFO("after " << notch + 1 << " notches back, cells of " << screen.app().views().at(id).cell);
        REQUIRE(text(screen.state().cursor.at) == text(cursor.at));
        REQUIRE(same_after_a_move());
      }
      screen.click(at);
      screen.click(at);
      screen.frames(2);
      const viewer::Cursor fitted = screen.state().cursor;
      screen.point({at.x + 0.25f, at.y});
      screen.frames(2);
      CHECK(screen.state().cursor == fitted);
    }
  }
  CHECK(tried > 0);  // some of them lose their lens on the way
}

TEST_CASE("the heat map of copies is even where the counts are, with cells above and below one pixel") {
  if (!can_draw()) return;
  viewer::State state = state_of({}, {"im2col.ref", "im2win.ref"});
  state.layer = "cv4";
  state.spec = {.n = 256, .ci = 64, .hi = 224, .wi = 224, .co = 64, .hf = 7, .wf = 7, .stride_h = 2, .stride_w = 2};
  state.arrangement = "copies";
  viewer::State elsewhere = state;
  elsewhere.cursor = {"y", {}};
  int above = 0, below = 0;
  for (const auto& [width, height] : {std::pair{1600, 1000}, {1280, 720}, {1100, 560}, {900, 480}}) {
    Screen screen(state, width, height);
    const std::string id = "im2col.ref/im2col";
    const Area map = where_x_is(screen, screen.child(id).inner, elsewhere);
    REQUIRE(map.right > map.left + 40);
    const float cell = (map.right - map.left) / 224;
    (cell < 0.99f ? below : above) += 1;
    if (cell > 0.99f) CHECK(std::abs(cell - std::round(cell)) < 0.02f);
    screen.app().change(elsewhere);
    screen.point({-1, -1});
    screen.settle();
    const Frame frame = screen.picture();
    // Four stripes inside, away from the border's lower counts and from the mark of the cursor's window.
    const float left = map.left + (map.right - map.left) * 0.25f, across = (map.right - map.left) * 0.7f / 4;
    std::vector<std::array<double, 3>> stripes;
    for (int k = 0; k < 4; ++k)
      stripes.push_back(mean_colour(frame, {left + across * static_cast<float>(k), map.top + (map.bottom - map.top) / 4,
                                            left + across * static_cast<float>(k + 1), map.bottom - 10}));
    for (const auto& stripe : stripes)
      for (std::size_t part = 0; part < 3; ++part) {
        INFO("cells of " << cell << " pixels, part " << part);
        CHECK(stripe[part] == Approx(stripes[0][part]).margin(4));
      }
  }
  CHECK(above > 0);
  CHECK(below > 0);
}

TEST_CASE("numbers have the precision that their cells have room for, whatever size they had before") {
  if (!can_draw()) return;
  viewer::State state = state_of({.n = 1, .ci = 2, .hi = 6, .wi = 6, .co = 2, .hf = 3, .wf = 3},
                                 {"im2col.ref", "im2win.ref", "winograd.ref"});
  const auto numbers = [](Screen& screen) {
    screen.point({-1, -1});
    screen.settle();
    screen.picture();
    std::string text;
    for (const DrawnLetter& letter : drawn_letters())
      if (letter.window.find("/centre") != std::string::npos) text += static_cast<char>(letter.code);
    return text;
  };
  viewer::State five = state;
  five.arrangement = "five";
  std::string before, after, five_after;
  {
    Screen screen(state, 900, 560);
    before = numbers(screen);
    ImGui::GetIO().DisplaySize = {1600, 1000};
    after = numbers(screen);
    screen.app().change(five);
    five_after = numbers(screen);
  }
  CHECK(after.size() > 100);
  CHECK(after != before);
  Screen large(state, 1600, 1000);
  CHECK(numbers(large) == after);
  large.app().change(five);
  CHECK(numbers(large) == five_after);
}

TEST_CASE("numbers that do not exist yet are dim and can be read, and the line of progress strikes none through") {
  if (!can_draw()) return;
  for (const bool dark : {true, false})
    for (const std::int64_t step : {3, 8, 20}) {
      viewer::State state =
          state_of({.n = 1, .ci = 1, .hi = 6, .wi = 6, .co = 1, .hf = 3, .wf = 3}, {"direct.ref", "im2col.ref"});
      state.arrangement = "five";
      state.dark = dark;
      state.step = step;
      Screen screen(state, 1600, 1000);
      screen.point({-1, -1});
      screen.settle();
      const Frame frame = screen.picture();
      int numbers = 0;
      for (const DrawnLetter& letter : drawn_letters()) {
        if (letter.window.find("/direct.ref") == std::string::npos || letter.code < '1' || letter.code > '9') continue;
        double least = 1, most = 0;
        for (int y = static_cast<int>(letter.area.top); y < static_cast<int>(letter.area.bottom); ++y)
          for (int x = static_cast<int>(letter.area.left); x < static_cast<int>(letter.area.right); ++x) {
            const double light = luminance(frame.at(x, y));
            least = std::min(least, light), most = std::max(most, light);
          }
        INFO((dark ? "dark" : "light") << ", step " << step << ": " << static_cast<char>(letter.code) << " in "
                                       << letter.window << " " << letter.area.text());
        CHECK((most + 0.05) / (least + 0.05) > 3);
        CHECK(frame.count(letter.area, viewer::palette().lit) == 0);
        ++numbers;
      }
      CHECK(numbers > 30);
    }
}

TEST_CASE("the phases of a constant picture's spectra are grey where only rounding is left") {
  if (!can_draw()) return;
  viewer::State state = state_of({.n = 1, .ci = 1, .hi = 16, .wi = 16, .co = 1, .hf = 3, .wf = 3}, {"fft.cc"});
  Screen screen(state, 1600, 1000);
  screen.photograph = [](const std::string&) { return viewer::Photograph{8, 8, 1, std::vector<float>(64, 0.3f)}; };
  const auto grey = [&] {
    screen.point({-1, -1});
    screen.settle();
    const Frame frame = screen.picture();
    int pixels = 0;
    for (const viewer::Exhibit& exhibit : screen.app().model().exhibits())
      if (exhibit.complex) pixels += frame.count(screen.child(exhibit.id).inner, viewer::grey(0.5));
    return pixels;
  };
  const int of_random = grey();
  state.picture = "constant.png";
  screen.app().change(state);
  CHECK(grey() > of_random + 1000);
}

TEST_CASE("the map of copies has most of its pane at every scale, and the sum is written where it leaves room") {
  if (!can_draw()) return;
  viewer::State state = state_of(padded(1, {.n = 3, .ci = 4, .hi = 12, .wi = 12, .co = 4, .hf = 3, .wf = 3}),
                                 {"direct.ref", "im2col.ref", "im2win.ref", "winograd.ref", "fft.cc"});
  state.arrangement = "copies";
  for (const float scale : {1.0f, 1.5f, 2.0f}) {
    state.scale = scale;
    Screen screen(state, 1280, 720);
    screen.point({-1, -1});
    screen.settle();
    const Area pane = screen.child("im2col.ref/im2col").inner;
    INFO("scale " << scale << ", pane " << pane.text());
    // Inside of the border every pixel is stored as often as any.
    const double side = std::sqrt(screen.picture().count(pane, viewer::viridis(1)));
    CHECK(side > 0.45 * std::min(pane.right - pane.left, pane.bottom - pane.top));
  }
}

TEST_CASE("a schedule writes the number of a block once for each output that is large enough, and never more often") {
  if (!can_draw()) return;
  viewer::State state = state_of({.n = 1, .ci = 3, .hi = 1, .wi = 1, .co = 4, .hf = 1, .wf = 1}, {"implicit_gemm.cc"});
  state.arrangement = "schedule";
  Screen screen(state, 1280, 720);
  screen.settle();
  int numbers = 0;
  for (const DrawnLetter& letter : drawn_letters())
    numbers += letter.code == '0' && letter.window.find("/matrix_") != std::string::npos;
  CHECK(numbers == 4);
}
