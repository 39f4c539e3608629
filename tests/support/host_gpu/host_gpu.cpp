#include "tests/support/host_gpu/host_gpu.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <regex>
#include <sstream>

#include "algorithms/error.h"
#include "algorithms/tensor/half.h"
#include "kernels/text.h"
#include "tests/support/command.h"

namespace convlens::testing {

namespace {

using gpu::Argument;

const std::string kFolder = std::string(CONVLENS_SOURCE_DIR) + "/tests/support/host_gpu";

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Runs a line of the shell; throws with what it wrote to stderr when it fails.
void run_line(const std::string& line, const std::string& errors, const std::string& what) {
  if (std::system((line + " 2> " + errors).c_str()) == 0) return;
  throw BadInput(what + ":\n" + text_of(errors));
}

// The kernel as a program of the host.
std::string host_text(gpu::Kernel kernel) {
  kernel.texts["common/copy_async.cuh"] = text_of(kFolder + "/copy_async.cuh");
  kernel.texts["common/mma.cuh"] = text_of(kFolder + "/mma.cuh");
  const std::regex dynamic(R"(extern __shared__ (?:__align__\(\d+\) )?([\w ]+) (\w+)\[\];)");
  return "#include \"device.h\"\n" +
         std::regex_replace(gpu::source(kernel), dynamic, "$1* const $2 = host_gpu::shared_memory<$1>();") +
         "void host_gpu::call_kernel(void* const* parameters, std::size_t count) {\n"
         "  call(" +
         kernel.entry + ", parameters, count);\n}\n";
}

// Programs made so far, by their texts.
class Workbench {
 public:
  std::string program(const gpu::Kernel& kernel) {
    const std::string text = host_text(kernel);
    const std::lock_guard lock(mutex_);
    if (const auto found = made_.find(text); found != made_.end()) return found->second;
    if (device_.empty()) compile("-c " + kFolder + "/device.cpp", device_ = file("device"), "device.cpp");
    const std::string path = file(kernel.entry);
    std::ofstream(path + ".cpp") << text;
    compile(path + ".cpp " + device_, path, "kernel: " + kernel.file + ", does not compile on the host");
    return made_[text] = path;
  }
  std::string file(const std::string& name) { return folder_.path() + "/" + name + "." + std::to_string(count_++); }

 private:
  static void compile(const std::string& from, const std::string& to, const std::string& what) {
    run_line("c++ -std=c++20 -O1 -w -fsanitize=address,undefined -fno-sanitize-recover=all -I" + kFolder + " -I" +
                 CONVLENS_SOURCE_DIR + " " + from + " -o " + to,
             to + ".errors", what);
  }

  TemporaryFolder folder_;
  std::mutex mutex_;
  std::string device_;
  std::map<std::string, std::string> made_;
  std::atomic<int> count_ = 0;
};

Workbench& workbench() {
  static Workbench only;
  return only;
}

struct Memory {
  std::string name;
  std::byte* data;
  std::int64_t bytes;
};

// The call's tensors and buffers.
class Memories {
 public:
  Memories(const Request& request, const Arguments& call, std::span<const Buffer> buffers,
           std::span<std::byte> workspace) {
    const auto add = [&](std::string name, const void* data, std::int64_t bytes) {
      all_.push_back({std::move(name), static_cast<std::byte*>(const_cast<void*>(data)), bytes});
    };
    add("x", call.x.data, request.x_bytes());
    add("w", call.w.data, request.w_bytes());
    add("y", call.y.data, request.y_bytes());
    if (call.bias.data != nullptr) add("bias", call.bias.data, request.bias_bytes());
    for (const Buffer& buffer : buffers) add("buffer " + buffer.name, workspace.data() + buffer.offset, buffer.bytes);
  }
  const std::vector<Memory>& all() const { return all_; }

  std::int64_t index(const Argument& argument) const {
    constexpr std::array names{"x", "w", "bias", "y"};
    const std::string name = argument.kind == Argument::Kind::buffer ? "buffer " + argument.buffer
                                                                     : names[static_cast<std::size_t>(argument.kind)];
    const auto found = std::ranges::find(all_, name, &Memory::name);
    return found == all_.end() ? -1 : found - all_.begin();
  }

