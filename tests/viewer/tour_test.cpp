// The guided tour: eight steps, each a state that means something.
#include "viewer/logic/tour.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "algorithms/interface/registry.h"
#include "algorithms/interface/window.h"
#include "algorithms/measure/device.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/viewer/kernel_states.h"
#include "viewer/logic/memory.h"
#include "viewer/logic/model.h"
#include "viewer/logic/numerics.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

State at(std::int64_t step) { return at_tour_step(first_state(), step); }
std::string text_of(std::int64_t step) { return tour()[static_cast<std::size_t>(step - 1)].text; }
bool says(std::int64_t step, const std::string& words) { return text_of(step).find(words) != std::string::npos; }

// How many of an axis' inputs have so many readers.
std::int64_t inputs_read(const WindowAxis& axis, std::int64_t inputs, std::int64_t times) {
  std::int64_t count = 0;
  for (std::int64_t input = 0; input < inputs; ++input) {
    std::int64_t readers = 0;
    axis.readers(input, [&](auto, auto) { ++readers; });
    count += readers == times;
  }
  return count;
}

// Bytes that a row needs more for each image.
std::int64_t growth(const State& state, std::size_t run) {
  constexpr std::int64_t kMore = 8;
  State larger = state;
  larger.spec.n += kMore;
  const auto bytes = [&](const State& s) { return memory_bars(Model(s), s.memory_limit).at(run).allocated(); };
  return (bytes(larger) - bytes(state)) / kMore;
}

// What stands between backticks.
std::vector<std::string> commands_in(const std::string& text) {
  std::vector<std::string> commands;
  for (std::size_t begin = text.find('`'); begin != std::string::npos;) {
    const std::size_t end = text.find('`', begin + 1);
    commands.push_back(text.substr(begin + 1, end - begin - 1));
    begin = end == std::string::npos ? end : text.find('`', end + 1);
  }
  return commands;
}

}  // namespace

TEST_CASE("the tour has eight steps, each with a legal layer, rows that there are, and a text") {
  REQUIRE(tour().size() == 8);
  State before = first_state();
  before.dark = false, before.scale = 1.5;
  before.spec.stride_w = 0;  // whatever a user has done before
  std::set<std::string> titles;
  for (std::int64_t step = 1; step <= 8; ++step) {
    const State state = at_tour_step(before, step);
    INFO(step);
    CHECK(state.tour == step);
    CHECK_FALSE(state.dark);
    CHECK(state.scale == 1.5);
    CHECK(state_from_json(to_json(state)) == state);
    const Model model(state);
    REQUIRE(model.problem());
    CHECK(model.unknown_runs().empty());
    CHECK_FALSE(model.rows().empty());
    for (const ChosenRow& row : model.rows()) CHECK(row.plan);
    const TourStep& text = tour()[static_cast<std::size_t>(step - 1)];
    CHECK(titles.insert(text.title).second);
    CHECK(std::string(text.text).size() > 100);
  }
}

TEST_CASE("the tour begins at the photograph and ends at the ablation, and its end changes nothing else") {
  CHECK(at_tour_step(first_state(), 1).panel == "layouts");
  CHECK(std::string(tour().back().text).find("ablation") != std::string::npos);
  State shown = at_tour_step(first_state(), 6);
  const State ended = at_tour_step(shown, 0);
  shown.tour = 0;
  CHECK(ended == shown);
}

TEST_CASE("the tour's words on windows and copies are true of its layer") {
  for (const std::int64_t step : {1, 3, 4}) {
    const ConvProblem p(at(step).spec);
    CHECK(p.ci() == 64);
    CHECK(p.taps() == 9);
    const std::int64_t rows = inputs_read(WindowAxis::rows(p), p.hi(), 3),
                       columns = inputs_read(WindowAxis::columns(p), p.wi(), 3);
    CHECK(2 * rows * columns > p.hi() * p.wi());  // most are in nine windows
    CHECK(2 * rows > p.hi());                     // and most rows in three rows of windows
    CHECK(p.hf() * p.spec().stride_w == 3);       // from one window of a strip to the next
  }
  CHECK(says(1, "64"));
  CHECK(says(3, "most pixels are stored nine times"));
  CHECK(says(4, "three cells on: most pixels are stored three times instead of nine"));
}

