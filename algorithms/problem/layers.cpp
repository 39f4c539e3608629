#include "algorithms/problem/layers.h"

#include <algorithm>

#include "algorithms/embedded.h"
#include "algorithms/error.h"
#include "algorithms/problem/parse.h"
#include "algorithms/problem/parse_forms.h"
#include "algorithms/suggest.h"

namespace convlens {

namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kTimes = "×";

// "cv9  1x64x56x56 --filter 64x3x3  ×3": the name, the layer, and how often, where that is not once.
NamedLayer parse_line(std::string_view line, std::string_view suite) {
  const std::size_t name_end = std::min(line.find_first_of(kBlanks), line.size());
  const std::size_t times = line.rfind(kTimes);

  NamedLayer layer;
  layer.name = line.substr(0, name_end);
  layer.suite = suite;
  if (times != std::string_view::npos) {
    std::string_view count = line.substr(times + kTimes.size());
    count = count.substr(0, count.find_last_not_of(kBlanks) + 1);
    layer.repeats = parse_whole(layer.name + ", repeats", count);
    if (layer.repeats < 1) throw BadInput(layer.name + ", repeats: " + std::to_string(layer.repeats) + ", must be ≥ 1");
    line = line.substr(0, times);
  }
  layer.spec = parse_spec(line.substr(name_end));
  return layer;
}

std::vector<NamedLayer> parse_files() {
  std::vector<NamedLayer> layers;
  for (const EmbeddedFile& file : layer_files()) {
    const std::string_view suite = file.name.substr(0, file.name.rfind('.'));
    for (std::string_view rest = file.text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const std::size_t first = line.find_first_not_of(kBlanks);
      if (first == std::string_view::npos || line[first] == '#') continue;
      layers.push_back(parse_line(line.substr(first), suite));
    }
  }
  return layers;
}

}  // namespace

const std::vector<NamedLayer>& named_layers() {
  static const std::vector<NamedLayer> layers = parse_files();
  return layers;
}

std::vector<std::string> layer_suites() {
  std::vector<std::string> suites;
  for (const NamedLayer& layer : named_layers())
    if (suites.empty() || suites.back() != layer.suite) suites.push_back(layer.suite);
  return suites;
}

const NamedLayer& find_layer(std::string_view name) {
  std::vector<std::string> names;
  for (const NamedLayer& layer : named_layers()) {
    if (layer.name == name) return layer;
    names.push_back(layer.name);
  }
  throw BadInput("layer: " + std::string(name) + suggestion(name, names, "a layer of `convlens list layers`"));
}

std::vector<NamedLayer> find_suite(std::string_view suite) {
  std::vector<NamedLayer> layers;
  for (const NamedLayer& layer : named_layers())
    if (layer.suite == suite) layers.push_back(layer);
  if (layers.empty()) throw BadInput("suite: " + std::string(suite) + suggestion(suite, layer_suites()));
  return layers;
}

}  // namespace convlens
