#include "kernels/runtime/nvrtc.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <vector>

#include "algorithms/error.h"
#include "kernels/no_device.h"
#include "kernels/runtime/compile_apart.h"
#include "kernels/runtime/status.h"

namespace convlens::gpu {

namespace {

struct DestroyProgram {
  void operator()(nvrtcProgram program) const { nvrtcDestroyProgram(&program); }
};
using NvrtcProgram = std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, DestroyProgram>;

std::string compiler_name() {
  int major = 0, minor = 0;
  check(nvrtcVersion(&major, &minor), "asking for its version");
  return "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
}

// Newer ones keep a cache of their own where there is a driver. What it returns is without ptxas's report, so it is
// switched off, in those that know the option.
bool keeps_a_cache() {
  static const bool keeps = [] {
    nvrtcProgram made = nullptr;
    check(nvrtcCreateProgram(&made, "", "empty.cu", 0, nullptr, nullptr), "asking for its options");
    const NvrtcProgram program(made);
    const char* const option = "--no-cache";
    return nvrtcCompileProgram(made, 1, &option) == NVRTC_SUCCESS;
  }();
  return keeps;
}

// Throws Unsupported for an architecture that the compiler does not know; whether it knows a variant ("sm_90a") of one
// that it knows, it says itself.
void check_known(const std::string& architecture) {
  int count = 0;
  check(nvrtcGetNumSupportedArchs(&count), "asking for its architectures");
  std::vector<int> known(static_cast<std::size_t>(count));
  check(nvrtcGetSupportedArchs(known.data()), "asking for its architectures");
  std::string names;
  for (const int number : known) {
    const std::string name = "sm_" + std::to_string(number);
    if (architecture.starts_with(name) && architecture.find_first_of("0123456789", name.size()) == std::string::npos)
      return;
    names += (names.empty() ? "" : ", ") + name;
  }
  throw Unsupported("architecture: " + architecture + ", must be one that " + compiler_name() +
                    " compiles for: " + names);
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// The number before `unit`, as in "12 bytes spill stores"; the sum where it stands several times.
int number_before(std::string_view text, std::string_view unit) {
  int sum = 0;
  for (std::size_t at = text.find(unit); at != std::string_view::npos; at = text.find(unit, at + unit.size())) {
    std::size_t first = at;
    while (first > 0 && text[first - 1] >= '0' && text[first - 1] <= '9') --first;
    int value = 0;
    std::from_chars(text.data() + first, text.data() + at, value);
    sum += value;
  }
  return sum;
}

// The part of ptxas's report (--ptxas-options=-v) that is about the kernel `entry` and what it calls.
std::string_view report_of(std::string_view log, const std::string& entry) {
  constexpr std::string_view kBegin = "Compiling entry function '";
  const std::size_t first = log.find(std::string(kBegin) + entry + "'");
  if (first == std::string_view::npos) return {};
  return log.substr(first, log.find(kBegin, first + kBegin.size()) - first);
}

}  // namespace

Recipe recipe(std::string text, const std::string& architecture) {
  check_known(architecture);
  Recipe made{
      .text = std::move(text),
      .options = {"--gpu-architecture=" + architecture, "--std=c++20", "-lineinfo", "-ftz=false", "--ptxas-options=-v"},
      .compiler = compiler_name()};
  made.options.emplace_back("--device-as-default-execution-space");  // for constexpr functions without a mark
  if (keeps_a_cache()) made.options.emplace_back("--no-cache");
  for (const std::string& folder : header_folders()) made.options.push_back("--include-path=" + folder);
  return made;
}

Compiled compile_anew(const Recipe& recipe, const std::string& file, const std::function<bool()>& stop) {
  CompiledApart made = compile_apart(file, recipe.text, recipe.options, stop);
  const auto status = static_cast<nvrtcResult>(made.status);
  made.log.resize(std::min(made.log.size(), made.log.find('\0')));
  if (status == NVRTC_ERROR_COMPILATION) {
    const bool no_headers = made.log.find("could not open source file") != std::string::npos;
    throw BadInput("kernel: " + file + ", the compiler's errors:\n" + made.log +
                   (no_headers ? "NVIDIA's headers are looked for in CUDA_PATH and beside libnvrtc\n" : ""));
  }
  check(status, [&] { return "compiling " + file + " with " + recipe.options.front() + ": " + one_line(made.log); });
  made.ptx.resize(made.ptx.find_last_not_of('\0') + 1);
  const auto* const cubin = reinterpret_cast<const std::byte*>(made.cubin.data());
  return {.cubin = {cubin, cubin + made.cubin.size()}, .ptx = std::move(made.ptx), .log = std::move(made.log)};
}

void read_resources(Compiled& compiled, const Kernel& kernel) {
  if (compiled.ptx.find(".entry " + kernel.entry + "(") == std::string::npos)
    throw BadInput("kernel: " + kernel.file + ", has no function extern \"C\" __global__ " + kernel.entry);
  const std::string_view report = report_of(compiled.log, kernel.entry);
  if (report.empty()) throw Unsupported("NVRTC: does not report the registers of " + kernel.entry);
  compiled.registers = number_before(report, " registers");
  compiled.shared_bytes = number_before(report, " bytes smem");
  compiled.spill_bytes = number_before(report, " bytes spill stores") + number_before(report, " bytes spill loads");
}

std::string architecture(int major, int minor) {
  int count = 0;
  check(nvrtcGetNumSupportedArchs(&count), "asking what it compiles for");
  std::vector<int> supported(static_cast<std::size_t>(count));
  check(nvrtcGetSupportedArchs(supported.data()), "asking what it compiles for");
  const int wanted = 10 * major + minor;
  if (std::find(supported.begin(), supported.end(), wanted) == supported.end())
    throw Unsupported("compute capability: " + std::to_string(major) + "." + std::to_string(minor) + ", " +
                      compiler_name() + " compiles for sm_" + std::to_string(supported.front()) + " to sm_" +
                      std::to_string(supported.back()) + ": use a toolkit that knows this GPU");
  // From Hopper on, the instructions for its tensor cores and bulk copies are in the 'a' variant alone.
  return "sm_" + std::to_string(wanted) + (major >= 9 ? "a" : "");
}

}  // namespace convlens::gpu
