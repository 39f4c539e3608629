// The status bar: what is longer than it ends at a word and is in the tooltip; what was copied or written is said.
#include <filesystem>
#include <tuple>

#include "algorithms/error.h"
#include "tests/catch.h"
#include "tests/viewer/frames/drawn_text.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"
#include "viewer/logic/commands.h"
#include "viewer/ui/fitting.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using viewer::Key;

constexpr unsigned kEllipsis = 0x2026;
constexpr double kScales[]{1.0, 1.25, 1.5, 2.0};

std::vector<DrawnLetter> letters_of(Screen& screen, const std::string& window) {
  screen.picture();
  std::vector<DrawnLetter> letters;
  for (const DrawnLetter& letter : drawn_letters())
    if (letter.window.find(window) != std::string::npos) letters.push_back(letter);
  return letters;
}

std::string text_of(const std::vector<DrawnLetter>& letters) {
  std::string text;
  for (const DrawnLetter& letter : letters) text += letter.code < 128 ? static_cast<char>(letter.code) : '?';
  return text;
}

// All of them within the bar, and no ellipsis in the middle of a word.
void check_whole(Screen& screen, const std::vector<DrawnLetter>& letters) {
  for (const std::string& fault : faults_of_text(letters, screen.windows())) {
    UNSCOPED_INFO(fault);
    CHECK(fault.empty());
  }
}

// What stands in the tooltip while the pointer is on the bar.
std::string tooltip(Screen& screen) {
  screen.point(screen.child("status").area.middle());
  screen.frames(3);
  const std::string text = text_of(letters_of(screen, "##Tooltip"));
  screen.point({-1, -1});
  return text;
}

// Opens a menu and clicks on one of its items.
void choose(Screen& screen, const std::string& menu, const std::string& item) {
  const std::vector<DrawnLetter> letters = letters_of(screen, "Convlens");
  const auto same = [](const DrawnLetter& letter, char c) { return letter.code == static_cast<unsigned char>(c); };
  const auto first = std::search(letters.begin(), letters.end(), menu.begin(), menu.end(), same);
  REQUIRE(first != letters.end());
  screen.click(first->area.middle());
  screen.frames(2);
  const auto place = screen.find_in_popup(item);
  REQUIRE(place);
  screen.click(*place);
  screen.settle();
}

}  // namespace

TEST_CASE("a message that is longer than the status bar ends at a word, and the tooltip has all of it") {
  if (!can_draw()) return;
  std::string name = "gone.png";
  for (int k = 0; k < 60; ++k) name = "folder of pictures/" + name;
  for (const std::string& why : {name, std::string(500, 'p') + ".png", std::string("short.png")})
    for (const double scale : kScales) {
      INFO(why.substr(0, 20) << " at " << scale);
      viewer::State state = viewer::first_state();
      Screen screen(state);
      screen.photograph = [](const std::string& file) -> viewer::Photograph {
        throw BadInput("--image: " + file + ", cannot be read");
      };
      state.scale = scale;
      state.picture = why;
      screen.app().change(state);
      const std::vector<DrawnLetter> letters = letters_of(screen, "/status_");
      check_whole(screen, letters);
      const std::string text = text_of(letters);
      CHECK(text.find("--image:") != std::string::npos);
      const bool shortened = !letters.empty() && letters.back().code == kEllipsis;
      CHECK(shortened == (why.size() > 100));
      if (shortened) {
        CHECK(tooltip(screen).find(".png,cannotberead;randomnumbersareshown") != std::string::npos);
        screen.point(screen.child("status").area.middle());
        screen.frames(60 * 9);  // whoever reads it has time to
        CHECK_FALSE(screen.app().notice().empty());
      } else {
        CHECK(text.find("cannotberead;randomnumbersareshown") != std::string::npos);
      }
    }
}

TEST_CASE("a formula ends between two terms, and the tooltip has all of it, of every tensor and at every scale") {
  if (!can_draw()) return;
  viewer::State state =
      state_of({.n = 2, .ci = 6, .hi = 130, .wi = 130, .co = 300, .hf = 3, .wf = 3, .groups = 2},
               {"im2col.ref", "im2win.ref", "winograd.ref:m=6", "fft.ref:transform=tiled", "mec.ref", "winograd.tc"});
  state.spec.groups = 2;
  int shortened = 0;
  std::vector<std::tuple<int, int, double>> screens{{600, 500, 2.0}};
  for (const double scale : kScales) screens.emplace_back(1280, 720, scale);
  for (const auto& [across, down, scale] : screens) {
    state.scale = scale;
    Screen screen(state, across, down);
    for (const viewer::Exhibit& exhibit : screen.app().model().exhibits()) {
      viewer::State next = state;
      next.cursor = {exhibit.id, {}};
      for (std::size_t axis = 0; axis < exhibit.axes.size(); ++axis)
        next.cursor.at[axis] = exhibit.axes[axis].extent * 2 / 3;
      screen.app().change(next);
      INFO(exhibit.id << " at " << scale << ", " << across);
      const std::vector<DrawnLetter> letters = letters_of(screen, "/status_");
      const std::string text = text_of(letters);
      INFO(text);
      check_whole(screen, letters);
      CHECK(letters.size() > 8);
      CHECK(std::ranges::count(text, '(') == std::ranges::count(text, ')'));
      if (letters.empty() || letters.back().code != kEllipsis) continue;
      ++shortened;
      CHECK(tooltip(screen).size() > text.size());
    }
  }
  CHECK(shortened > 0);
}

