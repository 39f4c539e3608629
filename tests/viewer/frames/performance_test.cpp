// The Performance panel through pointer and keys, with a real worker behind it and with broken ones.
#include <chrono>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "algorithms/interface/registry.h"
#include "algorithms/measure/device.h"
#include "algorithms/worker/child.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/viewer/frames/drawn_text.h"
#include "tests/viewer/frames/screen.h"
#include "tests/viewer/states.h"
#include "viewer/logic/comparisons.h"

namespace {

using namespace convlens;
using namespace convlens::testing;

const std::vector<std::string> kWorker{std::string(CONVLENS_BINARY_DIR) + "/convlens", "worker"};

viewer::State panel_state() {
  viewer::State state = state_of({.n = 1, .ci = 8, .hi = 16, .wi = 16, .co = 8, .hf = 3, .wf = 3}, {});
  state.panel = "performance";
  state.performance.run = "direct.cpu";
  return state;
}

bool comes_true(Screen& screen, const std::function<bool()>& question) {
  for (int k = 0; k < 8000 && !question(); ++k) {
    screen.frames(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return question();
}
bool moves(Screen& screen) {
  return comes_true(screen, [&] {
    const viewer::Curve* live = screen.app().study().live();
    return live != nullptr && live->line.ms.size() > 3;
  });
}

// All that is written, without spaces, which are not drawn.
std::string text_on(Screen& screen) {
  screen.frames(2);
  std::string letters;
  for (const DrawnLetter& letter : drawn_letters())
    if (letter.code < 128) letters += static_cast<char>(letter.code);
  return letters;
}

// A widget of the panel, wherever across it stands.
std::optional<Point> find(Screen& screen, const std::string& label) {
  std::optional<Point> found;
  for (float column = 0.02f; !found && column < 0.9f; column += 0.02f)
    found = screen.find(screen.child("performance").name, {label}, column);
  return found;
}

}  // namespace

TEST_CASE("flipping a switch moves the live line, leaves the old one as a ghost, and can be undone") {
  if (!can_draw()) return;
  Screen screen(panel_state(), 1600, 1000, kWorker);
  REQUIRE(moves(screen));
  CHECK(screen.picture().count(screen.child("performance").inner, viewer::palette().lit) > 10);
  const auto box = find(screen, "simd");
  REQUIRE(box);
  screen.click(*box);
  CHECK(screen.state().performance.run == "direct.cpu:simd=off");
  REQUIRE(moves(screen));
  CHECK(screen.app().study().live()->line.run == "direct.cpu:simd=off");
  REQUIRE(screen.app().study().ghosts().size() == 1);
  // The ghost's rate is of all its samples, on show and in the data.
  const viewer::Curve& ghost = *screen.app().study().ghosts().front();
  for (const auto& row : screen.app().data())
    if (row.at("shown_as") == "ghost") CHECK(row.at("median_ms").get<double>() == ghost.median_ms());
  CHECK_THAT(text_on(screen), Catch::Matchers::Contains("medianof"));
  screen.key(viewer::Key::z, true);
  CHECK(screen.state().performance.run == "direct.cpu");
}

TEST_CASE("Escape ends what is being measured, and what is done stays in the data") {
  if (!can_draw()) return;
  Screen screen(panel_state(), 1600, 1000, kWorker);
  const auto compared = *viewer::comparisons(screen.state());
  screen.app().study().measure(compared.wanted("live"));
  REQUIRE(comes_true(screen, [&] { return screen.app().study().progress().done > 2; }));
  screen.key(viewer::Key::escape);
  REQUIRE(comes_true(screen, [&] { return screen.app().study().progress().all == 0; }));
  const auto data = screen.app().data();
  CHECK(data.front().at("source").get<std::string>().starts_with("measured on "));
  CHECK(data.front().at("tflops").get<double>() > 0);
}

TEST_CASE("of a row that cannot run here the record stands in at once, and nothing is offered to be measured") {
  if (!can_draw() || why_no_device().empty()) return;
  viewer::State state = viewer::first_state();
  state.panel = "performance";
  state.performance.run = "im2win.cc";
  Screen screen(state, 1600, 1000, kWorker);
  REQUIRE(comes_true(screen, [&] {
    const viewer::Curve* live = screen.app().study().live();
    return live != nullptr && !live->refused.empty();
  }));
  screen.settle();
  const auto text = [&] {
    std::string letters;
    for (const DrawnLetter& letter : drawn_letters())
      letters += static_cast<char>(letter.code < 128 ? letter.code : '?');
    return letters;
  };
  screen.picture();
  for (const char* word : {"recorded", "H200", "coldcaches", "revision", "Measureall", "nothere:"}) {
    INFO(word << " in " << text());
    CHECK(text().find(word) != std::string::npos);
  }
  const auto button = find(screen, "take these");
  REQUIRE(button);
  screen.click(*button);
  CHECK(screen.state().spec.n == 256);
  CHECK(screen.state().performance.timed == "cold");
  const auto rows = screen.app().data();
  CHECK(rows.front().at("tflops").get<double>() > 10);
}

TEST_CASE("while a worker hangs before its first sample the record stands in, with its badge") {
  if (!can_draw()) return;
  viewer::State state = viewer::first_state();
  state.panel = "performance";
  state.performance.run = "im2win.cc";
  Screen screen(state, 1600, 1000, worker::shell_words("sleep 60"));
  REQUIRE(comes_true(screen, [&] { return text_on(screen).find("H200") != std::string::npos; }));
  for (const char* word : {"recorded", "im2win.cc:beingmadeready", "Theworkerisbeingstarted"}) {
    INFO(word << " in " << text_on(screen));
    CHECK(text_on(screen).find(word) != std::string::npos);
  }
  CHECK(screen.app().data().front().at("source").get<std::string>().starts_with("recorded on "));
}

TEST_CASE("beside a live run recorded points are marked, and of a type it cannot compute the record stands in") {
  if (!can_draw()) return;
  viewer::State state = measuring("im2win.cpu", 4);
  state.panel = "performance";
  state.performance.chart = "roofline";
  Screen screen(state, 1600, 1000, kWorker);
  REQUIRE(moves(screen));
  for (const char* word : {"ratesrecorded,notmeasured,on", "squares:recorded", "(recorded)", "f32,measured"}) {
    INFO(word << " in " << text_on(screen));
    CHECK(comes_true(screen, [&] { return text_on(screen).find(word) != std::string::npos; }));
  }
  CHECK_THAT(text_on(screen), Catch::Matchers::Contains("live"));
  state = screen.state();
  state.dtype = DType::f16;
  screen.app().change(state);
  REQUIRE(comes_true(screen, [&] { return text_on(screen).find("standsin") != std::string::npos; }));
  CHECK_THAT(text_on(screen), Catch::Matchers::Contains("nothere:") && !Catch::Matchers::Contains("live") &&
                                  !Catch::Matchers::Contains("measuredon"));
  for (const auto& row : screen.app().data())
    CHECK_THAT(row.at("source").get<std::string>(), !Catch::Matchers::StartsWith("measured"));
}

TEST_CASE("what else than switches can be chosen of a row is a list behind a button") {
  if (!can_draw()) return;
  viewer::State state = viewer::first_state();
  state.panel = "performance";
  state.performance.run = "im2win.tc";
  Screen screen(state, 1600, 1000);
  screen.settle();
  std::vector<std::string> ids;
  for (const Option& option : parse_run("im2win.tc").algorithm->options)
    if (!option.ablation && option.values.size() > 1) ids.push_back(option.id);
  REQUIRE(ids.size() > 2);
  const auto button = find(screen, std::to_string(ids.size()) + " choices");
  REQUIRE(button);
  screen.click(*button);
  screen.frames(3);
  for (const std::string& id : ids) {
    INFO(id);
    CHECK(drawn_text().find(id) != std::string::npos);
  }
}

TEST_CASE("another panel in front lets the worker rest") {
  if (!can_draw()) return;
  Screen screen(panel_state(), 1600, 1000, kWorker);
  REQUIRE(moves(screen));
  viewer::State other = screen.state();
  other.panel = "memory";
  screen.app().change(other);
  screen.frames(2);
  CHECK(screen.app().study().live() == nullptr);
  CHECK(comes_true(screen, [&] { return !screen.app().study().busy(); }));
}

TEST_CASE("workers that fail are shown and drawn without a fault, whatever they say") {
  if (!can_draw()) return;
  const std::string hello = R"(echo '{"is":"hello","protocol":2,"revision":"r","host":"h","cpu":"c","gpu":""}'; )";
  for (const std::string& script :
       {std::string("exit 1"), std::string("sleep 3600"), std::string("yes nonsense"), hello + "sleep 3600",
        hello + "yes nonsense", hello + "read line; kill -9 $$",
        std::string("echo '{\"is\":\"hello\",\"protocol\":7}'; sleep 3600"),
        hello + R"(read l; echo '{"is":"samples","id":1,"ms":[0,-1,1e308,1e-308]}'; sleep 3600)"}) {
    INFO(script);
    Screen screen(panel_state(), 1280, 720, worker::shell_words(script));
    for (int k = 0; k < 40; ++k) {
      screen.frames(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    CHECK(screen.picture().colours(screen.child("performance").inner) >= 8);
  }
}

TEST_CASE("of a worker that is gone one thing is said, and what waits for another can be cancelled") {
  if (!can_draw()) return;
  Screen screen(panel_state(), 1600, 1000, worker::shell_words("exit 1"));
  viewer::Study& study = screen.app().study();
  study.measure(viewer::comparisons(screen.state())->wanted("live"));
  REQUIRE(comes_true(screen, [&] { return study.stalled(); }));
  const auto text = [&] { return text_on(screen); };
  CHECK_THAT(text(), Catch::Matchers::Contains("Theworkerendedwithexitcode1"));
  CHECK_THAT(text(), Catch::Matchers::Contains("measurementswaitforanotherworker"));
  CHECK_THAT(text(), !Catch::Matchers::Contains("beingmadeready"));
  CHECK_THAT(text(), !Catch::Matchers::Contains("0of"));
  screen.key(viewer::Key::escape);
  CHECK(comes_true(screen, [&] { return study.progress().all == 0; }));
}

TEST_CASE("a worker that is gone can be started again by hand") {
  if (!can_draw()) return;
  const TemporaryFolder folder;
  const std::string died = folder.path() + "/died";
  Screen screen(panel_state(), 1600, 1000,
                worker::shell_words("if [ -e " + died + " ]; then exec " + kWorker[0] + " worker; fi; touch " + died));
  REQUIRE(comes_true(screen, [&] {
    const auto* client = screen.app().study().client();
    return client != nullptr && client->state() == worker::Client::State::gone;
  }));
  screen.frames(2);
  const auto button = find(screen, "start another");
  REQUIRE(button);
  screen.click(*button);
  CHECK(moves(screen));
}

TEST_CASE("a worker that answers and measures nothing is said to do so, and another can be started by hand") {
  if (!can_draw()) return;
  const TemporaryFolder folder;
  const std::string hangs = folder.path() + "/hangs";
  std::ofstream(folder.path() + "/worker.sh")
      << "if [ -e " + hangs + " ]; then exec " + kWorker[0] + " worker; fi; touch " + hangs + "\n" +
             R"(echo '{"is":"hello","protocol":2,"revision":"r","host":"h","cpu":"c","gpu":""}'
                while read line; do case $line in *ping*) echo '{"is":"pong","id":999}';; esac; done)";
  Screen screen(panel_state(), 1600, 1000, {"sh", folder.path() + "/worker.sh"});
  const auto* client = [&] {
    screen.frames(2);
    return screen.app().study().client();
  }();
  REQUIRE(client != nullptr);
  // Long enough not to take a cold compile for it.
  for (int k = 0; k < 2000 && !client->is_idle(); ++k) {
    screen.frames(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  CHECK_THAT(text_on(screen), Catch::Matchers::Contains("Theworkerhasmeasurednothingfor15s,thoughitanswers"));
  const auto button = find(screen, "start another");
  REQUIRE(button);
  screen.click(*button);
  CHECK(moves(screen));
}