TEST_CASE("the tour's Winograd transforms tiles and its FFT the whole picture") {
  const Model model(at(5));
  const auto run = [&](const std::string& family) {
    for (const ChosenRow& row : model.rows())
      if (row.algorithm->family == family) return row;
    throw std::logic_error(family);
  };
  CHECK(run("fft").request.options["transform"] == "whole");
  CHECK(run("winograd").request.options.integer("m") < run("winograd").request.problem.ho());
  CHECK(model.rows().size() == 5);
}

TEST_CASE("im2col's memory grows fastest where the tour says so, and its matrix not at all once batching is image") {
  State state = at(6);
  const auto im2col = static_cast<std::size_t>(
      std::ranges::find_if(state.runs, [](const std::string& run) { return run.starts_with("im2col"); }) -
      state.runs.begin());
  REQUIRE(im2col < state.runs.size());
  const std::int64_t fastest = growth(state, im2col);
  for (std::size_t run = 0; run < state.runs.size(); ++run)
    if (run != im2col) CHECK(growth(state, run) < fastest);

  const std::vector<Option>& options = parse_run(state.runs[im2col]).algorithm->options;
  const auto batching = std::ranges::find(options, "batching", &Option::id);
  CHECK(says(6, "Set its " + batching->title + " to image"));
  state.runs[im2col] = "im2col.ref:batching=image";
  const auto matrix = [&](std::int64_t images) {
    state.spec.n = images;
    const std::vector<MemoryBar> bars = memory_bars(Model(state), state.memory_limit);
    for (const MemoryPart& part : bars[im2col].parts)
      if (part.name == "im2col") return part.bytes;
    return std::int64_t{0};
  };
  CHECK(matrix(64) > 0);
  CHECK(matrix(64) == matrix(128));
}

TEST_CASE("in the tour's type Winograd with large tiles is further off than all others") {
  const State state = at(7);
  CHECK(state.numerics.dtype.value_or(state.dtype) == DType::f32);
  CHECK(says(7, "In f32 "));
  const Specimen piece = specimen_of(ConvProblem(state.spec));
  Materials materials;
  const auto largest = [&](const std::string& run) {
    const Numerics n =
        numerics_of(run, piece.problem, DType::f32, state.layouts, state.seed, state.numerics, materials);
    REQUIRE(n.computed());
    return n.error[n.worst];
  };
  for (const std::string& run : state.runs)
    if (run != state.numerics.run) CHECK(largest(run) < largest(state.numerics.run));
}

TEST_CASE("an option that is switched off on the left is off in the kernel that the tour shows") {
  State state = at(8);
  const std::vector<Option>& options = parse_run(state.runs.front()).algorithm->options;
  const auto option = std::ranges::find(options, "index_precompute", &Option::id);
  CHECK(says(8, "set " + option->title + " to off"));
  const KernelSheet on = testing::sheet_of(state);
  state.runs.front() += ":index_precompute=off";
  const KernelSheet off = testing::sheet_of(state);
  CHECK(off.run == state.runs.front());
  const auto left_out = [](const KernelSheet& sheet) {
    std::int64_t pieces = 0;
    for (const Line& line : sheet.lines) pieces += std::ranges::count(line, Code::left_out, &Piece::code);
    return pieces;
  };
  CHECK(left_out(off) > left_out(on));
  if (testing::has_compiler()) CHECK(build_of(on, state.layer).registers != build_of(off, state.layer).registers);
}

TEST_CASE("every command in the tour's texts runs as it stands") {
  std::size_t commands = 0;
  for (std::int64_t step = 1; step <= 8; ++step)
    for (const std::string& command : commands_in(text_of(step))) {
      INFO(command);
      std::vector<std::string> words = shell_words(command);
      REQUIRE(words.front() == "convlens");
      words.erase(words.begin());
      const CommandResult result = convlens_command(words);
      INFO(result.err);
      CHECK(result.exit == (why_no_device().empty() ? 0 : 4));  // what needs a GPU says so, where there is none
      ++commands;
    }
  CHECK(commands > 0);
}
