#include "viewer/logic/kernel_sheet.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/measure/device.h"
#include "algorithms/problem/parse.h"
#include "kernels/architecture.h"
#include "kernels/text.h"

namespace convlens::viewer {

namespace {

constexpr const char* kOtherwise = "sm_90a";  // compiled for, where there is no GPU and nothing is said

// As near to what the state asks for as the row can: a row for tensor cores is shown for f16.
Request nearest_request(const Run& run, const State& state, const ConvProblem& problem, KernelSheet& sheet) {
  Request request = complete(*run.algorithm, {problem, state.dtype, state.layouts, run.options});
  constexpr int kSteps = 4;  // one a rule
  for (int step = 0; step < kSteps; ++step) {
    const Support support = run.algorithm->supports(request);
    if (support) return request;
    if (!support.nearest) throw Unsupported(support.reason);
    if (sheet.note.empty()) sheet.note = support.reason + "; ";
    request = *support.nearest;
  }
  throw Unsupported(run.algorithm->supports(request).reason);
}

void note_changes(const State& state, const Request& request, KernelSheet& sheet) {
  if (sheet.note.empty()) return;
  const auto layouts = [](const Layouts& l) {
    return std::string(name(l.x)) + ", " + std::string(name(l.w)) + ", " + std::string(name(l.y));
  };
  sheet.note += "shown for " + to_text(request.problem.spec()) + ", " + std::string(name(request.dtype));
  if (request.layouts != state.layouts) sheet.note += ", " + layouts(request.layouts);
}

void choose_launch(const KernelState& wanted, KernelSheet& sheet) {
  const gpu::Program& program = *sheet.plan->program();
  const gpu::Launch* chosen = gpu::main_launch(program);
  if (chosen == nullptr) throw Unsupported(sheet.run + " has no kernel of its own: a library does it all");
  for (std::size_t k = 0; k < program.steps.size(); ++k) {
    const auto* launch = std::get_if<gpu::Launch>(&program.steps[k]);
    if (launch == nullptr) continue;
    const auto number = static_cast<std::int64_t>(k) + 1;
    sheet.launches.emplace_back(number, launch->kernel.entry + ": " + launch->sentence);
    if (number == wanted.step) chosen = launch;
  }
  for (std::size_t k = 0; k < program.steps.size(); ++k)
    if (std::get_if<gpu::Launch>(&program.steps[k]) == chosen) sheet.step = static_cast<std::int64_t>(k) + 1;
  sheet.launch = *chosen;
  sheet.launch.kernel.texts = wanted.texts;
}

void read_text(const KernelState& wanted, KernelSheet& sheet) {
  const gpu::Kernel& kernel = sheet.launch.kernel;
  CompiledCode code;
  try {
    sheet.files = gpu::source_files(kernel);
    code = compiled_code(gpu::source(kernel), sheet.architecture);
  } catch (const BadInput& error) {
    sheet.note += (sheet.note.empty() ? "" : "; ") + std::string("not marked: ") + error.what();
    sheet.files = {kernel.file};  // an edited text includes what is not there: it can still be edited
    for (const auto& [file, text] : wanted.texts)
      if (file != kernel.file) sheet.files.push_back(file);
  }
  sheet.file = std::ranges::find(sheet.files, wanted.file) == sheet.files.end() ? kernel.file : wanted.file;
  const auto own = wanted.texts.find(sheet.file);
  sheet.edited = own != wanted.texts.end();
  sheet.text = sheet.edited ? own->second : gpu::kernel_file(sheet.file);
  sheet.lines = std::move(code.files[sheet.file]);
  sheet.decided = code.decided, sheet.undecided = code.undecided;
}

void choose_architecture(const KernelState& wanted, KernelSheet& sheet) {
  const std::string here = architecture_here();
  std::vector<std::string> all{"sm_80", "sm_90a", "sm_120"};
  if (std::ranges::find(all, here) == all.end()) all.insert(all.begin(), here);
  for (const std::string& name : all)
    if (gpu::why_not_on(sheet.launch, name).empty()) sheet.architectures.push_back(name);
  for (const std::string& name : {wanted.architecture, here})
    if (sheet.architecture.empty() && std::ranges::find(sheet.architectures, name) != sheet.architectures.end())
      sheet.architecture = name;
  if (sheet.architecture.empty() && !sheet.architectures.empty()) sheet.architecture = sheet.architectures.front();
}

// UTF-8 without zeros: what can be shown, and kept in a state file.
bool is_text(const std::string& text) {
  // What is no UTF-8 is lost on the way.
  const std::string kept = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore);
  return text.find('\0') == std::string::npos && nlohmann::json::parse(kept).get<std::string>() == text;
}

// Implicit GEMM is im2col's product, its matrix gathered tile by tile: who looks for the one means the other too.
bool are_kin(const std::string& a, const std::string& b) {
  const auto is_lowering = [](const std::string& family) { return family == "im2col" || family == "implicit_gemm"; };
  return a == b || (is_lowering(a) && is_lowering(b));
}

// The run of kernel_run(). Where there is none, why, and which rows of the same families have kernels.
std::string choose_run(const State& state, KernelSheet& sheet) {
  if (const std::string run = kernel_run(state); !run.empty()) return run;
  std::string names;
  std::vector<std::string> families;
  for (const std::string& run : state.runs) {
    try {
      const Algorithm& row = *parse_run(run).algorithm;
      names += (names.empty() ? "" : ", ") + row.id;
      families.push_back(row.family);
    } catch (const BadInput&) {
      continue;  // the list on the left says that there is no such row
    }
  }
  std::string have;
  for (const Algorithm* row : algorithms())
    if (has_kernels(*row) && (families.empty() || std::ranges::any_of(families, [&](const std::string& family) {
                                return are_kin(family, row->family);
                              }))) {
      sheet.instead.push_back(row->id);
      have += (have.empty() ? "" : ", ") + row->id;
    }
  const std::string why = names.empty() ? "No row is chosen."
                                        : "No CUDA kernel to show: of " + names +
                                              (families.size() == 1 ? " there is none." : " there are none.");
  throw Unsupported(why + (have.empty() ? "" : " On a GPU there are " + have + "."));
}

}  // namespace

