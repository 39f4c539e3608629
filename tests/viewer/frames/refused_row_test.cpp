// No chosen row vanishes without a word: one that cannot run has a pane with its sentence, and one that has no pane
// among the five is named.
#include <map>
#include <nlohmann/json.hpp>

#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/viewer/frames/drawn_text.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"
#include "viewer/logic/steps.h"

namespace {

using namespace convlens;
using namespace convlens::testing;

viewer::State strided(std::vector<std::string> runs) {
  return state_of({.n = 1, .ci = 2, .hi = 9, .wi = 9, .co = 2, .hf = 3, .wf = 3, .stride_h = 2, .stride_w = 2},
                  std::move(runs));
}

// Without spaces, of the windows whose names hold this.
std::string drawn_in(Screen& screen, const std::string& window) {
  screen.picture();
  std::string text;
  for (const DrawnLetter& letter : drawn_letters())
    if (letter.window.find(window) != std::string::npos)
      text += letter.code < 128 ? static_cast<char>(letter.code) : '?';
  return text;
}

}  // namespace

TEST_CASE("among the grids a row that cannot run has a pane in its place, and its button makes it run") {
  if (!can_draw()) return;
  for (const double scale : {1.0, 1.5, 2.0}) {
    viewer::State state = strided({"im2col.ref", "winograd.ref", "im2win.ref"});
    state.scale = scale;
    Screen screen(state, 1600, 1000);
    INFO(scale);
    REQUIRE_FALSE(screen.app().model().rows()[1].plan);
    const std::string pane = drawn_in(screen, "/refused winograd.ref_");
    CHECK(pane.starts_with("winograd.refmakeitsoCannotrun:winogradneedsstride1,got2x2"));
    // Behind im2col's tensors and before im2win's.
    const auto place = [&](const std::string& id) {
      const Area area = screen.child(id).area;
      return std::pair(area.top, area.left);
    };
    CHECK(place("im2col.ref/im2col") < place("refused winograd.ref"));
    CHECK(place("refused winograd.ref") < place("im2win.ref/im2win"));
    const nlohmann::ordered_json rows = screen.app().data();
    CHECK(rows.back()["run"] == "winograd.ref");
    CHECK(rows.back()["refused"] == "winograd needs stride 1, got 2x2");
    const auto button = screen.find(screen.child("refused winograd.ref").name, {"make it so##winograd.ref"}, 0.1f);
    REQUIRE(button);
    screen.click(*button);
    CHECK(screen.state().spec.stride_h == 1);
    CHECK(screen.app().model().rows()[1].plan);
    screen.settle();
    CHECK(drawn_in(screen, "/refused ").empty());
  }
}

TEST_CASE("a row that is refused for want of a library or a GPU has a pane that says so, without a button") {
  if (!can_draw()) return;
  for (const Algorithm* row : algorithms()) {
    if (!row->missing || row->missing().empty()) continue;
    Screen screen(strided({row->id}));
    INFO(row->id);
    const std::string pane = drawn_in(screen, "/refused ");
    CHECK(pane.find("Cannotrun:") != std::string::npos);
    CHECK(pane.find("makeitso") == std::string::npos);
  }
}

TEST_CASE("rows that have no pane among the five are named, with the reason, and exported") {
  if (!can_draw()) return;
  viewer::State state = strided({"im2col.ref", "im2col.cpu", "mec.ref", "im2win.ref", "im2col.ref:batching=tile"});
  state.arrangement = "five";
  Screen screen(state, 1600, 1000);
  const std::vector<viewer::LeftOut> left = viewer::left_out(screen.app().model());
  REQUIRE(left.size() == 3);
  CHECK(left[0].run == "im2col.cpu");
  CHECK(left[0].why == "im2col.ref is shown");
  CHECK(left[1].run == "mec.ref");
  CHECK(left[1].why == "of another family");
  CHECK(left[2].run == "im2col.ref:batching=tile");
  CHECK(drawn_in(screen, "/centre_")
            .find("Withoutapane:im2col.cpu(im2col.refisshown),mec.ref(ofanotherfamily),im2col.ref:batching=tile("
                  "im2col.refisshown)") != std::string::npos);
  int exported = 0;
  for (const auto& row : screen.app().data()) exported += row.contains("left_out");
  CHECK(exported == 3);
  state.runs = {"im2col.ref", "im2win.ref"};
  screen.app().change(state);
  CHECK(drawn_in(screen, "/centre_").find("Withoutapane") == std::string::npos);
}

TEST_CASE("every chosen row is drawn, refused or named in both arrangements, whatever is chosen") {
  if (!can_draw()) return;
  for (const double scale : {1.0, 1.5, 2.0})
    for (const char* arrangement : {"grids", "five"}) {
      viewer::State state = strided({});
      for (const char* run : {"mec.ref", "im2col.ref", "winograd.ref", "winograd.cpu", "fft.cpu", "im2col.tc"})
        state.runs.emplace_back(run);
      state.arrangement = arrangement;
      state.scale = scale;
      Screen screen(state);
      screen.picture();
      INFO(arrangement << " at " << scale);
      for (const std::string& fault : faults_of_text(drawn_letters(), screen.windows())) {
        UNSCOPED_INFO(fault);
        CHECK(fault.empty());
      }
      const std::vector<viewer::LeftOut> left = viewer::left_out(screen.app().model());
      for (const viewer::ChosenRow& row : screen.app().model().rows()) {
        INFO(row.run);
        const bool named = std::string(arrangement) == "five" &&
                           std::ranges::any_of(left, [&](const viewer::LeftOut& l) { return l.run == row.run; });
        bool pane = false;
        for (const Screen::Window& window : screen.windows())
          pane = pane || window.name.find("/" + row.run + "/") != std::string::npos ||
                 window.name.find("/" + row.run + "_") != std::string::npos ||
                 window.name.find("/refused " + row.run + "_") != std::string::npos;
        CHECK(pane != named);
      }
    }
}

TEST_CASE("beside a schedule every chosen row without one is named, with the reason") {
  if (!can_draw()) return;
  viewer::State state = strided({"im2win.cc", "im2col.cc", "winograd.ref", "direct.ref"});
  state.arrangement = "schedule";
  for (const int width : {900, 2600}) {
    Screen screen(state, width, 800);
    INFO(width);
    const std::string text = drawn_in(screen, "/schedule_");
    CHECK(text.find("Withoutaschedule:im2col.cc") != std::string::npos);
    CHECK(text.find("winograd.ref") != std::string::npos);
    CHECK((text.find("im2col.cchasnoblocksthat") != std::string::npos) == (width == 2600));
    std::map<std::string, std::string> without;
    for (const nlohmann::ordered_json& row : screen.app().data()) {
      CHECK(row.contains("block") != row.contains("without"));
      if (row.contains("without")) without[row.at("run")] = row.at("without");
    }
    REQUIRE(without.size() == 3);
    CHECK(without.at("im2col.cc") == "has no blocks that each compute one tile of y");
    CHECK(without.at("winograd.ref") == "cannot run: winograd needs stride 1, got 2x2");
    CHECK(without.at("direct.ref").find("CPU") != std::string::npos);
  }
  state.runs = {"im2win.cc"};
  Screen alone(state, 900, 800);
  CHECK(drawn_in(alone, "/schedule_").find("Withoutaschedule") == std::string::npos);
}
