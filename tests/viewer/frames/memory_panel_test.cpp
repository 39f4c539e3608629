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

TEST_CASE("the bars follow the sliders, and do not wait for the largest batch") {
  if (!can_draw()) return;
  // Of pieces of one image each the search plans programs of up to 49 000 steps.
  viewer::State state = state_of({.n = 3, .ci = 4, .hi = 11, .wi = 9, .co = 6, .hf = 3, .wf = 3},
                                 {"winograd.cc:chunk_images=1", "fft.cc:chunk=1", "im2col.cc:batching=image"});
  state.panel = "memory";
  Screen screen(state, 1600, 1000);
  // Draws until it is there; what never is, CTest ends.
  const auto until = [&](const std::string& text) {
    while (screen.frames(1), drawn_text().find(text) == std::string::npos)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  const auto allocated = [](const viewer::State& state) {
    std::string text =
        "allocated" +
        viewer::bytes_text(viewer::memory_bars(viewer::Model(state), state.memory_limit).front().allocated());
    std::erase(text, ' ');
    return text + ",peak";
  };
  until(allocated(state));
  for (const std::int64_t images : {100, 200, 300, 400}) {
    viewer::State next = screen.state();
    next.spec.n = images;
    const std::string text = allocated(next);
    screen.app().change(next);
    until(text);
    CHECK(drawn_text().find("atmostN=...") != std::string::npos);
  }
  until("atmostN=16384in8GiB");

  // No number of another limit stands beside the new one.
  viewer::State next = screen.state();
  next.memory_limit = std::int64_t{4} << 30;
  screen.app().change(next);
  until("in4GiB");
  CHECK(drawn_text().find("atmostN=...in4GiB") != std::string::npos);
  until("atmostN=16384in4GiB");
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