std::string architecture_here() {
  const std::vector<Device*> gpus = devices();
  if (gpus.empty()) return kOtherwise;
  const std::string name = gpus.front()->facts().architecture;
  return name + (std::stoi(name.substr(3)) >= 90 ? "a" : "");
}

bool has_kernels(const Algorithm& row) { return row.unit != Unit::cpu && !row.vendor; }

std::string kernel_run(const State& state) {
  if (!state.kernel.run.empty()) return state.kernel.run;
  const std::vector<std::string> all = kernel_runs(state);
  const bool chosen = !all.empty() && std::ranges::find(state.runs, all.front()) != state.runs.end();
  return chosen ? all.front() : "";
}

std::vector<std::string> kernel_runs(const State& state) {
  std::vector<std::string> runs;
  for (const std::string& run : state.runs) {
    try {
      if (has_kernels(*parse_run(run).algorithm)) runs.push_back(run);
    } catch (const BadInput&) {
      continue;  // the list on the left says that there is no such row
    }
  }
  for (const Algorithm* row : algorithms())
    if (has_kernels(*row) && std::ranges::find(runs, row->id) == runs.end()) runs.push_back(row->id);
  return runs;
}

KernelSheet kernel_sheet(const State& state, const ConvProblem& problem) {
  KernelSheet sheet;
  try {
    sheet.run = choose_run(state, sheet);
    const Run run = parse_run(sheet.run);
    if (!has_kernels(*run.algorithm)) throw Unsupported(sheet.run + " has no CUDA kernel of its own.");
    const Request request = nearest_request(run, state, problem, sheet);
    note_changes(state, request, sheet);
    sheet.plan = run.algorithm->plan(request);
    choose_launch(state.kernel, sheet);
    choose_architecture(state.kernel, sheet);
    read_text(state.kernel, sheet);
  } catch (const Error& error) {
    sheet.refused = error.what();
  }
  return sheet;
}

std::string read_kernel_text(const std::string& file) {
  // Asked before it is opened, which of a named pipe would take until someone writes to it.
  std::error_code none;
  std::ifstream stream;
  if (std::filesystem::is_regular_file(file, none)) stream.open(file, std::ios::binary);
  std::string text(gpu::kMostText + 1, '\0');
  const bool readable = stream.is_open();
  if (readable) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!readable || stream.bad()) throw BadInput("kernel: " + file + ", cannot be read");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > gpu::kMostText)
    throw BadInput("kernel: " + file + ", must have ≤ " + std::to_string(gpu::kMostText) + " bytes");
  if (!is_text(text)) throw BadInput("kernel: " + file + ", must be text in UTF-8");
  return text;
}

}  // namespace convlens::viewer
