// Colours that mean something are told from those of the values that they stand among.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/catch.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"
#include "viewer/ui/theme.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

// How far apart two colours are, at most 442: Euclid's distance of their bytes.
double apart(std::uint32_t a, std::uint32_t b) {
  double sum = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    const double d = static_cast<double>(a >> shift & 255) - static_cast<double>(b >> shift & 255);
    sum += d * d;
  }
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("a value that is not finite has a colour that no number has") {
  for (const bool dark : {true, false}) {
    ImGui::CreateContext();
    apply_theme(dark, 1);
    const std::uint32_t nan = palette().nan;
    ImGui::DestroyContext();
    double nearest = 1e9;
    for (int k = 0; k <= 1000; ++k) {
      const double t = k / 1000.0;
      for (const std::uint32_t colour :
           {viridis(t), diverging(2 * t - 1), cyclic((2 * t - 1) * std::numbers::pi), grey(t)})
        nearest = std::min(nearest, apart(nan, colour));
    }
    CHECK(nearest > 120);
  }
}

TEST_CASE("zeros of the padding are told from numbers that are zero, and from every grey of a picture") {
  for (const bool dark : {true, false}) {
    ImGui::CreateContext();
    apply_theme(dark, 1);
    const std::uint32_t padding = palette().padding, background = ImGui::GetColorU32(ImGuiCol_ChildBg);
    ImGui::DestroyContext();
    CHECK(apart(padding, diverging(0)) > 40);
    CHECK(apart(padding, background) > 40);
    for (int k = 0; k <= 255; ++k) REQUIRE(apart(padding, grey(k / 255.0)) > 30);
  }
}

TEST_CASE("numbers of one's own are seen as a picture where they are from 0 to 1, and NaN stands out of both") {
  const ConvProblem p({.ci = 1, .hi = 2, .wi = 2, .hf = 1, .wf = 1});
  const auto sources = [&](std::vector<double> values) {
    Photograph photo;
    photo.numbers = std::make_shared<const Numbers>(Numbers{p.x_shape(), std::move(values)});
    return picture_sources(p, photo);
  };
  CHECK(sources({0, 0.25, 1, std::nan("")}).picture);
  CHECK_FALSE(sources({0, -0.25, 1, 0.5}).picture);
  CHECK_FALSE(sources({0, 0.25, 17, 0.5}).picture);
  CHECK_FALSE(random_sources(p, 1).picture);
}

TEST_CASE("negative numbers of one's own are drawn blue, and the one that is none in its own colour") {
  if (!testing::can_draw()) return;
  State state = testing::state_of({.n = 1, .ci = 3, .hi = 4, .wi = 4, .co = 2, .hf = 1, .wf = 1}, {"im2col.ref"});
  state.picture = "own.npy";
  testing::Screen screen(state, 1600, 1000);
  screen.photograph = [&](const std::string&) {
    Photograph photo;
    std::vector<double> values(3 * 16, -1);
    values[5] = std::nan("");
    photo.numbers = std::make_shared<const Numbers>(Numbers{{1, 3, 4, 4}, std::move(values)});
    return photo;
  };
  state.seed = 2;
  screen.app().change(state);
  screen.point({-1, -1});
  screen.settle();
  const testing::Frame frame = screen.picture();
  for (const char* id : {"x", "im2col.ref/im2col"}) {
    INFO(id);
    CHECK(frame.count(screen.child(id).inner, diverging(-1)) > 300);
    CHECK(frame.count(screen.child(id).inner, palette().nan) > 20);
  }
}
