// Every panel and arrangement, dark and light, at 100 and 200 %: whole, not blank, nothing clipped or overlapping, and
// what is lit where the index map says.
#include <map>

#include "algorithms/problem/layers.h"
#include "tests/catch.h"
#include "tests/viewer/frames/drawn_text.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"
#include "viewer/logic/tour.h"

namespace {

using namespace convlens;
using namespace convlens::testing;

struct Look {
  std::string panel, arrangement, chart = "live";
  void (*more)(viewer::State&) = nullptr;  // what else is not as at first
};

// With what was recorded: the schedule as it happened, rates and roofs of a CPU and of a GPU.
void on_cv9(viewer::State& state, std::int64_t batch, const std::string& run, DType dtype) {
  state.layer = "cv9";
  state.spec = find_layer("cv9").spec;
  state.spec.n = batch;
  state.dtype = dtype;
  state.layouts = {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC};
  state.runs = {run};
  state.performance.run = run;
  state.cursor = {"y", {0, 0, 17, 23}};
}
void happened(viewer::State& state) {
  on_cv9(state, 256, "im2win.tc", DType::f16);
  state.order = "happened";
}
void on_cpu(viewer::State& state) { on_cv9(state, 4, "im2win.cpu", DType::f32); }
void on_gpu(viewer::State& state) {
  on_cv9(state, 256, "im2win.cc", DType::f32);
  state.performance.timed = "cold";
}
// With the most option sets of which there are records, none as it is asked for.
void tensor_cores(viewer::State& state) {
  on_cv9(state, 1, "im2win.tc", DType::f32);
  state.layouts = {};
}
void kernel(viewer::State& state) { on_cv9(state, 256, "im2win.cc", DType::f32); }
void broken_kernel(viewer::State& state) {
  on_cv9(state, 256, "im2win.cc", DType::f32);
  state.kernel.texts["im2win/im2win_cc.cu"] = "extern \"C\" __global__ void im2win_cc(const Sizes s) { taps = 1; }\n";
}
std::vector<Look> looks() {
  std::vector<Look> all;
  for (const std::string& panel : viewer::panel_names())
    if (panel == "layouts")
      for (const std::string& arrangement : viewer::arrangement_names()) all.push_back({panel, arrangement});
    else if (panel == "performance")
      for (const std::string& chart : viewer::chart_names()) all.push_back({panel, "grids", chart});
    else
      all.push_back({panel, "grids"});
  all.push_back({"layouts", "schedule", "live", happened});
  all.push_back({"performance", "grids", "roofline", on_cpu});
  all.push_back({"performance", "grids", "roofline", on_gpu});
  all.push_back({"performance", "grids", "live", on_gpu});
  all.push_back({"performance", "grids", "sweep", on_gpu});
  all.push_back({"performance", "grids", "live", tensor_cores});
  all.push_back({"kernel", "grids", "live", kernel});
  all.push_back({"kernel", "grids", "live", broken_kernel});
  return all;
}

// Windows lie in their parents, and children of one parent beside each other.
void check_windows(const Screen& screen, const Frame& frame) {
  const Area all{0, 0, static_cast<float>(frame.width), static_cast<float>(frame.height)};
  std::map<std::string, Screen::Window> by_name;
  for (const Screen::Window& window : screen.windows()) by_name[window.name] = window;
  for (const auto& [name, window] : by_name) {
    if (window.popup || name.starts_with("Debug")) continue;
    INFO(name << " " << window.area.text());
    const Screen::Window& parent = by_name[window.parent];
    const bool scrolls = parent.scroll_most.x > 0 || parent.scroll_most.y > 0;
    if (!scrolls) CHECK(window.area.within(all));
    if (window.parent.empty()) continue;
    if (!scrolls) CHECK(window.area.within(parent.area));
    for (const auto& [other_name, other] : by_name)
      if (other.parent == window.parent && other_name != name) {
        INFO("beside " << other_name << " " << other.area.text());
        CHECK_FALSE(window.area.overlaps(other.area));
      }
  }
}

bool is(const Screen::Window& window, const char* id) {
  const std::size_t at = window.name.find(std::string("/") + id + "_");
  return at != std::string::npos && at == window.name.rfind('/');
}

// Panes are cut to fit and never scroll: none may have more in it than it shows. Lists scroll down, and the schedule
// where there is little height; a kernel's text, the ribbons, the Performance panel and the memory's formulas also
// across. Of the Performance panel only the table of options scrolls, under a plot that is seen whole.
void check_clipping(const Screen& screen) {
  const auto is_part_of = [](const Screen::Window& window, const char* id) {
    return window.name.find(std::string("/") + id + "_") != std::string::npos;
  };
  for (const Screen::Window& window : screen.windows()) {
    if (!is_part_of(window, "centre") || is_part_of(window, "memory") || is_part_of(window, "performance") ||
        is_part_of(window, "ribbons") || is(window, "schedule") || is(window, "source"))
      continue;
    INFO(window.name << " " << window.inner.text());
    CHECK(window.scroll_most.x <= 1);
    if (!is(window, "numerics") && !is(window, "kernel")) CHECK(window.scroll_most.y <= 1);
  }
}

}  // namespace

