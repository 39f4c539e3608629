#include "viewer/logic/commands.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

#include "algorithms/problem/layers.h"
#include "algorithms/problem/parse.h"

namespace convlens::viewer {

namespace {

std::vector<std::string> layer_words(const State& state) {
  if (state.layer.empty()) return {to_text(state.spec)};
  std::vector<std::string> words{"--layer", state.layer};
  if (state.spec.n != find_layer(state.layer).spec.n)
    words.insert(words.end(), {"--batch", std::to_string(state.spec.n)});
  return words;
}

// What is not as the words before have `said`, by --set, field by field. Edited texts of kernels are too long for a
// line; layer and cursor are said in words of their own.
std::vector<std::string> remaining_fields(const nlohmann::ordered_json& state, const nlohmann::ordered_json& said,
                                          const std::string& before = "") {
  std::vector<std::string> words;
  for (const auto& [key, value] : state.items()) {
    const std::string field = before + key;
    if (value == said.at(key) || field == "layer" || field == "problem" || field == "cursor" || field == "kernel.texts")
      continue;
    if (value.is_object()) {
      const std::vector<std::string> inside = remaining_fields(value, said.at(key), field + ".");
      words.insert(words.end(), inside.begin(), inside.end());
    } else {
      words.insert(words.end(), {"--set", field + "=" + (value.is_string() ? value.get<std::string>() : value.dump())});
    }
  }
  return words;
}

std::string coordinates(const Coord& at) {
  std::size_t rank = kMaxRank;
  while (rank > 1 && at[rank - 1] == 0) --rank;
  std::string text;
  for (std::size_t axis = 0; axis < rank; ++axis) text += (axis > 0 ? "," : "") + std::to_string(at[axis]);
  return text;
}

// The shortest text that is read as this very number.
std::string shortest(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

// In single quotes where a shell would read more into it than its letters.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string("-_./:,=+").find(static_cast<char>(c)) != std::string::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::vector<std::string> command_words(const State& state) {
  std::vector<std::string> words{"convlens", "view"};
  const auto add = [&](const std::vector<std::string>& more) { words.insert(words.end(), more.begin(), more.end()); };
  State said = first_state();  // by the words so far
  const auto say = [&](const std::string& option, auto State::*field, const std::string& text) {
    if (state.*field == said.*field) return;
    add({option, text});
    said.*field = state.*field;
  };
  add(layer_words(state));
  if (state.runs != said.runs && !state.runs.empty()) {
    for (const std::string& run : state.runs) add({"--algorithm", run});
    said.runs = state.runs;
    said.arrangement = "grids";  // --algorithm asks for these rows side by side, and to see the last of them measured
    said.performance.run = state.runs.back();
  }
  say("--dtype", &State::dtype, std::string(name(state.dtype)));
  say("--layout", &State::layouts,
      std::string(name(state.layouts.x)) + "," + std::string(name(state.layouts.w)) + "," +
          std::string(name(state.layouts.y)));
  add({"--panel", said.panel = state.panel});
  if (state.panel == "layouts") add({"--arrangement", said.arrangement = state.arrangement});
  if (state.panel == "performance") {
    if (!state.performance.run.empty()) add({"--live", said.performance.run = state.performance.run});
    add({"--chart", said.performance.chart = state.performance.chart});
    if (state.performance.timed != said.performance.timed)
      add({"--timed", said.performance.timed = state.performance.timed});
    if (state.performance.swept != said.performance.swept)
      add({"--sweep", said.performance.swept = state.performance.swept});
  }
  // The cell 0 of a tensor goes without saying: an empty one has not even that.
  const bool first_cell = state.cursor.at == Coord{};
  if (first_cell || state.cursor.tensor != "y") add({"--tensor", state.cursor.tensor});
  if (!first_cell) add({"--at", coordinates(state.cursor.at)});
  say("--image", &State::picture, state.picture);
  say("--step", &State::step, std::to_string(state.step));
  say("--block", &State::block, std::to_string(state.block));
  say("--order", &State::order, state.order);
  say("--theme", &State::dark, state.dark ? "dark" : "light");
  say("--scale", &State::scale, shortest(state.scale));
  add(remaining_fields(to_json(state), to_json(said)));
  return words;
}

std::string as_command_line(const State& state) {
  std::string line;
  for (const std::string& word : command_words(state)) line += (line.empty() ? "" : " ") + quoted(word);
  return line;
}

std::string as_python(const State& state) {
  const nlohmann::json words = command_words(state);
  return "import subprocess\n\nsubprocess.run(" + words.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
         ", check=True)\n";
}

}  // namespace convlens::viewer
