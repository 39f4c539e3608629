#include "kernels/runtime/compile_apart.h"

#include <dlfcn.h>
#include <signal.h>

#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "algorithms/error.h"
#include "algorithms/worker/child.h"
#include "kernels/runtime/hexadecimal.h"

namespace convlens::gpu {

namespace {

namespace fs = std::filesystem;

// Beside this module.
std::string compiler_program() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&compiler_program), &here) == 0) return "convlens_compiler";
  return fs::path(here.dli_fname).parent_path() / "convlens_compiler";
}

[[noreturn]] void fail(const std::string& name, const worker::Child& child) {
  const auto signal = child.signal();
  if (!signal) throw Unsupported("compiler: " + child.how_it_ended());
  if (*signal == SIGXCPU)
    throw BadInput("kernel: " + name + ", the compiler took more than it may on this text, " +
                   std::to_string(kMostSeconds) + " s");
  throw BadInput("kernel: " + name + ", the compiler died (signal " + std::to_string(*signal) + ", " +
                 strsignal(*signal) + ") on this text");
}

}  // namespace

CompiledApart compile_apart(const std::string& name, const std::string& text, const std::vector<std::string>& options,
                            const std::function<bool()>& stop) {
  constexpr int kLook = 50;                                  // ms between looks at `stop`
  constexpr std::size_t kMostLine = std::size_t{512} << 20;  // bytes
  constexpr std::size_t kLines = 4;                          // of the answer
  worker::Child child({compiler_program()}, kMostLine);
  std::string question = to_hexadecimal(name) + "\n" + to_hexadecimal(text) + "\n";
  for (const std::string& option : options) question += to_hexadecimal(option) + "\n";
  child.write(question + "\n");

  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kMostWaited);
  std::vector<std::string> lines;
  while (lines.size() < kLines) {
    child.wait(kLook);
    for (std::string& line : child.read_lines()) lines.push_back(std::move(line));
    if (lines.size() < kLines && child.ended()) fail(name, child);
    if (stop && stop()) throw Unsupported("compiler: not wanted any more");
    if (std::chrono::steady_clock::now() > end)
      throw BadInput("kernel: " + name + ", the compiler took more than it may on this text, " +
                     std::to_string(kMostWaited) + " s");
  }
  CompiledApart result;
  std::from_chars(lines[0].data(), lines[0].data() + lines[0].size(), result.status);
  result.log = from_hexadecimal(lines[1]);
  result.cubin = from_hexadecimal(lines[2]);
  result.ptx = from_hexadecimal(lines[3]);
  return result;
}

}  // namespace convlens::gpu
