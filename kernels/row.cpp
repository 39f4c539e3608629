#include "kernels/row.h"

#include <algorithm>
#include <limits>

#include "algorithms/error.h"
#include "kernels/runtime.h"

namespace convlens::gpu {

namespace {

constexpr std::int64_t kMostInt = std::numeric_limits<int>::max();
constexpr std::int64_t kMostY = 65535;  // of a grid's y and z; CUDA C++ Programming Guide, technical specifications

void check_launch_limits(const Program& program) {
  for (const Step& step : program.steps)
    if (const auto* launch = std::get_if<Launch>(&step)) {
      const auto& [x, y, z] = launch->grid;
      if (x > kMostInt || y > kMostY || z > kMostY)
        throw Unsupported("grid of " + launch->kernel.entry + ": " + std::to_string(x) + " x " + std::to_string(y) +
                          " x " + std::to_string(z) + ", must be ≤ 2147483647 x 65535 x 65535");
    }
}

}  // namespace

Decisions decisions(Program program) {
  check_launch_limits(program);
  program.id = new_program_id();  // it may be a changed copy of another
  Decisions d;
  d.dense_views = true;
  const auto shared = std::make_shared<const Program>(std::move(program));
  d.program = shared;
  d.execute = [shared](const Arguments& arguments, const Workspace& workspace, int, Stream stream) {
    runtime().execute(shared, arguments, workspace, stream);
  };
  return d;
}

Algorithm with_programs(const Algorithm& row, std::function<void(Program&)> change) {
  Algorithm own = row;
  own.decide = [decide = row.decide, change = std::move(change)](const Request& request) {
    Decisions d = decide(request);
    Program program = *d.program;
    change(program);
    Decisions changed = decisions(std::move(program));
    d.program = changed.program;
    d.execute = changed.execute;
    d.kernel = nullptr;
    return d;
  };
  return own;
}

Option sizes_option() {
  return {"sizes",
          "Sizes",
          "Compile the layer's sizes in as constants, or hand them over when the kernel is launched.",
          {"constant", "runtime"},
          "constant",
          true};
}

bool sizes_at_run_time(const Request& request) { return request.options.is("sizes", "runtime"); }

Kernel kernel(const Request& request, std::string file, std::string entry, std::vector<Constant> constants) {
  constants.insert(constants.begin(), {Constant("dtype", request.dtype), Constant("x_layout", request.layouts.x),
                                       Constant("w_layout", request.layouts.w), Constant("y_layout", request.layouts.y),
                                       Constant("has_bias", request.problem.bias())});
  return {std::move(file), std::move(entry), std::move(constants), layer_sizes(request), sizes_at_run_time(request)};
}

Rule f32_only() {
  return {"f32", [](const Request& request) -> std::optional<Refusal> {
            if (request.dtype == DType::f32) return std::nullopt;
            Request nearest = request;
            nearest.dtype = DType::f32;
            return Refusal{"dtype: " + std::string(name(request.dtype)) + ", must be f32 on CUDA cores", nearest};
          }};
}

Rule f16_or_bf16() {
  return {
      "f16, bf16", [](const Request& request) -> std::optional<Refusal> {
        if (request.dtype == DType::f16 || request.dtype == DType::bf16) return std::nullopt;
        Request nearest = request;
        nearest.dtype = DType::f16;
        return Refusal{"dtype: " + std::string(name(request.dtype)) + ", must be f16 or bf16 on tensor cores", nearest};
      }};
}

std::string why_not_counted(const std::string& name, std::int64_t count, const std::string& of_what) {
  if (count <= kMostCounted) return "";
  return name + ": " + std::to_string(count) + (of_what.empty() ? "" : " " + of_what) + ", must be ≤ " +
         std::to_string(kMostCounted) + " in a kernel";
}

void check_counted(const std::string& name, std::int64_t count, const std::string& of_what) {
  if (const std::string why = why_not_counted(name, count, of_what); !why.empty()) throw Unsupported(why);
}

Rule int_offsets() {
  return {"sizes, strides and w " + kUpToMostCounted, [](const Request& request) -> std::optional<Refusal> {
            for (const Size& size : layer_sizes(request))
              if (std::string why = why_not_counted(size.name, size.value); !why.empty())
                return Refusal{std::move(why), {}};
            std::string why = why_not_counted("w", elements(request.problem.w_shape()), "elements");
            return why.empty() ? std::nullopt : std::optional(Refusal{std::move(why), {}});
          }};
}

}  // namespace convlens::gpu
