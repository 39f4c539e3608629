// The program convlens_compiler: compiles one text by NVRTC, in a process of its own, so that whatever the text makes
// of the compiler, its asker lives on. On a thread of 8 MiB NVRTC 13.0 overflows its stack at 10 000 nested
// parentheses, and at 60 000 nested lambdas it is for ever.
//
// Reads lines in hexadecimal: the text's name, the text, the options; then an empty line. Writes the status as a number
// and, in hexadecimal, the log, the machine code and the PTX. Takes no more of the machine than kMostSeconds and
// kMostBytes say, or than it was given.
#include <nvrtc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "kernels/runtime/compile_apart.h"
#include "kernels/runtime/hexadecimal.h"

namespace {

using namespace convlens::gpu;

void limit(decltype(RLIMIT_CPU) what, rlim_t most) {
  rlimit now{};
  getrlimit(what, &now);
  now = {std::min(now.rlim_cur, most), std::min(now.rlim_max, most + 1)};
  setrlimit(what, &now);
}

struct Input {
  std::string name, text;
  std::vector<std::string> options;
};

Input read_input() {
  Input input;
  std::string line;
  std::getline(std::cin, line), input.name = from_hexadecimal(line);
  std::getline(std::cin, line), input.text = from_hexadecimal(line);
  while (std::getline(std::cin, line) && !line.empty()) input.options.push_back(from_hexadecimal(line));
  return input;
}

// One of the results; empty where there is none.
template <class GetSize, class Get>
std::string result(nvrtcProgram program, GetSize get_size, Get get) {
  std::size_t size = 0;
  if (get_size(program, &size) != NVRTC_SUCCESS) return "";
  std::string bytes(size, '\0');
  return get(program, bytes.data()) == NVRTC_SUCCESS ? bytes : "";
}

}  // namespace

int main() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CPU, kMostSeconds);
  limit(RLIMIT_AS, kMostBytes);
  limit(RLIMIT_CORE, 0);
  const Input input = read_input();
  nvrtcProgram program = nullptr;
  nvrtcResult status = nvrtcCreateProgram(&program, input.text.c_str(), input.name.c_str(), 0, nullptr, nullptr);
  if (status == NVRTC_SUCCESS) {
    std::vector<const char*> options;
    for (const std::string& option : input.options) options.push_back(option.c_str());
    status = nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  }
  std::cout << static_cast<int>(status) << '\n'
            << to_hexadecimal(result(program, nvrtcGetProgramLogSize, nvrtcGetProgramLog)) << '\n'
            << to_hexadecimal(result(program, nvrtcGetCUBINSize, nvrtcGetCUBIN)) << '\n'
            << to_hexadecimal(result(program, nvrtcGetPTXSize, nvrtcGetPTX)) << std::endl;
}
