// Panes in which nothing is lit still say which image is seen.
#include <map>

#include "tests/catch.h"
#include "tests/viewer/frames/drawn_text.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"

using namespace convlens;
using namespace convlens::viewer;

TEST_CASE("panes in which nothing is lit show the cursor's image") {
  if (!testing::can_draw()) return;
  const ConvSpec wide_padding = testing::padded(3, {.n = 2, .ci = 2, .hi = 6, .wi = 6, .co = 2, .hf = 3, .wf = 3});
  for (const auto& [tensor, at] : {std::pair("y", Coord{1, 0, 0, 0}), std::pair("im2col.ref/im2col", Coord{1})}) {
    State state = testing::state_of(wide_padding, {"im2col.ref", "im2win.ref", "winograd.ref", "fft.ref"});
    state.cursor = {tensor, at};
    testing::Screen screen(state, 2400, 1400);
    screen.picture();
    std::map<std::string, std::string> titles;  // by window, of the letters that are drawn in it
    for (const testing::DrawnLetter& letter : testing::drawn_letters())
      if (letter.code < 128) titles[letter.window] += static_cast<char>(letter.code);
    int panes = 0;
    for (const auto& [window, text] : titles) {
      const auto pane = [&](const std::string& id) { return window.find("/" + id + "_") != std::string::npos; };
      if (!pane("x") && !pane("im2win.ref/im2win") && !pane("fft.ref/input_spectra") && !pane("winograd.ref/V"))
        continue;
      INFO(tensor << ": " << window << ": " << text);
      CHECK(text.find("n1") != std::string::npos);
      ++panes;
    }
    CHECK(panes >= 3);
  }
}
