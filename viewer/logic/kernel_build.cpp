// What the compiler, and a GPU, make of a kernel's text.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <iomanip>
#include <locale>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "algorithms/check/check.h"
#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/measure/device.h"
#include "algorithms/measure/side_by_side.h"
#include "algorithms/shortened.h"
#include "kernels/row.h"
#include "kernels/runtime.h"
#include "viewer/logic/kernel_sheet.h"
#include "viewer/logic/recorded.h"
#include "viewer/logic/specimen.h"

namespace convlens::viewer {

namespace {

constexpr std::size_t kMostOfMessage = 300;  // bytes of a compiler's message: template errors have no end

constexpr std::size_t kMostErrors = 4;  // of all kernels; those that follow tend to be the same mistake

constexpr const char* kRecordedFor = "sm_90a";  // all shipped records are of an H200

// The record of this run of a named layer, in this type and these layouts; null when there is none.
nlohmann::json record_of(const Plan& plan, const std::string& layer) {
  const Request& request = plan.request();
  for (const std::string& file : data_files(".jsonl")) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
      const auto record = nlohmann::json::parse(line, nullptr, false);
      if (record.is_discarded() || !record.contains("registers") || record["registers"].is_null()) continue;
      if (record["layer"] == layer && record["run"] == plan.run_name() && record["dtype"] == name(request.dtype) &&
          record["layout"]["x"] == name(request.layouts.x))
        return record;
    }
  }
  return nullptr;
}

// The errors of a compiler's log, those at lines or the one at none. Templates repeat them, instance by instance.
std::vector<CompilerMessage> distinct_messages(const std::string& log) {
  std::vector<CompilerMessage> messages;
  for (CompilerMessage& message : compiler_messages(log))
    if (std::ranges::find(messages, message) == messages.end()) messages.push_back(std::move(message));
  if (std::ranges::none_of(messages, &CompilerMessage::error))
    messages.insert(messages.begin(), {"", 0, true, message_at_no_line(log)});
  return messages;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string message_at_no_line(const std::string& log) {
  std::istringstream lines(log);
  std::string first, second, used;
  std::getline(lines, first);
  if (!first.ends_with(':')) return shortened(first, kMostOfMessage);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("ptxas") && line.find("error") != std::string::npos) return shortened(line, kMostOfMessage);
    // NVRTC 13 leaves ptxas's error out of its log: the resources that were too many are then all that is known.
    if (const auto at = line.find("Used "); line.starts_with("ptxas info") && at != std::string::npos)
      used = "ptxas refuses it and says no more than this: " + line.substr(at);
    if (second.empty()) second = line;
  }
  if (!used.empty()) return shortened(used, kMostOfMessage);
  return shortened(first + " " + second, kMostOfMessage);
}

std::vector<CompilerMessage> compiler_messages(const std::string& log) {
  std::vector<CompilerMessage> messages;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    // "im2win/im2win_cc.cu(57): error: identifier "taps" is undefined"
    const std::size_t close = line.find("): "), open = line.rfind('(', close);
    if (close == std::string::npos || open == std::string::npos) continue;
    CompilerMessage message{line.substr(0, open), 0, false, line.substr(close + 3)};
    const auto [end, error] = std::from_chars(line.data() + open + 1, line.data() + close, message.line);
    if (error != std::errc{} || end != line.data() + close) continue;
    message.error = message.text.find("error") < message.text.find(':');
    message.text = shortened(message.text, kMostOfMessage);
    messages.push_back(std::move(message));
  }
  return messages;
}

std::optional<Build> recorded_build(const KernelSheet& sheet, const std::string& layer) {
  const bool main = gpu::main_launch(*sheet.plan->program())->kernel.entry == sheet.launch.kernel.entry;
  if (!sheet.launch.kernel.texts.empty() || layer.empty() || !main) return std::nullopt;
  const nlohmann::json record = record_of(*sheet.plan, layer);
  if (record.is_null()) return std::nullopt;
  Build build;
  build.recorded = true;
  build.recorded_on = record["gpu"].get<std::string>() + " with N = " + record["problem"]["n"].dump();
  build.registers = record["registers"], build.shared_bytes = record["shared_bytes"];
  build.spill_bytes = record["spill_bytes"];
  build.occupancy = occupancy(kRecordedFor, sheet.launch.block.count(), build.registers, build.shared_bytes);
  return build;
}