TEST_CASE("every panel in every theme and at every scale is whole and not blank") {
  if (!can_draw()) return;
  for (const Look& look : looks())
    for (const bool dark : {true, false})
      for (const double scale : {1.0, 2.0}) {
        INFO(look.panel << " " << look.arrangement << " " << look.chart << (dark ? " dark " : " light ") << scale);
        viewer::State state = viewer::first_state();
        state.panel = look.panel;
        state.arrangement = look.arrangement;
        state.performance.chart = look.chart;
        state.dark = dark;
        state.scale = scale;
        if (look.more != nullptr) look.more(state);
        Screen screen(state);
        const Frame frame = screen.picture();
        CHECK(frame.width == 1280);
        CHECK(frame.height == 720);
        check_windows(screen, frame);
        check_clipping(screen);
        for (const char* part : {"sidebar", "centre", "status"}) {
          INFO(part);
          CHECK(frame.colours(screen.child(part).inner) >= 8);
        }
        // Dark is dark and light is light.
        const std::uint32_t corner = frame.at(1279, 719);
        CHECK(((corner & 255) < 128) == dark);
      }
}

TEST_CASE("every chart of the Performance panel is seen whole, with all its names, at every size and scale") {
  if (!can_draw()) return;
  for (const auto& [width, height] : {std::pair(1280, 720), std::pair(1600, 1000), std::pair(1920, 1080)})
    for (const double scale : {1.0, 1.5, 2.0}) {
      Screen screen(viewer::first_state(), width, height);
      for (const Look& look : looks()) {
        if (look.panel != "performance") continue;
        INFO(width << "x" << height << ", " << scale << ": " << look.chart);
        viewer::State state = viewer::first_state();
        state.panel = look.panel;
        state.performance.chart = look.chart;
        state.dark = false;
        state.scale = scale;
        if (look.more != nullptr) look.more(state);
        INFO(state.performance.run);
        screen.app().change(state);
        screen.picture();
        for (const Screen::Window& window : screen.windows())
          if (is(window, "performance")) {
            CHECK(window.scroll_most.x <= 1);
            // The live run's table of options is scrolled to, and what would be too low to be read at twice the size on
            // the smallest screen.
            const bool tight = height == 720 && scale == 2.0;
            if (look.chart != "live" && !tight) CHECK(window.scroll_most.y <= 1);
          }
        for (const std::string& fault : faults_of_text(drawn_letters(), screen.windows())) {
          UNSCOPED_INFO(fault);
          CHECK(fault.empty());
        }
      }
    }
}

TEST_CASE("no text is cut, shortened or written over other text, at 100, 150 and 200 %") {
  if (!can_draw()) return;
  std::vector<viewer::State> states;
  for (const Look& look : looks()) {
    viewer::State state = viewer::first_state();
    state.panel = look.panel;
    state.arrangement = look.arrangement;
    state.performance.chart = look.chart;
    if (look.more != nullptr) look.more(state);
    states.push_back(state);
    if (look.arrangement != "schedule" || look.more != nullptr) continue;
    state.runs = {"implicit_gemm.cc", "im2win.cc"};
    states.push_back(state);
  }
  for (std::int64_t step = 1; step <= static_cast<std::int64_t>(viewer::tour().size()); ++step)
    states.push_back(viewer::at_tour_step(viewer::first_state(), step));
  for (const double scale : {1.0, 1.5, 2.0}) {
    Screen screen(states.front());
    for (viewer::State state : states) {
      INFO(state.panel << " " << state.arrangement << " " << state.performance.chart << ", tour " << state.tour << ", "
                       << scale);
      state.scale = scale;
      screen.app().change(state);
      screen.picture();
      const std::vector<DrawnLetter> letters = drawn_letters();
      CHECK(letters.size() > 200);
      for (const std::string& fault : faults_of_text(letters, screen.windows())) {
        UNSCOPED_INFO(fault);
        CHECK(fault.empty());
      }
    }
  }
}

