// The panes of five algorithms side by side.
#include "tests/catch.h"
#include "tests/viewer/frames/drawn_text.h"
#include "tests/viewer/frames/screen.h"
#include "viewer/logic/steps.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

// As drawn_text() has it.
std::string as_drawn(const std::string& text) {
  std::string drawn;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == ' ' || (byte & 0xc0u) == 0x80u) continue;
    drawn += byte < 0x80u ? c : '?';
  }
  return drawn;
}

}  // namespace

TEST_CASE("the way of each of five algorithms names the tensor that it is at, however narrow its pane") {
  if (!can_draw()) return;
  for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1100, 700}}) {
    viewer::State state = viewer::first_state();
    Screen screen(state, width, height);
    for (state.step = 0; state.step <= viewer::kSteps; state.step += 6) {
      screen.app().change(state);
      screen.settle();
      screen.picture();
      const std::vector<DrawnLetter> letters = drawn_letters();
      for (int row = 0; row < 5; ++row) {
        const std::string& run = state.runs[static_cast<std::size_t>(row)];
        const auto phases = viewer::phases_of(screen.app().model(), row);
        const std::string now =
            as_drawn(phases[viewer::progress_at(state.step, phases.size()).phase].exhibits.front()->title);
        std::string line;
        float top = 0;
        for (const DrawnLetter& letter : letters) {
          if (letter.window.find("/" + run) == std::string::npos) continue;
          if (line.empty()) top = letter.area.bottom;
          if (letter.area.top < top) line += letter.code < 128 ? static_cast<char>(letter.code) : '?';
        }
        INFO(run << " at step " << state.step << ", " << width << ": " << line);
        CHECK(line.find(">" + now) != std::string::npos);
      }
    }
  }
}
