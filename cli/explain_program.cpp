// What a row on a GPU does in one call, step by step: its launches and library calls (kernels/program.h).
#include <nlohmann/json.hpp>

#include "cli/explain.h"
#include "cli/numbers.h"
#include "kernels/program.h"
#include "kernels/vendor/cudnn.h"

namespace convlens::cli {

namespace {

using Json = nlohmann::ordered_json;
using namespace gpu;  // NOLINT: the steps' types

// "x", "window + 256 B", "7", "x as [f16 64 × 56 × 56 × 256, box 64 × 58 × 4 × 1]".
std::string text(const Argument& argument) {
  const auto moved = [&](const std::string& name) {
    return name + (argument.offset == 0 ? "" : " + " + std::to_string(argument.offset) + " B") +
           (argument.map ? " as [" + text(*argument.map) + "]" : "");
  };
  switch (argument.kind) {
    case Argument::Kind::x:
      return moved("x");
    case Argument::Kind::w:
      return moved("w");
    case Argument::Kind::bias:
      return moved("bias");
    case Argument::Kind::y:
      return moved("y");
    case Argument::Kind::buffer:
      return moved(argument.buffer);
    case Argument::Kind::number:
      break;
  }
  return std::to_string(argument.number);
}

Json extents(const Dim3& d) { return {d.x, d.y, d.z}; }

Json json(const Launch& launch) {
  const Kernel& kernel = launch.kernel;
  Json constants = Json::object(), arguments = Json::array();
  for (const Constant& c : kernel.constants) constants[c.name] = c.value;
  for (const Argument& argument : launch.arguments) arguments.push_back(text(argument));
  return {{"step", "launch"},
          {"sentence", launch.sentence},
          {"file", kernel.file},
          {"entry", kernel.entry},
          {"grid", extents(launch.grid)},
          {"block", extents(launch.block)},
          {"dynamic_shared_bytes", launch.shared_bytes},
          {"constants", constants},
          {"sizes", kernel.sizes_at_run_time ? "runtime" : "constant"},
          {"arguments", arguments},
          {"writes", launch.writes}};
}

Json json(const Gemm& gemm) {
  return {{"step", "gemm"},
          {"sentence", gemm.sentence},
          {"library", "cuBLAS"},
          {"m", gemm.m},
          {"n", gemm.n},
          {"k", gemm.k},
          {"batch", gemm.batch},
          {"in", name(gemm.in)},
          {"out", name(gemm.out)},
          {"complex", gemm.complex},
          {"arguments", {text(gemm.a), text(gemm.b), text(gemm.c)}},
          {"workspace_bytes", gemm.workspace_bytes}};
}

Json json(const Fft& fft) {
  const bool forward = fft.direction == Fft::Direction::real_to_complex;
  return {{"step", "fft"},
          {"sentence", fft.sentence},
          {"library", "cuFFT"},
          {"direction", forward ? "real to complex" : "complex to real"},
          {"rows", fft.rows},
          {"columns", fft.columns},
          {"batch", fft.batch},
          {"arguments", {text(fft.in), text(fft.out)}},
          {"workspace_bytes", fft.workspace_bytes}};
}

Json json(const VendorCall& call) {
  return {{"step", "vendor"},
          {"sentence", call.sentence},
          {"library", call.library},
          {"engine", call.engine},
          {"workspace_bytes", call.workspace_bytes}};
}

std::string joined(const Json& values, const std::string& between) {
  std::string text;
  for (const Json& value : values)
    text += (text.empty() ? "" : between) + (value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

std::string grouped_extents(const Json& extents) {
  std::string text;
  for (const Json& extent : extents) text += (text.empty() ? "" : " × ") + grouped(extent.get<std::int64_t>());
  return text;
}

// A table of numbers is only begun; the kernel's text has all of it.
std::string shortened(const std::string& value) {
  constexpr std::size_t kMost = 40;
  return value.size() <= kMost ? value : value.substr(0, value.rfind(',', kMost)) + ", …}";
}

std::string launch_text(const Json& step) {
  std::string constants;
  for (const auto& [name, value] : step["constants"].items())
    constants += (constants.empty() ? "" : ", ") + name + " = " + shortened(value.get<std::string>());
  return "     kernel     " + step["file"].get<std::string>() + ", " + step["entry"].get<std::string>() + "(" +
         joined(step["arguments"], ", ") + ")\n" +  //
         "     grid       " + grouped_extents(step["grid"]) + " blocks of " + grouped_extents(step["block"]) +
         " threads, " + bytes_text(step["dynamic_shared_bytes"].get<std::int64_t>()) + " of dynamic shared memory\n" +
         "     constants  " + constants + "\n" +  //
         "     sizes      " +
         (step["sizes"] == "runtime" ? "handed over when it is launched" : "constants, compiled in") + "\n";
}

std::string library_text(const Json& step) {
  const std::string kind = step["step"];
  std::string what = step["library"];
  if (kind == "gemm")
    what += ": " + std::to_string(step["batch"].get<std::int64_t>()) + " × (" + joined({step["m"], step["k"]}, "×") +
            " · " + joined({step["k"], step["n"]}, "×") + "), " + step["in"].get<std::string>() + " → " +
            step["out"].get<std::string>() + (step["complex"].get<bool>() ? ", complex" : "");
  else if (kind == "fft")
    what += ": " + std::to_string(step["batch"].get<std::int64_t>()) + " transforms of " +
            joined({step["rows"], step["columns"]}, "×") + ", " + step["direction"].get<std::string>();
  else
    what += ": " + step["engine"].get<std::string>();
  const Json& bytes = step["workspace_bytes"];
  return "     library    " + what + "\n     workspace  " +
         (bytes.is_null() ? kUnknownWorkspace : bytes_text(bytes.get<std::int64_t>())) + "\n";
}

}  // namespace

Json program_json(const Plan& plan) {
  Json steps = Json::array();
  for (const Step& step : plan.program()->steps) {
    steps.push_back(std::visit([](const auto& s) { return json(s); }, step));
    if (!workspace_known(plan)) steps.back()["workspace_bytes"] = nullptr;
  }
  return steps;
}

std::string program_text(const Plan& plan) {
  const Json steps = program_json(plan);
  std::string text = "\nOn the GPU, a call is\n";
  for (std::size_t k = 0; k < steps.size(); ++k)
    text += "  " + std::to_string(k + 1) + ". " + steps[k]["sentence"].get<std::string>() + "\n" +
            (steps[k]["step"] == "launch" ? launch_text(steps[k]) : library_text(steps[k]));
  return text;
}

}  // namespace convlens::cli
