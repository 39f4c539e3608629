// `convlens kernel`: the kernels of a row on a GPU, as they are compiled for a layer: their texts, what the compiler
// makes of them, and the registers, shared memory and spills that it needs. Needs no GPU; the texts need no toolkit.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "algorithms/output_file.h"
#include "algorithms/suggest.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/disassemble.h"
#include "cli/gpu_facts.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/table.h"
#include "kernels/architecture.h"
#include "kernels/program.h"
#include "kernels/runtime.h"
#include "kernels/text.h"

namespace convlens::cli {

namespace {

constexpr const char* kOtherwise = "sm_90a";  // compiled for, where there is no GPU and nothing is said

struct KernelArguments {
  LayerArguments layers;
  RowArguments rows;
  StateArgument state;
  std::string emit, architecture, output;
  std::int64_t step = 0;  // 0: not said
};

// A launch, and its number among the steps of a call, from 1.
struct NumberedLaunch {
  std::size_t step = 0;
  const gpu::Launch* launch = nullptr;
};

std::vector<NumberedLaunch> launches_of(const Plan& plan) {
  std::vector<NumberedLaunch> launches;
  const std::vector<gpu::Step>& steps = plan.program()->steps;
  for (std::size_t k = 0; k < steps.size(); ++k)
    if (const auto* launch = std::get_if<gpu::Launch>(&steps[k])) launches.push_back({k + 1, launch});
  if (launches.empty()) throw Unsupported("kernel: " + plan.run_name() + " has none of its own, a library does it all");
  return launches;
}

std::string names(const std::vector<NumberedLaunch>& launches) {
  std::string text;
  for (const auto& [step, launch] : launches)
    text += (text.empty() ? "" : " | ") + std::to_string(step) + " (" + launch->kernel.entry + ")";
  return text;
}

// The one that --step names; without it the main one.
const gpu::Launch& chosen(const Plan& plan, const std::vector<NumberedLaunch>& launches, std::int64_t step) {
  if (step == 0) return *gpu::main_launch(*plan.program());
  for (const auto& [number, launch] : launches)
    if (static_cast<std::int64_t>(number) == step) return *launch;
  throw BadInput("--step: " + std::to_string(step) + ", must be one of " + names(launches));
}

// The text, which opens with the command that compiles it: for the least architecture that it can be compiled for,
// where none is named. One that is of a single generation is of its 'a' variant, as check_architecture has it.
std::string text_with_command(const gpu::Kernel& kernel, const std::string& named) {
  const gpu::Architectures& may = kernel.architectures;
  const std::string least = "sm_" + std::to_string(may.least) + (may.least == may.most ? "a" : "");
  return "// nvcc -std=c++20 -arch=" + (named.empty() ? least : named) + " -cubin THIS_FILE\n" + gpu::source(kernel);
}

std::string emitted(const gpu::Kernel& kernel, const std::string& emit, const std::string& architecture) {
  if (emit == "cu") return text_with_command(kernel, architecture);
  const gpu::Compiled compiled = gpu::runtime().compile(kernel, architecture);
  if (emit == "ptx") return compiled.ptx;
  return disassemble(compiled.cubin);
}

// The state, and the texts: what is emitted is made of them, and goes elsewhere.
NamedFiles files_read(const KernelArguments& arguments, const gpu::Kernel& kernel) {
  NamedFiles files = gpu::places_of_texts(kernel);
  files.emplace_back("--state", arguments.state.file());
  return files;
}

// Throws BadInput for anything that is no name such as "sm_90a".
void check_name(const std::string& architecture) {
  const std::string digits = architecture.substr(0, 3) == "sm_" ? architecture.substr(3) : "";
  const std::size_t end = digits.find_first_not_of("0123456789");
  const std::string suffix = end == std::string::npos ? "" : digits.substr(end);
  if (digits.empty() || end == 0 || digits.size() > 4 || (suffix != "" && suffix != "a" && suffix != "f"))
    throw BadInput("--arch: " + architecture + ", must be sm_ and a number, as in sm_80 or sm_90a");
}

void print_resources(const Plan& plan, const std::vector<NumberedLaunch>& launches, const std::string& architecture,
                     const Globals& globals) {
  for (const NumberedLaunch& numbered : launches) gpu::check_launch(plan, *numbered.launch, architecture);
  Table table({{"Step", true},
               {"Kernel"},
               {"File"},
               {"Registers", true},
               {"Static shared, B", true},
               {"Dynamic shared, B", true},
               {"Spills, B", true}});
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const auto& [step, launch] : launches) {
    const gpu::Compiled compiled = gpu::runtime().compile(launch->kernel, architecture);
    table.add({std::to_string(step), launch->kernel.entry, launch->kernel.file, std::to_string(compiled.registers),
               std::to_string(compiled.shared_bytes), std::to_string(launch->shared_bytes),
               std::to_string(compiled.spill_bytes)});
    json.push_back({{"step", step},
                    {"kernel", launch->kernel.entry},
                    {"file", launch->kernel.file},
                    {"architecture", architecture},
                    {"registers", compiled.registers},
                    {"static_shared_bytes", compiled.shared_bytes},
                    {"dynamic_shared_bytes", launch->shared_bytes},
                    {"spill_bytes", compiled.spill_bytes}});
  }
  print(globals.json  ? json.dump(2) + "\n"
        : globals.csv ? table.csv()
                      : table.text() + "\nRegisters and spills are a thread's, shared memory a block's; compiled for " +
                            architecture + ".\n");
}

std::string default_architecture() {
  const std::vector<Device*> gpus = devices();
  return gpus.empty() ? kOtherwise : compiled_for(gpus.front()->facts());
}

void kernel(const KernelArguments& arguments, const Globals& globals) {
  if (!arguments.rows.algorithm_given()) throw BadInput("ROW: none given, must be a row of `convlens list algorithms`");
  const std::vector<std::string> forms{"cu", "ptx", "sass"};
  if (!arguments.emit.empty() && std::ranges::find(forms, arguments.emit) == forms.end())
    throw BadInput("--emit: " + arguments.emit + suggestion(arguments.emit, forms));
  if (arguments.emit.empty() && (!arguments.output.empty() || arguments.step != 0))
    throw BadInput(std::string(arguments.step != 0 ? "--step" : "--output") + ": must go with --emit");
  if (!arguments.emit.empty() && (globals.json || globals.csv))
    throw BadInput("--emit: given with --json or --csv, must be one of them");

  const Run run = only(arguments.rows.runs(), "ROW");
  if (run.algorithm->unit == Unit::cpu) throw BadInput("ROW: " + run.algorithm->id + ", must be a row on a GPU");
  const Layer layer = only(arguments.layers.layers(), "layer");
  const DType dtype = arguments.rows.dtype_on_gpu(*run.algorithm);
  const Layouts layouts = only(arguments.rows.layouts({Layouts{}}), "--layout");
  const auto plan = run.algorithm->plan({layer.problem, dtype, layouts, run.options});
  const std::vector<NumberedLaunch> launches = launches_of(*plan);

  const std::string architecture =
      arguments.architecture.empty() && arguments.emit != "cu" ? default_architecture() : arguments.architecture;
  if (!architecture.empty()) check_name(architecture);
  if (arguments.emit.empty()) return print_resources(*plan, launches, architecture, globals);
  const gpu::Launch& launch = chosen(*plan, launches, arguments.step);
  if (!architecture.empty()) gpu::check_launch(*plan, launch, architecture);
  refuse_same_file({{"--output", arguments.output}}, files_read(arguments, launch.kernel));
  std::optional<OutputFile> file;
  if (!arguments.output.empty() && !is_stream(arguments.output)) file.emplace(arguments.output, "--output");
  const std::string text = emitted(launch.kernel, arguments.emit, architecture);
  if (arguments.step == 0 && launches.size() > 1)
    say("kernel: " + launch.kernel.entry + ", the main one of " + names(launches) + "; see --step");
  if (!file) return print(text);
  file->write(std::as_bytes(std::span(text)));
  file->commit();
}

}  // namespace

