#include "viewer/logic/commands.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
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

// The fields of one panel that are not as at first, by --set; edited texts of kernels are too long for a line.
std::vector<std::string> changed_fields(const std::string& panel, const nlohmann::ordered_json& now,
                                        const nlohmann::ordered_json& first) {
  std::vector<std::string> words;
  for (const auto& [field, value] : now.items()) {
    if (value == first.at(field) || field == "texts") continue;
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    words.insert(words.end(), {"--set", panel + "." + field + "=" + text});
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
  const State first = first_state();
  std::vector<std::string> words{"convlens", "view"};
  const auto add = [&](const std::vector<std::string>& more) { words.insert(words.end(), more.begin(), more.end()); };
  add(layer_words(state));
  if (state.runs != first.runs)
    for (const std::string& run : state.runs) add({"--algorithm", run});
  if (state.dtype != first.dtype) add({"--dtype", std::string(name(state.dtype))});
  if (state.layouts != first.layouts)
    add({"--layout", std::string(name(state.layouts.x)) + "," + std::string(name(state.layouts.w)) + "," +
                         std::string(name(state.layouts.y))});
  add({"--panel", state.panel});
  if (state.panel == "layouts") add({"--arrangement", state.arrangement});
  if (state.panel == "performance") {
    add({"--live", state.performance.run, "--chart", state.performance.chart});
    if (state.performance.timed != first.performance.timed) add({"--timed", state.performance.timed});
    if (state.performance.swept != first.performance.swept) add({"--sweep", state.performance.swept});
  }
  if (state.panel == "numerics") add(changed_fields("numerics", to_json(state.numerics), to_json(first.numerics)));
  if (state.panel == "kernel") add(changed_fields("kernel", to_json(state.kernel), to_json(first.kernel)));
  if (state.panel == "memory" && state.memory_limit != first.memory_limit)
    add({"--set", "memory_limit=" + std::to_string(state.memory_limit)});
  if (state.cursor.tensor != "y") add({"--tensor", state.cursor.tensor});
  add({"--at", coordinates(state.cursor.at)});
  if (!state.picture.empty()) add({"--image", state.picture});
  if (state.step != first.step) add({"--step", std::to_string(state.step)});
  if (state.block != first.block) add({"--block", std::to_string(state.block)});
  if (state.order != first.order) add({"--order", state.order});
  if (state.dark != first.dark) add({"--theme", "light"});
  if (state.scale > 0) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", state.scale);
    add({"--scale", text});
  }
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