TEST_CASE("text is fitted by whole words and letters") {
  if (!can_draw()) return;
  Screen screen(viewer::first_state());
  screen.picture();
  ImGui::NewFrame();
  const auto width = [](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; };
  std::string text = "ρ²";
  for (int k = 0; k < 40; ++k)
    text += " " + std::string(static_cast<std::size_t>(k % 7 + 1), static_cast<char>('a' + k % 26));
  text += " " + std::string(90, 'w') + " end";
  for (int lines = 1; lines <= 4; ++lines)
    for (float room = 20; room < 900; room += 37) {
      const viewer::Fitted fitted = viewer::fitted(text, room, lines);
      INFO(lines << " lines of " << room << ": " << fitted.text);
      int count = 1;
      std::string line;
      for (const char c : fitted.text + "\n") {
        if (c != '\n') {
          line += c;
          continue;
        }
        const bool single = line.size() <= 7;  // one letter, and the mark, are more than there is room for
        CHECK((single || width(line) <= room));
        line.clear(), ++count;
      }
      CHECK(count - 1 <= lines);
      CHECK(fitted.whole == !fitted.text.ends_with("…"));
    }
  CHECK(viewer::fitted("all of it", 900).text == "all of it");
  CHECK(viewer::fitted("", 900).whole);
  const viewer::Fitted formula =
      viewer::fitted_formula("= x(0, 1) + x(0, 2) + x(0, 3)", width("= x(0, 1) + x(0, 2) +  …"));
  CHECK(formula.text == "= x(0, 1) + x(0, 2) +  …");
  CHECK(viewer::fitted_formula("= x(0, 1) + x(0, 2)", width("= x(0, 1) + x(0, 2)")).whole);
  CHECK(viewer::fitted_list("Left:", {"aaaa", "bbbb", "cccc"}, width("Left: aaaa + 2 more")).text ==
        "Left: aaaa + 2 more");
  CHECK(viewer::fitted_list("Left:", {"aaaa", "bbbb"}, 1).text == "Left: 2");
  ImGui::EndFrame();
}

TEST_CASE("what is copied and what is written, and where, is said") {
  if (!can_draw()) return;
  const viewer::State state = state_of({.ci = 2, .hi = 6, .wi = 6, .co = 2, .hf = 3, .wf = 3}, {"im2win.ref"});
  Screen screen(state);
  choose(screen, "Edit", "Copy as command line");
  CHECK(screen.app().notice() == "the command line is on the clipboard");
  CHECK(std::string(ImGui::GetClipboardText()) == viewer::as_command_line(screen.state()));
  CHECK(text_of(letters_of(screen, "/status_")).find("thecommandlineisontheclipboard") != std::string::npos);
  const std::vector<DrawnLetter> letters = letters_of(screen, "/status_");
  const std::string text = text_of(letters);
  CHECK(text.find("offset") < text.find("thecommandline"));  // at the end of its line, not within another's
  const DrawnLetter& last = letters[text.find("clipboard") + std::string("clipboard").size() - 1];
  CHECK(last.area.right > screen.child("status").inner.right - 16);
  choose(screen, "Edit", "Copy as Python");
  CHECK(screen.app().notice() == "the Python program is on the clipboard");
  CHECK(std::string(ImGui::GetClipboardText()) == viewer::as_python(screen.state()));
  for (const auto& [item, file] :
       {std::pair("Export data as CSV ...", "a.csv"), std::pair("Export data as JSON ...", "a.json"),
        std::pair("Export panel as PNG ...", "a.png")}) {
    choose(screen, "File", item);
    screen.type(file);
    const auto ok = screen.find_in_popup("OK", 0.05f);
    REQUIRE(ok);
    screen.click(*ok);
    screen.settle();
    CHECK(screen.app().notice() == (std::filesystem::current_path() / file).string() + " is written");
  }
}