void add_kernel(CLI::App& app, const Globals& globals) {
  Command command(app, "kernel", "the kernels of a row on a GPU: text, PTX, SASS, registers, spills",
                  {"convlens kernel direct.cc --layer cv9 --batch 256 --emit cu",
                   "convlens kernel direct.cc:sizes=runtime --layer cv9 --layout NHWC --emit cu -o direct.cu",
                   "convlens kernel direct.cc '8x3x64x64 --filter 16x5x5 --stride 2' --emit cu",
                   "convlens kernel direct.cc --state state.json --emit cu"});
  const auto arguments = std::make_shared<KernelArguments>();
  KernelArguments* a = arguments.get();
  a->rows.add_row_to(command);
  a->layers.add_to(command, Amount::one);
  a->state.add_to(command, "layer, type, layouts, and its row if just one has a kernel");
  command.text("--emit", a->emit, "FORM",
               "cu: the text, whose first line is the nvcc command that compiles it; ptx; sass. Left out: a table");
  command.integer(
      "--step", 1, 1000, [a](std::int64_t step) { a->step = step; },
      "which step of the call, as `convlens explain` counts them; the main kernel when left out");
  command.text("--arch", a->architecture, "ARCH",
               "what to compile for, as in sm_80, sm_90a; when left out, this machine's GPU, or sm_90a, and for cu the "
               "earliest that the text can be compiled for");
  command.text("-o,--output", a->output, "FILE",
               "written whole or not at all; standard output when left out, or with -");
  command.run([arguments, &globals] {
    if (const std::optional<NamedByState> state = arguments->state.read()) {
      arguments->layers.when_left_out(*state);
      arguments->rows.when_left_out(*state, OneRow::with_kernel, arguments->layers);
    }
    kernel(*arguments, globals);
  });
}

}  // namespace convlens::cli
