// A plan in words and numbers. Every number is computed from the problem, the stages or the buffers: nothing here knows
// an algorithm by name.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "algorithms/measure/ledger.h"
#include "algorithms/problem/parse.h"
#include "cli/explain.h"
#include "cli/numbers.h"
#include "cli/table.h"
#include "kernels/vendor/cudnn.h"

namespace convlens::cli {

namespace {

using Json = nlohmann::ordered_json;

bool in_passes(const Plan& plan) {
  return std::ranges::any_of(plan.stages(), [](const Stage& stage) { return stage.stored && stage.passes() > 1; });
}

// The tensors once, and everything in the workspace written once and read once, what is made in passes in each.
std::int64_t traffic(const Plan& plan) { return plan.request().tensor_bytes() + workspace_traffic(plan); }

double ratio(std::int64_t a, std::int64_t b) { return static_cast<double>(a) / static_cast<double>(b); }
double zero_block_share(const ConvProblem& p) { return 1 - 1 / static_cast<double>(p.groups()); }

// The axes from slowest to fastest in memory; an axis of length one may stand anywhere.
std::vector<std::string> memory_order(const Stage& stage) {
  std::vector<std::size_t> order(stage.axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return stage.axes[a].stride > stage.axes[b].stride; });
  std::vector<std::string> names;
  for (std::size_t axis : order) names.push_back(stage.axes[axis].name);
  return names;
}

std::vector<std::string> made_from(const Plan& plan, const Stage& stage) {
  std::vector<std::string> names;
  for (Operand operand : stage.made_from) names.push_back(operand_name(plan, operand));
  return names;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string exact_words(const ErrorModel& model) {
  if (!model.exact.made) return "no promise";
  const std::string w = (model.exact.w_unit == 1 ? "" : std::to_string(model.exact.w_unit) + "·k, |k| ≤ ");
  return "on integers |x| ≤ " + std::to_string(model.exact.x_max) + ", " + (w.empty() ? "|w| ≤ " : "w = " + w) +
         std::to_string(model.exact.w_max) + ": " +
         (model.exact.bitwise ? "equal to the oracle, bit for bit" : "within ¼ of the right integer");
}
std::string worst_words(const ErrorModel& model) {
  return model.worst_case ? "a bound on every output that is never exceeded" : "no bound is promised";
}
std::string likely_words(const Plan& plan) {
  if (!plan.error_model().likely) return "no promise";
  return "|error| ≤ 2·√K·u·Σ|x||w| with K = " + std::to_string(plan.problem().reduction()) +
         ", and the rounding of the output";
}
std::string spread_words(const Plan& plan) {
  if (plan.algorithm().vendor) return "no promise: another's library computes";
  const ErrorModel& model = plan.error_model();
  switch (model.spread) {
    case Spread::exact:
      return "reach exactly the outputs that use them";
    case Spread::tile:
      return "may reach other outputs of the same " + std::to_string(model.tile_h) + "×" +
             std::to_string(model.tile_w) + " tile";
    case Spread::image:
      break;
  }
  return "may reach all outputs of the same image";
}

Json stage_json(const Plan& plan, const Stage& stage) {
  const bool known = gpu::workspace_known(plan);
  const auto bytes = [&](std::int64_t number) { return known ? Json(number) : Json(nullptr); };
  Json axes = Json::array();
  for (const Axis& axis : known ? stage.axes : std::vector<Axis>{})
    axes.push_back({{"name", axis.name},
                    {"symbol", axis.symbol},
                    {"extent", axis.extent},
                    {"resident", axis.resident},
                    {"stride", axis.stride}});
  return {{"id", stage.id},
          {"title", stage.title},
          {"meaning", stage.meaning},
          {"made_from", made_from(plan, stage)},
          {"axes", axes},
          {"memory_order", memory_order(stage)},
          {"dtype", name(stage.dtype)},
          {"complex", stage.complex},
          {"stored", stage.stored},
          {"opaque", stage.map == nullptr},
          {"passes", stage.passes()},
          {"cells", bytes(stage.cells())},
          {"formula", stage.formula()},
          {"numbers", known ? stage.numbers() : ""},
          {"bytes", bytes(stage.bytes())}};
}

std::string stage_text(const Plan& plan, const Stage& stage) {
  std::string text =
      "\nStage " + stage.id + ": " + stage.title + ", from " + joined(made_from(plan, stage), ", ") + "\n";
  text += "  " + stage.meaning + "\n";
  if (!gpu::workspace_known(plan)) return text + "  its size: " + gpu::kUnknownWorkspace + "\n";
  Table axes({{"axis"}, {"symbol"}, {"extent", true}, {"in memory", true}, {"stride", true}});
  for (const Axis& axis : stage.axes)
    axes.add({axis.name, axis.symbol, grouped(axis.extent), grouped(axis.resident), grouped(axis.stride)});
  std::string table = axes.text();
  for (std::size_t at = 0; at < table.size(); at = table.find('\n', at) + 1) table.insert(at, "  ");
  text += table + "  order " + joined(memory_order(stage), " ") + " (slowest to fastest)\n";
  const std::string kind = std::string(name(stage.dtype)) + (stage.complex ? ", complex" : "");
  if (!stage.stored)
    return text + "  virtual: never stored; " + kind + ", stored it would take " +
           bytes_text(stage.resident_cells() * stage.cell_bytes()) + "\n";
  text += "  stored as " + kind + ": " + stage.formula() + " = " + stage.numbers() + " = " + bytes_text(stage.bytes()) +
          "\n";
  if (stage.passes() > 1) text += "  made in " + grouped(stage.passes()) + " passes, one in memory at a time\n";
  return text;
}

}  // namespace

std::string operand_name(const Plan& plan, Operand operand) {
  if (operand == kInput) return "x";
  if (operand == kFilter) return "w";
  return plan.stages()[static_cast<std::size_t>(operand.id)].id;
}

Json plan_json(const Layer& layer, const Plan& plan) {
  const ConvProblem& p = plan.problem();
  const Request& r = plan.request();
  Json stages = Json::array(), workspace = Json::array();
  for (const Stage& stage : plan.stages()) stages.push_back(stage_json(plan, stage));
  const bool known = gpu::workspace_known(plan);
  const auto bytes = [&](std::int64_t number) { return known ? Json(number) : Json(nullptr); };
  for (const Buffer& buffer : plan.workspace())
    workspace.push_back({{"name", buffer.name}, {"bytes", bytes(buffer.bytes)}, {"offset", buffer.offset}});
  const ErrorModel& model = plan.error_model();
  return {{"run", plan.run_name()},
          {"algorithm", plan.algorithm().id},
          {"options", r.options.values()},
          {"layer", layer.name},
          {"problem", to_text(p.spec())},
          {"x", p.x_shape()},
          {"w", p.w_shape()},
          {"y", p.y_shape()},
          {"dtype", name(r.dtype)},
          {"layout", {{"x", name(r.layouts.x)}, {"w", name(r.layouts.w)}, {"y", name(r.layouts.y)}}},
          {"flops", {{"direct_equivalent", plan.flops()}, {"executed", plan.executed_flops()}}},
          {"bytes", {{"x", r.x_bytes()}, {"w", r.w_bytes()}, {"bias", r.bias_bytes()}, {"y", r.y_bytes()}}},
          {"flops_per_byte",
           {{"tensors", ratio(plan.flops(), r.tensor_bytes())},
            {"with_workspace", known ? Json(ratio(plan.executed_flops(), traffic(plan))) : Json(nullptr)}}},
          {"padding_share", ratio(p.padding_multiplications(), p.multiplications())},
          {"zero_block_share", zero_block_share(p)},
          {"stages", stages},
          {"workspace", workspace},
          {"workspace_bytes", bytes(plan.workspace_bytes())},
          {"program", plan.program() == nullptr ? Json(nullptr) : program_json(plan)},
          {"total_bytes", bytes(r.tensor_bytes() + plan.workspace_bytes())},
          {"error_model",
           {{"exact", exact_words(model)},
            {"worst", worst_words(model)},
            {"likely", likely_words(plan)},
            {"nonfinite", spread_words(plan)}}},
          {"notes", std::vector<std::string>(plan.notes().begin(), plan.notes().end())}};
}

std::string plan_text(const Layer& layer, const Plan& plan) {
  const ConvProblem& p = plan.problem();
  const Request& r = plan.request();
  const auto shape = [](const Shape& s) {
    return std::to_string(s[0]) + "×" + std::to_string(s[1]) + "×" + std::to_string(s[2]) + "×" + std::to_string(s[3]);
  };
  const auto percent = [](double share) { return std::isnan(share) ? "n/a" : fixed(100 * share, 2) + " %"; };
  const std::string problem = to_text(p.spec());
  std::string text = plan.run_name() + " on " + (layer.name.empty() ? "" : layer.name + ": ") + problem + ", " +
                     std::string(name(r.dtype)) + ", " + cli::text(r.layouts) + "\n" + plan.algorithm().title + ". " +
                     plan.algorithm().sentence + "\nSource: " + plan.algorithm().source + "\n";
  for (const NamedOptions& set : plan.algorithm().named_options)
    text += plan.algorithm().id + ":" + set.name + " is " + set.text + ": " + set.sentence + "\n";
  text += "\n";
  const auto line = [&](const std::string& label, const std::string& value) {
    text += label + std::string(label.size() < 14 ? 14 - label.size() : 1, ' ') + value + "\n";
  };
  line("x", shape(p.x_shape()) + " (N×C_i×H_i×W_i), " + bytes_text(r.x_bytes()));
  line("w", shape(p.w_shape()) + (p.groups() == 1 ? " (C_o×C_i×H_f×W_f), " : " (C_o×C_i/groups×H_f×W_f), ") +
                bytes_text(r.w_bytes()));
  if (p.bias()) line("bias", std::to_string(p.co()) + " (C_o), " + bytes_text(r.bias_bytes()));
  line("y", shape(p.y_shape()) + " (N×C_o×H_o×W_o), " + bytes_text(r.y_bytes()));
  line("FLOPs", grouped(plan.flops()) + " = " + flops_text(plan.flops()) +
                    " direct-equivalent, 2·N·C_o·H_o·W_o·K with K = " + std::to_string(p.reduction()));
  line("", grouped(plan.executed_flops()) + " = " + flops_text(plan.executed_flops()) + " executed, " +
               fixed(ratio(plan.executed_flops(), plan.flops()), 3) + " of the direct-equivalent");
  line("intensity",
       fixed(ratio(plan.flops(), r.tensor_bytes()), 2) + " FLOP/B: direct-equivalent FLOPs / bytes of x, w, y");
  if (gpu::workspace_known(plan))
    line("", fixed(ratio(plan.executed_flops(), traffic(plan)), 2) +
                 " FLOP/B: executed FLOPs / (those bytes + workspace written once and read once" +
                 (in_passes(plan) ? ", what is made in passes in each)" : ")"));
  line("padding", percent(ratio(p.padding_multiplications(), p.multiplications())) +
                      " of the direct multiplications meet a zero of the padding");
  if (p.groups() > 1)
    line("groups", percent(zero_block_share(p)) +
                       " of the filter matrix are zero blocks when im2col is multiplied as one dense GEMM: 1 − 1/" +
                       std::to_string(p.groups()));

  for (const Stage& stage : plan.stages()) text += stage_text(plan, stage);

  if (plan.program() != nullptr) text += program_text(plan);

  const bool known = gpu::workspace_known(plan);
  const auto bytes = [&](std::int64_t number) { return known ? bytes_text(number) : gpu::kUnknownWorkspace; };
  text += "\nWorkspace: " + bytes(plan.workspace_bytes()) + "\n";
  for (const Buffer& buffer : plan.workspace()) text += "  " + buffer.name + ": " + bytes(buffer.bytes) + "\n";
  text += "With the tensors: " + std::string(known ? "" : "at least ") +
          bytes_text(r.tensor_bytes() + plan.workspace_bytes()) + "\n\nErrors\n";
  line("  exact", exact_words(plan.error_model()));
  line("  worst case", worst_words(plan.error_model()));
  line("  likely", likely_words(plan));
  line("  NaN, Inf", spread_words(plan));
  for (const std::string& note : plan.notes()) text += "\nNote: " + note;
  return text + (plan.notes().empty() ? "" : "\n");
}

}  // namespace convlens::cli
