#include "viewer/logic/state_rules.h"

#include <algorithm>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/problem/layers.h"
#include "algorithms/shortened.h"
#include "kernels/text.h"
#include "viewer/logic/kernel_sheet.h"
#include "viewer/logic/links.h"
#include "viewer/logic/schedule.h"

namespace convlens::viewer {

namespace {

// One of those whose numbers the Numerics panel has.
std::string wrong_numerics_run(const State& state) {
  const std::string& run = state.numerics.run;
  const std::string wrong = wrong_run("numerics.run", run);
  const bool shown = run.empty() || std::ranges::find(state.runs, run) != state.runs.end();
  if (!wrong.empty() || shown || state.panel != "numerics") return wrong;
  return "numerics.run: " + shortened(run) + ", must be one of the chosen runs";
}

// A row that has kernels, or "".
std::string wrong_kernel_run(const std::string& run) {
  const std::string wrong = wrong_run("kernel.run", run);
  if (!wrong.empty() || run.empty()) return wrong;
  const Algorithm& row = *parse_run(run).algorithm;
  if (has_kernels(row)) return "";
  std::string rows;
  for (const Algorithm* other : algorithms())
    if (has_kernels(*other) && other->family == row.family) rows += (rows.empty() ? ", as " : ", ") + other->id;
  return "kernel.run: " + shortened(run) + ", must be a row that has CUDA kernels" + rows;
}

// Texts that no kernel would ever read.
std::string wrong_text(const KernelState& state, const std::vector<std::string>& files) {
  for (const auto& [file, text] : state.texts) {
    if (std::ranges::find(files, file) != files.end()) continue;
    try {
      gpu::kernel_file(file);
    } catch (const BadInput&) {
      return "kernel.texts: " + shortened(file) +
             ", must be a file of kernels/, or one that the kernel on show includes";
    }
  }
  return "";
}

// What the Kernel panel would show in the place of something that there is not.
std::string wrong_kernel(const State& state, const ConvProblem& problem) {
  if (const std::string wrong = wrong_kernel_run(state.kernel.run); !wrong.empty()) return wrong;
  if (state.panel != "kernel" && state.kernel.texts.empty()) return "";
  const KernelSheet sheet = kernel_sheet(state, problem);
  if (const std::string wrong = wrong_text(state.kernel, sheet.files); !wrong.empty()) return wrong;
  const KernelState& k = state.kernel;
  if (state.panel == "kernel" && sheet.run.empty() && k.step != 0)
    return "kernel.step: " + std::to_string(k.step) + ", must be 0 where no chosen row has a kernel";
  if (state.panel != "kernel" || !sheet.refused.empty()) return "";  // the panel says why it is refused
  if (k.step != 0 && k.step != sheet.step)
    return "kernel.step: " + std::to_string(k.step) + ", must be a step of " + sheet.run + " that is a kernel";
  if (!k.file.empty() && k.file != sheet.file)
    return "kernel.file: " + shortened(k.file) + ", must be a text of " + sheet.run;
  if (!k.architecture.empty() && k.architecture != sheet.architecture)
    return "kernel.architecture: " + shortened(k.architecture) + ", must be one that " + sheet.run +
           " can be compiled for";
  return "";
}

// A tensor that is hidden: one that there is, or may be again, with another layer or a row that is chosen later. Which
// stages a row has depends on both, so that of a stage only the row is judged.
std::string wrong_hidden(const State& state) {
  const std::vector<std::string> operands{"x", "w", "w_blocks", "y"};
  for (const std::string& tensor : state.hidden) {
    if (std::ranges::find(operands, tensor) != operands.end()) continue;
    const std::size_t slash = std::min(tensor.rfind('/'), tensor.size());
    const std::string run = tensor.substr(0, slash);
    if (run.empty() || slash + 1 >= tensor.size() || !wrong_run("hidden", run).empty())
      return "hidden: " + shortened(tensor) + ", must be x, w, w_blocks, y, or a row and its stage";
  }
  return "";
}

}  // namespace

std::string wrong_run(const std::string& field, const std::string& run) {
  if (run.empty()) return "";
  const std::string says = field + ": " + shortened(run) + ", ";
  try {
    find_algorithm(run.substr(0, run.find(':')));
  } catch (const BadInput&) {
    return says + "must be a row of `convlens list algorithms`";
  }
  try {
    parse_run(run);
    return "";
  } catch (const BadInput& error) {
    return says + error.what();
  }
}

std::string wrong_layer(const State& state) {
  if (state.layer.empty()) return "";
  const auto layer = std::ranges::find(named_layers(), state.layer, &NamedLayer::name);
  if (layer == named_layers().end())
    return "layer: " + shortened(state.layer) + ", must be a row of `convlens list layers`";
  ConvSpec named = layer->spec;
  named.n = state.spec.n;
  return named == state.spec ? "" : "layer: " + state.layer + ", must be \"\" for sizes that are not its own";
}

std::optional<std::int64_t> scheduled_blocks(const State& state, const Model& model) {
  const std::vector<Schedule> all = schedules(model);
  const auto schedule = std::ranges::find_if(all, [](const Schedule& s) { return s.launch != nullptr; });
  if (schedule == all.end()) return std::nullopt;
  const Links links = links_of(model, model.valid(state.cursor));
  const auto y = links.cells.find("y");
  const std::int64_t image = y == links.cells.end() || y->second.empty() ? 0 : y->second.front().first[0];
  return static_cast<std::int64_t>(blocks_of_image(*model.problem(), *schedule->launch, image).blocks.size());
}

std::string wrong_block(const State& state, const Model& model) {
  if (!model.problem() || state.panel != "layouts" || state.arrangement != "schedule" || state.block == 0) return "";
  const std::optional<std::int64_t> blocks = scheduled_blocks(state, model);
  const std::string says = "block: " + std::to_string(state.block) + ", must be ";
  if (!blocks) return says + "0 where no chosen row has a schedule";
  return state.block < *blocks ? "" : says + "< " + std::to_string(*blocks) + ", the blocks that compute the image";
}

std::vector<std::string> wrong_in(const State& state, const Model& model) {
  std::vector<std::string> lines{wrong_layer(state), model.overflow()};
  for (const BrokenRule& rule : model.broken()) lines.push_back(rule.line());
  for (const std::string& run : model.unknown_runs()) lines.push_back(wrong_run("runs", run));
  lines.push_back(model.wrong_cursor(state.cursor));
  lines.push_back(wrong_block(state, model));
  lines.push_back(wrong_hidden(state));
  lines.push_back(wrong_run("performance.run", state.performance.run));
  lines.push_back(wrong_numerics_run(state));
  if (model.problem()) lines.push_back(wrong_kernel(state, *model.problem()));
  std::erase(lines, "");
  return lines;
}

}  // namespace convlens::viewer