Build build_of(const KernelSheet& sheet, const std::string& layer, const std::function<bool()>& stop) {
  Build build;
  build.why_not = sheet.refused;
  if (!build.why_not.empty()) return build;  // a layer that has changed while its kernel was being read
  build.why_not = gpu::why_no_runtime();
  if (build.why_not.empty() && sheet.architecture.empty())
    build.why_not = "no architecture that it can be compiled for";
  if (!build.why_not.empty()) {
    Build recorded = recorded_build(sheet, layer).value_or(Build{});
    recorded.why_not = build.why_not;
    return recorded;
  }
  try {
    const gpu::Compiled compiled = gpu::runtime().compile(sheet.launch.kernel, sheet.architecture, stop);
    build.registers = compiled.registers;
    build.shared_bytes = compiled.shared_bytes + sheet.launch.shared_bytes;
    build.spill_bytes = compiled.spill_bytes;
    build.occupancy = occupancy(sheet.architecture, sheet.launch.block.count(), build.registers, build.shared_bytes);
  } catch (const BadInput& error) {
    build.failed = true;
    build.messages = distinct_messages(error.what());
  } catch (const Error& error) {
    build.why_not = error.what();
  }
  return build;
}

Algorithm with_texts(const Algorithm& row, const std::map<std::string, std::string>& texts) {
  return gpu::with_programs(row, [texts](gpu::Program& program) {
    for (gpu::Step& step : program.steps)
      if (auto* launch = std::get_if<gpu::Launch>(&step)) launch->kernel.texts = texts;
  });
}

std::vector<TrialLine> errors_of_kernels(const Plan& plan, const std::string& architecture) {
  std::vector<std::pair<std::string, std::vector<std::string>>> stopped;  // by an error: entries, in the order of steps
  std::set<std::string> entries;                                          // a kernel may be launched more than once
  for (const gpu::Step& step : plan.program()->steps) {
    const auto* launch = std::get_if<gpu::Launch>(&step);
    if (launch == nullptr || !entries.insert(launch->kernel.entry).second) continue;
    try {
      gpu::runtime().compile(launch->kernel, architecture);
    } catch (const BadInput& error) {
      for (const CompilerMessage& message : distinct_messages(error.what())) {
        if (!message.error) continue;
        const std::string where = message.file + ", line " + std::to_string(message.line) + ": ";
        const std::string text = (message.line > 0 ? where : "") + message.text;
        auto found = std::ranges::find(stopped, text, &decltype(stopped)::value_type::first);
        if (found == stopped.end()) found = stopped.insert(found, {text, {}});
        found->second.push_back(launch->kernel.entry);
      }
    }
  }
  std::vector<TrialLine> lines;
  for (const auto& [text, names] : stopped)
    lines.push_back({text + "; stops " + std::to_string(names.size()) + " of " + std::to_string(entries.size()) +
                         (entries.size() == 1 ? " kernel: " : " kernels: ") + joined(names),
                     true});
  if (lines.size() > kMostErrors) {
    const std::size_t more = lines.size() - kMostErrors;
    lines.resize(kMostErrors);
    lines.push_back({"and " + std::to_string(more) + " more", true});
  }
  return lines;
}

std::vector<TrialLine> try_on_device(const KernelSheet& sheet, const std::map<std::string, std::string>& texts) {
  const Algorithm own = with_texts(sheet.plan->algorithm(), texts);
  if (const std::string why = why_not_here(own); !why.empty()) return {{"Cannot be run here: " + why, true}};
  std::vector<TrialLine> lines;
  try {
    Request request = sheet.plan->request();
    const Specimen specimen = specimen_of(request.problem);
    if (!specimen.refused.empty()) return {{specimen.refused, true}};
    const auto plan = own.plan(request);
    if (std::vector<TrialLine> errors = errors_of_kernels(*plan, architecture_here()); !errors.empty()) return errors;
    request.problem = specimen.problem;
    OracleCache oracle;
    const CheckResult result = check(own, request, 1, oracle);
    if (!result.supported) lines.push_back({result.reason, true});
    for (const Verdict& verdict : result.verdicts) lines.push_back({verdict.line(), verdict.made && !verdict.kept});

    const std::vector<Outcome> outcomes = measure_side_by_side({plan}, 1, {.repeats = 20, .cold_cache = true});
    const Outcome& outcome = outcomes.front();
    if (!outcome.refused.empty()) return lines.push_back({outcome.refused, true}), lines;
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << std::setprecision(4) << "median " << outcome.timing.median_ms()
         << " ms of a call, cold L2: " << tflops(plan->flops(), outcome.timing.median_ms()) << " TFLOPS on "
         << device(plan->request().place).facts().name;
    lines.push_back({text.str()});
  } catch (const Error& error) {
    lines.push_back({error.what(), true});
  }
  return lines;
}

}  // namespace convlens::viewer