 private:
  std::vector<Memory> all_;
};

void run(const gpu::Launch& launch, const Memories& memories) {
  const std::string program = workbench().program(launch.kernel), in = workbench().file("in"),
                    out = workbench().file("out");
  {
    std::ofstream file(in, std::ios::binary);
    const auto number = [&](std::int64_t value) { file.write(reinterpret_cast<const char*>(&value), sizeof value); };
    for (const gpu::Dim3& extents : {launch.grid, launch.block})
      number(extents.x), number(extents.y), number(extents.z);
    number(launch.shared_bytes);
    number(static_cast<std::int64_t>(memories.all().size()));
    number(static_cast<std::int64_t>(launch.arguments.size()));
    for (const Memory& memory : memories.all()) {
      number(memory.bytes);
      file.write(reinterpret_cast<const char*>(memory.data), memory.bytes);
    }
    for (const Argument& argument : launch.arguments) {
      const bool is_number = argument.kind == Argument::Kind::number;
      number(is_number ? -2 : memories.index(argument));
      number(is_number ? argument.number : argument.offset);
    }
    const std::vector<std::byte> sizes = gpu::sizes_parameter(launch.kernel);
    number(static_cast<std::int64_t>(sizes.size()));
    file.write(reinterpret_cast<const char*>(sizes.data()), static_cast<std::streamsize>(sizes.size()));
  }
  run_line(program + " " + in + " " + out, out + ".errors", "kernel: " + launch.kernel.file + ", on the host");
  std::ifstream file(out, std::ios::binary);
  for (const Memory& memory : memories.all()) file.read(reinterpret_cast<char*>(memory.data), memory.bytes);
  for (const std::string& used : {in, out, out + ".errors"}) std::remove(used.c_str());
}

// A matrix's element, of a type that products take; a pair of them where they are complex.
double number(const std::byte* data, DType dtype, std::int64_t index) {
  switch (dtype) {
    case DType::f16:
      return reinterpret_cast<const f16*>(data)[index];
    case DType::bf16:
      return reinterpret_cast<const bf16*>(data)[index];
    case DType::f32:
      return reinterpret_cast<const float*>(data)[index];
    case DType::f64:
      break;
  }
  return reinterpret_cast<const double*>(data)[index];
}

void put(std::byte* data, DType dtype, std::int64_t index, double value) {
  if (dtype == DType::f16) reinterpret_cast<f16*>(data)[index] = f16(static_cast<float>(value));
  if (dtype == DType::bf16) reinterpret_cast<bf16*>(data)[index] = bf16(static_cast<float>(value));
  if (dtype == DType::f32) reinterpret_cast<float*>(data)[index] = static_cast<float>(value);
  if (dtype == DType::f64) reinterpret_cast<double*>(data)[index] = value;
}

void run(const gpu::Gemm& g, const Memories& memories) {
  const auto from = [&](const Argument& argument) {
    return memories.all()[static_cast<std::size_t>(memories.index(argument))].data + argument.offset;
  };
  const std::byte *const a = from(g.a), *const b = from(g.b);
  std::byte* const c = from(g.c);
  for (std::int64_t batch = 0; batch < g.batch; ++batch)
    for (std::int64_t i = 0; i < g.m; ++i)
      for (std::int64_t j = 0; j < g.n; ++j) {
        const std::int64_t at = batch * g.batch_c + i * g.ldc + j;
        double sum = g.accumulate ? number(c, g.out, at) : 0;
        for (std::int64_t k = 0; k < g.k; ++k)
          sum += number(a, g.in, batch * g.batch_a + (g.transpose_a ? k * g.lda + i : i * g.lda + k)) *
                 number(b, g.in, batch * g.batch_b + (g.transpose_b ? j * g.ldb + k : k * g.ldb + j));
        put(c, g.out, at, sum);
      }
}

}  // namespace

std::string why_no_host_gpu() {
  if (!std::filesystem::exists(kFolder)) return "kernels on the host: " + kFolder + " is not there";
  static const bool compiler = std::system("c++ --version > /dev/null 2>&1") == 0;
  return compiler ? "" : "kernels on the host: no C++ compiler, c++";
}

std::string why_not_on_host(const gpu::Program& program) {
  for (const gpu::Step& step : program.steps) {
    const auto* const launch = std::get_if<gpu::Launch>(&step);
    if (launch == nullptr && !std::holds_alternative<gpu::Gemm>(step)) return "a library's transform or convolution";
    if (launch != nullptr && launch->kernel.architectures.most == gpu::kHopper.most)
      return launch->kernel.file + ": Hopper's own instructions";
    if (const auto* const gemm = std::get_if<gpu::Gemm>(&step); gemm != nullptr && gemm->complex)
      return "a library's product of complex matrices";
  }
  return "";
}

void run_on_host(const gpu::Program& program, const Arguments& arguments, std::span<const Buffer> buffers,
                 std::span<std::byte> workspace) {
  const Memories memories(program.request, arguments, buffers, workspace);
  for (const gpu::Step& step : program.steps) {
    if (const auto* const launch = std::get_if<gpu::Launch>(&step)) run(*launch, memories);
    if (const auto* const gemm = std::get_if<gpu::Gemm>(&step)) run(*gemm, memories);
  }
}

}  // namespace convlens::testing
