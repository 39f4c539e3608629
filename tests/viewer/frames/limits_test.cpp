// Frames of states that nobody would choose: layers at every limit, pictures that are no numbers, damaged states.
#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"

namespace {

using namespace convlens;
using namespace convlens::testing;

// Draws every arrangement of those panels of the state, with the pointer over the middle.
void look_at(Screen& screen, viewer::State state, const std::vector<std::string>& panels) {
  for (const std::string& panel : panels)
    for (const std::string& arrangement : viewer::arrangement_names()) {
      INFO(panel << " " << arrangement);
      state.panel = panel;
      state.arrangement = arrangement;
      screen.app().change(state);
      REQUIRE_NOTHROW(screen.settle());
      const Area centre = screen.child("centre").inner;
      REQUIRE_NOTHROW(screen.point(centre.middle()));
      REQUIRE_NOTHROW(screen.frames(2));
      screen.point({-1, -1});
      try {
        screen.app().data();
      } catch (const Error& error) {  // nothing to write, or too much of it: one line says so
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
      }
      const Frame frame = screen.picture();
      CHECK(frame.colours(centre) >= 4);
      if (panel != "layouts") break;
    }
}

void look_at_everything(Screen& screen, const viewer::State& state) { look_at(screen, state, viewer::panel_names()); }

}  // namespace

TEST_CASE("layers at every limit are drawn without a fault") {
  if (!can_draw()) return;
  Screen screen(viewer::first_state());
  const std::vector<ConvSpec> layers{
      {.n = 1},
      {.n = 0, .ci = 2, .hi = 5, .wi = 5, .co = 2, .hf = 3, .wf = 3},
      padded(1, {.hi = 2, .wi = 2, .hf = 3, .wf = 3}),
      padded(40, {.hi = 1, .wi = 1, .hf = 3, .wf = 3}),
      {.hi = 1, .wi = 300, .hf = 1, .wf = 7},
      {.n = 65536, .ci = 64, .hi = 16, .wi = 16, .co = 64, .hf = 3, .wf = 3},
      {.hi = 1, .wi = 100000, .hf = 1, .wf = 3},
      {.hi = 100000, .wi = 1, .hf = 3, .wf = 1},
      {.n = 256, .ci = 2048, .hi = 32, .wi = 32, .co = 2048, .hf = 3, .wf = 3},
      {.n = 1, .ci = 0, .hi = -3, .wi = 5, .stride_h = 0},
      {.n = std::numeric_limits<std::int64_t>::max(), .hi = 9, .wi = 9},
      {.ci = std::int64_t{1} << 40, .hi = std::int64_t{1} << 40, .wi = 9},
  };
  for (const ConvSpec& spec : layers) {
    viewer::State state = viewer::first_state();
    state.layer = "";
    state.spec = spec;
    INFO("N, C_i, H_i, W_i, H_f, W_f: " << text({spec.n, spec.ci, spec.hi, spec.wi, spec.hf, spec.wf}));
    look_at_everything(screen, state);
  }
}

TEST_CASE("images of any size are drawn, in every arrangement, without a fault") {
  if (!can_draw()) return;
  Screen screen(viewer::first_state());
  for (const ConvSpec& spec : {padded(1, {.ci = 64, .hi = 4096, .wi = 4096, .co = 64, .hf = 3, .wf = 3}),
                               padded(1, {.ci = 64, .hi = 16384, .wi = 16384, .co = 64, .hf = 3, .wf = 3}),
                               ConvSpec{.ci = 3, .hi = 16384, .wi = 16384, .stride_h = 2, .stride_w = 2}}) {
    viewer::State state = viewer::first_state();
    state.layer = "";
    state.spec = spec;
    look_at(screen, state, {"layouts", "memory"});
  }
}

TEST_CASE("layers of any size are drawn and pointed at within seconds, by every row") {
  if (!can_draw()) return;
  Screen screen(viewer::first_state());
  for (const std::int64_t side : {4096, 16384}) {
    viewer::State state = viewer::first_state();
    state.layer = "";
    state.spec = padded(1, {.ci = 64, .hi = side, .wi = side, .co = 64, .hf = 3, .wf = 3});
    state.runs.clear();
    for (const Algorithm* row : algorithms()) state.runs.push_back(row->id);
    state.arrangement = "grids";
    screen.app().change(state);
    screen.settle();
    // The middle of every tensor, as a cursor; what it costs counts, not what the machine is busy with.
    for (const viewer::Exhibit& exhibit : screen.app().model().exhibits()) {
      INFO(side << " " << exhibit.id);
      viewer::Cursor cursor{exhibit.id, {}};
      for (std::size_t axis = 0; axis < exhibit.axes.size(); ++axis) cursor.at[axis] = exhibit.axes[axis].extent / 2;
      const std::clock_t start = std::clock();
      const viewer::Links links = viewer::links_of(screen.app().model(), cursor);
      CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 10);
      CHECK(links.lit(exhibit.id, cursor.at));
    }
  }
}

TEST_CASE("pictures that are constant or no numbers are drawn without a fault") {
  if (!can_draw()) return;
  for (const float value :
       {0.0f, 1.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    viewer::State state = viewer::first_state();
    state.layer = "";
    state.spec = padded(1, {.n = 2, .ci = 3, .hi = 12, .wi = 12, .co = 2, .hf = 3, .wf = 3});
    state.picture = "random";
    Screen screen(state);
    screen.photograph = [value](const std::string&) {
      return viewer::Photograph{4, 4, 3, std::vector<float>(48, value)};
    };
    state.picture = "";
    INFO("everywhere " << value);
    look_at_everything(screen, state);
  }
}

TEST_CASE("a picture that cannot be read is said, and random numbers are shown") {
  if (!can_draw()) return;
  viewer::State state = viewer::first_state();
  Screen screen(state);
  screen.photograph = [](const std::string& file) -> viewer::Photograph {
    throw BadInput("--image: " + file + ", cannot be read");
  };
  state.picture = "gone.png";
  screen.app().change(state);
  screen.settle();
  CHECK(screen.app().notice().find("gone.png") != std::string::npos);
  CHECK(screen.picture().colours(screen.child("centre").inner) >= 8);
}

TEST_CASE("states that name what is not there are drawn without a fault") {
  if (!can_draw()) return;
  viewer::State small = viewer::first_state();
  small.layer = "";
  small.spec = padded(1, {.n = 2, .ci = 3, .hi = 12, .wi = 12, .co = 2, .hf = 3, .wf = 3});
  std::vector<viewer::State> states(7, small);
  states[0].runs = {"im2col.ref:nonsense=1", "nonsense.row", "im2win.ref"};
  states[1].runs = {};
  states[2].layer = "cv99";
  states[3].hidden = {"x", "w", "y", "gone"};
  states[4].cursor = {"gone/stage", {9, 9, 9, 9, 9, 9}};
  states[5].cursor = {"y", {-5, 1000000, -1, 99}};
  states[6].memory_limit = 0;
  Screen screen(viewer::first_state());
  for (std::size_t k = 0; k < states.size(); ++k) {
    INFO("state " << k);
    look_at_everything(screen, states[k]);
  }
}
