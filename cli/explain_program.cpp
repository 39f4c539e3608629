// What a row on a GPU does in one call, step by step: its launches and library calls (kernels/program.h).
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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

std::string number(std::size_t value) { return grouped(static_cast<std::int64_t>(value)); }

// So many steps from `first` on, done so many times one after the other.
struct Repeat {
  std::size_t first = 0, steps = 1, times = 1;
};

// What a step does, and where: steps of one kind differ at most in offsets and in the numbers that they are handed.
struct Work {
  std::size_t kind = 0;
  std::vector<std::int64_t> numbers;  // such as the first image
};

std::vector<Work> works_of(const Json& steps) {
  std::map<std::string, std::size_t> known;
  std::vector<Work> works;
  for (Json step : steps) {
    Work work;
    for (Json& argument : step["arguments"]) {  // none of a vendor's call
      std::string where = argument.get<std::string>();
      const std::size_t plus = where.find(" + "), end = where.find(" B", plus);
      if (plus != std::string::npos && end != std::string::npos) where.erase(plus, end + 2 - plus);
      if (!where.empty() && where.find_first_not_of("0123456789") == std::string::npos) {
        work.numbers.push_back(std::stoll(where));
        where.clear();
      }
      argument = where;
    }
    work.kind = known.try_emplace(step.dump(), known.size()).first->second;
    works.push_back(std::move(work));
  }
  return works;
}

// Whether step `k` goes on as `length` steps before: numbers stay or grow, and evenly where there are three of them.
bool goes_on(const std::vector<Work>& works, std::size_t first, std::size_t length, std::size_t k) {
  const Work &now = works[k], &before = works[k - length];
  if (now.kind != before.kind) return false;
  for (std::size_t n = 0; n < now.numbers.size(); ++n) {
    const std::int64_t more = now.numbers[n] - before.numbers[n];
    if (more < 0) return false;
    if (k >= first + 2 * length && more != before.numbers[n] - works[k - 2 * length].numbers[n]) return false;
  }
  return true;
}

// The steps in order, with groups that repeat taken together, the longest stretch first.
std::vector<Repeat> repeats_of(const Json& steps) {
  constexpr std::size_t kMostSteps = 16;  // of a group
  const std::vector<Work> works = works_of(steps);
  std::vector<Repeat> repeats;
  for (std::size_t first = 0; first < works.size();) {
    Repeat best{first};
    for (std::size_t length = 1; length <= kMostSteps; ++length) {
      std::size_t end = first + length;
      while (end < works.size() && goes_on(works, first, length, end)) ++end;
      const std::size_t times = (end - first) / length;
      if (times > 1 && times * length > best.times * best.steps) best = {first, length, times};
    }
    repeats.push_back(best);
    first += best.steps * best.times;
  }
  return repeats;
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
  const std::vector<Repeat> repeats = repeats_of(steps);
  std::string text = "\nOn the GPU, a call is\n";
  for (const Repeat& repeat : repeats) {
    const std::size_t last = repeat.first + repeat.steps * repeat.times;
    if (repeat.times > 1)
      text += "  Steps " + number(repeat.first + 1) + " to " + number(last) + " are these " + number(repeat.steps) +
              " × " + number(repeat.times) + ", further on each time:\n";
    for (std::size_t k = repeat.first; k < repeat.first + repeat.steps; ++k)
      text += "  " + std::to_string(k + 1) + ". " + steps[k]["sentence"].get<std::string>() + "\n" +
              (steps[k]["step"] == "launch" ? launch_text(steps[k]) : library_text(steps[k]));
  }
  return text;
}

}  // namespace convlens::cli