TEST_CASE("text that is cut, shortened or covered is noticed") {
  if (!can_draw()) return;
  Screen screen(viewer::first_state());
  const auto faults = [&](const std::function<void()>& draw) {
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({10, 10});
    ImGui::SetNextWindowSize({300, 200});
    ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoScrollWithMouse);
    draw();
    ImGui::End();
    ImGui::Render();
    return faults_of_text(drawn_letters(), {{"window", "", {10, 10, 310, 210}, {10, 10, 310, 210}, {0, 0}, false}});
  };
  const std::string long_text(100, 'm');
  CHECK(faults([] { ImGui::TextUnformatted("all of it + … 12 more"); }).empty());
  CHECK_FALSE(faults([&] { ImGui::TextUnformatted(long_text.c_str()); }).empty());
  CHECK_FALSE(faults([&] { ImGui::Button(long_text.c_str(), {100, 20}); }).empty());
  CHECK_FALSE(faults([] { ImGui::TextUnformatted("not all of i…"); }).empty());
  CHECK_FALSE(faults([] {
                ImGui::TextUnformatted("some text");
                ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetTextLineHeightWithSpacing());
                ImGui::TextUnformatted("and other");
              }).empty());
}

TEST_CASE("what changes in a picture when the cursor moves is what the index map says is lit") {
  if (!can_draw()) return;
  viewer::State state = state_of({.n = 1, .ci = 1, .hi = 7, .wi = 7, .co = 1, .hf = 3, .wf = 3}, {"im2win.ref"});
  state.hidden = {"w"};
  for (const bool dark : {true, false})
    for (const double scale : {1.0, 2.0}) {
      state.dark = dark;
      state.scale = scale;
      state.cursor = {"y", {0, 0, 0, 0}};
      Screen screen(state, 1600, 1000);
      const Frame first = screen.picture();
      const viewer::Links links_first = screen.app().links();
      viewer::State moved = state;
      moved.cursor = {"y", {0, 0, 4, 3}};
      screen.app().change(moved);
      const Frame second = screen.picture();
      const viewer::Links links_second = screen.app().links();

      // Which cell a pixel of x belongs to, as the pointer finds out: rows from y alone, columns from x alone.
      const Area pane = screen.child("x").inner;
      const auto cell_at = [&](Point at) -> std::optional<Coord> {
        screen.app().change(moved);
        screen.point({-1, -1});
        screen.frames(1);
        screen.point(at);
        screen.frames(2);
        if (screen.state().cursor.tensor != "x") return std::nullopt;
        return screen.state().cursor.at;
      };
      std::map<int, std::int64_t> row_of, column_of;
      for (float x = pane.left; x < pane.right; x += 2)
        if (const auto cell = cell_at({x, pane.middle().y + 10})) column_of[static_cast<int>(x)] = (*cell)[3];
      for (float y = pane.top; y < pane.bottom; y += 2)
        if (const auto cell = cell_at({pane.middle().x, y})) row_of[static_cast<int>(y)] = (*cell)[2];
      REQUIRE(row_of.size() > 20);
      REQUIRE(column_of.size() > 20);

      std::map<Coord, int> changed, pixels;
      for (const auto& [y, row] : row_of)
        for (const auto& [x, column] : column_of) {
          ++pixels[{0, 0, row, column}];
          changed[{0, 0, row, column}] += first.at(x, y) != second.at(x, y);
        }
      CHECK(pixels.size() == 49);
      // Marks are outlines: pixels change where a cell is lit in one picture alone and has a neighbour that is not.
      const auto lit = [&](const viewer::Links& links, const Coord& at) { return links.lit("x", at); };
      const auto near_lit = [&](const viewer::Links& links, const Coord& at, bool wanted) {
        for (std::int64_t row = -1; row <= 1; ++row)
          for (std::int64_t column = -1; column <= 1; ++column)
            if (lit(links, {0, 0, at[2] + row, at[3] + column}) == wanted) return true;
        return false;
      };
      for (const auto& [cell, count] : pixels) {
        INFO((dark ? "dark, " : "light, ") << scale << ", x" << text(cell) << ": " << changed[cell] << " of " << count);
        const bool in_first = lit(links_first, cell), in_second = lit(links_second, cell);
        const bool edge = near_lit(in_first ? links_first : links_second, cell, false);
        if (in_first != in_second && edge)
          CHECK(changed[cell] > 0);
        else if (!near_lit(links_first, cell, true) && !near_lit(links_second, cell, true))
          CHECK(changed[cell] == 0);
      }
    }
}

TEST_CASE("the marks of the cursor are drawn in the colours that mean it") {
  if (!can_draw()) return;
  for (const bool dark : {true, false}) {
    viewer::State state = viewer::first_state();
    state.dark = dark;
    state.arrangement = "grids";
    Screen screen(state, 1600, 1000);
    const Frame frame = screen.picture();
    for (const viewer::Exhibit& exhibit : screen.app().model().exhibits()) {
      const auto lit = screen.app().links().cells.find(exhibit.id);
      if (lit == screen.app().links().cells.end() || lit->second.empty()) continue;
      INFO(exhibit.id << (dark ? " dark" : " light"));
      const Area pane = screen.child(exhibit.id).inner;
      CHECK(frame.count(pane, viewer::palette().lit) + frame.count(pane, viewer::palette().cursor) > 4);
    }
  }
}
