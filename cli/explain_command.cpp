// `convlens explain`: what an algorithm does to a layer's data, without doing it. Nothing is allocated.
#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "algorithms/measure/device.h"
#include "algorithms/suggest.h"
#include "algorithms/winograd/winograd.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/explain.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "kernels/winograd/output_tile.h"

namespace convlens::cli {

namespace {

struct ExplainArguments {
  LayerArguments layers;
  RowArguments rows;
  StateArgument state;
  std::string at, stage;
  bool matrices = false;
};

std::vector<std::int64_t> parse_cell(const std::string& text) {
  std::vector<std::int64_t> at;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    at.push_back(parse_integer("--at", text.substr(from, comma - from), 0, most));
    from = comma + 1;
  }
  return at;
}

const Stage& find_stage(const std::vector<Stage>& stages, const std::string& id) {
  if (id.empty()) return stages.front();
  std::vector<std::string> ids;
  for (const Stage& stage : stages) {
    if (stage.id == id) return stage;
    ids.push_back(stage.id);
  }
  throw BadInput("--stage: " + id + suggestion(id, ids));
}

void print_matrices(const Run& run, const Request& request, const Globals& globals) {
  if (run.algorithm->family != winograd_ref().family)
    throw BadInput("--matrices: " + run.algorithm->id + " has none, must go with --algorithm " + winograd_ref().family);
  const auto plan = run.algorithm->plan(request);
  const bool on_gpu = run.algorithm->unit != Unit::cpu;  // such a row chooses the output tile that it isn't told
  const std::string matrices = winograd_matrices(on_gpu ? gpu::with_output_tile(plan->request()) : plan->request());
  if (!globals.json) return print(matrices);
  print(nlohmann::ordered_json{{"run", run_name(*run.algorithm, run.options)}, {"matrices", matrices}}.dump(2) + "\n");
}

void explain(const ExplainArguments& arguments, const Globals& globals) {
  if (!arguments.rows.algorithm_given())
    throw BadInput("--algorithm: none given, must be a row of `convlens list algorithms`");
  if (arguments.matrices && !arguments.at.empty()) throw BadInput("--matrices: given with --at, must be one of them");
  if (!arguments.stage.empty() && arguments.at.empty())
    throw BadInput("--stage: " + arguments.stage + ", must go with --at");
  const std::vector<std::int64_t> at = arguments.at.empty() ? std::vector<std::int64_t>{} : parse_cell(arguments.at);
  const Layer layer = only(arguments.layers.layers(), "layer");
  static_cast<void>(arguments.rows.dtypes({}));  // what is no type is told before a device is looked for
  const Layouts layouts = only(arguments.rows.layouts({Layouts{}}), "--layout");
  arguments.rows.check_device();
  const Run run = only(arguments.rows.runs(), "--algorithm");
  const DType dtype = run.algorithm->unit == Unit::tc ? arguments.rows.dtype_on_gpu(*run.algorithm)
                                                      : only(arguments.rows.dtypes({DType::f32}), "--dtype");

  Request request{layer.problem, dtype, layouts, run.options, arguments.rows.place(*run.algorithm)};
  request.threads = globals.threads;
  request.memory_limit = globals.memory_limit;  // only when asked for: an explanation needs no memory
  if (arguments.matrices) return print_matrices(run, request, globals);
  const std::shared_ptr<const Plan> plan = run.algorithm->plan(request);

  if (arguments.at.empty()) {
    const std::string why = why_not_here(*run.algorithm);
    if (!globals.json) return print(plan_text(layer, *plan) + (why.empty() ? "" : "\nCannot run here: " + why + ".\n"));
    nlohmann::ordered_json json = plan_json(layer, *plan);
    json["cannot_run"] = why.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(why);
    return print(json.dump(2) + "\n");
  }
  const std::vector<Stage> stages = stages_with_input(*plan);
  const nlohmann::ordered_json cell = cell_json(*plan, find_stage(stages, arguments.stage), at);
  print(globals.json ? cell.dump(2) + "\n" : cell_text(cell));
}

}  // namespace

void add_explain(CLI::App& app, const Globals& globals) {
  Command command(app, "explain", "what an algorithm does to a layer's data: stages, bytes, FLOPs",
                  {"convlens explain --layer cv9 --algorithm im2col",
                   "convlens explain --layer cv9 --algorithm im2col --at 0,3,17,5,1,2",
                   "convlens explain --layer cv9 --algorithm im2col --stage input --at 0,3,17,5",
                   "convlens explain '1x8x14x14 --filter 8x3x3 --pad 1 --groups 8' --algorithm direct --json",
                   "convlens explain --layer cv9 --algorithm winograd --matrices",
                   "convlens explain --state state.json --algorithm im2win"});
  const auto arguments = std::make_shared<ExplainArguments>();
  arguments->layers.add_to(command, Amount::one);
  arguments->rows.add_to(command, Amount::one);
  arguments->state.add_to(command, "layer, type, layouts, and its row if it has just one");
  command.text("--at", arguments->at, "CELL",
               "a cell of a stage, as in 0,3,17: where it comes from and which outputs use it");
  command.text("--stage", arguments->stage, "ID", "which stage --at means: the first when left out; input is x itself");
  command.flag("--matrices", arguments->matrices, "for winograd: the matrices Aᵀ, G and Bᵀ in exact fractions");
  command.run([arguments, &globals] {
    if (const std::optional<NamedByState> state = arguments->state.read()) {
      arguments->layers.when_left_out(*state);
      arguments->rows.when_left_out(*state, OneRow::explained, arguments->layers);
    }
    explain(*arguments, globals);
  });
}

}  // namespace convlens::cli
