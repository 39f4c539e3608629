// `convlens list`: what there is. Everything comes from the registry and the layer files; the README's table of
// algorithms is `convlens list algorithms --markdown`.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "algorithms/interface/registry.h"
#include "algorithms/measure/device.h"
#include "algorithms/problem/layers.h"
#include "algorithms/problem/parse.h"
#include "algorithms/suggest.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/devices.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/table.h"

namespace convlens::cli {

namespace {

using Json = nlohmann::ordered_json;

// One listing, for people and for programs.
struct Listing {
  Table table;
  Json json = Json::array();
};

std::string joined(const std::vector<std::string>& words, const std::string& between, const std::string& otherwise) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text.empty() ? otherwise : text;
}

std::vector<std::string> limits(const Algorithm& row) {
  std::vector<std::string> says;
  for (const Rule& rule : row.rules) says.push_back(rule.says);
  return says;
}

// What this build or machine lacks is no property of the algorithm: it is said everywhere but in the README's table.
Listing list_algorithms(bool for_readme) {
  Listing listing{Table({{"Algorithm"}, {"Family"}, {"Unit"}, {"What it is"}, {"Limits"}, {"Options"}})};
  for (const Algorithm* row : algorithms()) {
    std::vector<std::string> ids;
    for (const Option& option : row->options) ids.push_back(option.id);
    std::vector<std::string> options = ids;
    Json sets = Json::object();
    for (const NamedOptions& set : row->named_options) {
      options.push_back("or the set " + set.name);
      sets[set.name] = {{"sentence", set.sentence}, {"options", set.text}};
    }
    const std::string lacks = why_not_here(*row);
    std::string limit = joined(limits(*row), "; ", "any");
    if (!lacks.empty() && !for_readme) limit += " (cannot run here: " + lacks + ")";
    const std::string id = for_readme ? "`" + row->id + "`" : row->id;
    listing.table.add({id, row->family, std::string(name(row->unit)), row->title, limit, joined(options, ", ", "–")});
    listing.json.push_back({{"id", row->id},
                            {"family", row->family},
                            {"unit", name(row->unit)},
                            {"title", row->title},
                            {"sentence", row->sentence},
                            {"source", row->source},
                            {"limits", limits(*row)},
                            {"options", ids},
                            {"named_options", sets},
                            {"missing", lacks.empty() ? Json(nullptr) : Json(lacks)}});
  }
  return listing;
}

Listing list_layers() {
  Listing listing{Table({{"Layer"}, {"Suite"}, {"Problem"}, {"H_o", true}, {"W_o", true}, {"FLOP an image", true}})};
  for (const NamedLayer& layer : named_layers()) {
    const ConvProblem problem(layer.spec);
    listing.table.add({layer.name, layer.suite, to_text(layer.spec), std::to_string(problem.ho()),
                       std::to_string(problem.wo()), std::to_string(problem.flops())});
    listing.json.push_back({{"layer", layer.name},
                            {"suite", layer.suite},
                            {"problem", to_text(layer.spec)},
                            {"ho", problem.ho()},
                            {"wo", problem.wo()},
                            {"flops", problem.flops()}});
  }
  return listing;
}

Listing list_options() {
  Listing listing{Table({{"Algorithm"}, {"Option"}, {"Values"}, {"Default"}, {"Ablation"}, {"What it does"}})};
  for (const Algorithm* row : algorithms())
    for (const Option& option : row->options) {
      const std::string values = joined(option.values, " | ", "free text");
      listing.table.add(
          {row->id, option.id, values, option.default_value, option.ablation ? "yes" : "no", option.sentence});
      listing.json.push_back({{"algorithm", row->id},
                              {"option", option.id},
                              {"title", option.title},
                              {"sentence", option.sentence},
                              {"values", option.values},
                              {"default", option.default_value},
                              {"ablation", option.ablation}});
    }
  return listing;
}

Listing list_devices(bool measure, int threads) {
  Listing listing{Table({{"Device"}, {"Fact"}, {"Value"}})};
  for (const DeviceListing& device : device_listings(measure, threads)) {
    Json facts{{"device", device.id}};
    for (const DeviceFact& fact : device.facts) {
      listing.table.add({device.id, fact.title, fact.value});
      facts[fact.key] = fact.json;
    }
    listing.json.push_back(std::move(facts));
  }
  return listing;
}

struct ListArguments {
  std::string what;
  bool markdown = false;
  bool measure = false;
};

void list(const ListArguments& arguments, const Globals& globals) {
  const std::vector<std::string> kinds{"algorithms", "layers", "options", "devices"};
  if (arguments.what.empty())
    throw BadInput("list: nothing named, must be one of algorithms | layers | options | devices");
  if (std::ranges::find(kinds, arguments.what) == kinds.end())
    throw BadInput("list: " + arguments.what + suggestion(arguments.what, kinds));
  if (arguments.measure && arguments.what != "devices")
    throw BadInput("--measure: given for " + arguments.what + ", must go with devices");
  if (arguments.markdown && (globals.json || globals.csv))
    throw BadInput("--markdown: given with --json or --csv, must be one of them");

  const Listing listing = arguments.what == "algorithms" ? list_algorithms(arguments.markdown)
                          : arguments.what == "layers"   ? list_layers()
                          : arguments.what == "options"  ? list_options()
                                                         : list_devices(arguments.measure, globals.threads);
  print(globals.json         ? listing.json.dump(2) + "\n"
        : globals.csv        ? listing.table.csv()
        : arguments.markdown ? listing.table.markdown()
                             : listing.table.text());
}

}  // namespace

void add_list(CLI::App& app, const Globals& globals) {
  Command command(app, "list", "what there is: algorithms, layers, options, devices",
                  {"convlens list algorithms", "convlens list layers --csv", "convlens list options --json",
                   "convlens list devices --measure"});
  const auto arguments = std::make_shared<ListArguments>();
  command.text("WHAT", arguments->what, "", "algorithms, layers, options or devices");
  command.flag("--markdown", arguments->markdown, "a table in Markdown, as in the README");
  command.flag("--measure", arguments->measure, "for devices: measure what they can do at most");
  command.run([arguments, &globals] { list(*arguments, globals); });
}

}  // namespace convlens::cli
