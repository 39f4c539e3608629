// The Memory panel under a hand that moves its sliders.
#include <chrono>
#include <thread>

#include "tests/catch.h"
#include "tests/viewer/frames/drawn_text.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"
#include "viewer/logic/memory.h"
#include "viewer/ui/words.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

TEST_CASE("the bars follow the sliders at once, however long the largest batch is looked for") {
  if (!can_draw()) return;
  // Of pieces of one image each the search plans programs of up to 49 000 steps.
  viewer::State state = state_of({.n = 3, .ci = 4, .hi = 11, .wi = 9, .co = 6, .hf = 3, .wf = 3},
                                 {"winograd.cc:chunk_images=1", "fft.cc:chunk=1", "im2col.cc:batching=image"});
  state.panel = "memory";
  Screen screen(state, 1600, 1000);
  double longest_frame = 0, slowest = 0;
  const auto shows = [&](const std::string& text) {
    const double end = now() + 20;
    while (now() < end) {
      const double begin = now();
      screen.frames(1);
      longest_frame = std::max(longest_frame, now() - begin);
      if (drawn_text().find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  };
  const auto allocated = [](const viewer::State& state) {
    std::string text =
        "allocated" +
        viewer::bytes_text(viewer::memory_bars(viewer::Model(state), state.memory_limit).front().allocated());
    std::erase(text, ' ');
    return text + ",peak";
  };
  CHECK(shows(allocated(state)));
  for (const std::int64_t images : {100, 200, 300, 400}) {
    viewer::State next = screen.state();
    next.spec.n = images;
    const std::string text = allocated(next);
    screen.app().change(next);
    const double begin = now();
    CHECK(shows(text));
    slowest = std::max(slowest, now() - begin);
  }
  WARN("the bars of another batch: " << 1e3 * slowest << " ms at most");
  CHECK(slowest < 3);  // on a machine that others use too
  CHECK(longest_frame < 1);
  CHECK(shows("atmostN=16384in8GiB"));
}

TEST_CASE("the line at a bar's end stays off the words above and below it") {
  if (!can_draw()) return;
  viewer::State state = viewer::first_state();
  state.runs = {"im2win.ref", "im2col.ref", "winograd.ref"};
  state.panel = "memory";
  Screen screen(state, 1280, 720);
  screen.settle();
  const Frame frame = screen.picture();
  const ImU32 colour = ImGui::GetColorU32(ImGuiCol_Text);
  int words = 0;
  for (const DrawnLetter& letter : drawn_letters()) {
    if (letter.window.find("memory") == std::string::npos) continue;
    ++words;
    const Area& in = letter.area;
    INFO(in.text());
    CHECK(frame.count({in.left, in.top - 4, in.right, in.top - 1}, colour) == 0);
    CHECK(frame.count({in.left, in.bottom + 1, in.right, in.bottom + 2}, colour) == 0);
  }
  CHECK(words > 100);
}
