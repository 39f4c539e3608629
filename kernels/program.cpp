#include "kernels/program.h"

#include <algorithm>
#include <atomic>
#include <iomanip>
#include <locale>
#include <sstream>

namespace convlens::gpu {

namespace {
Argument operand(Argument::Kind kind) { return {.kind = kind, .buffer = {}}; }
}  // namespace

Constant::Constant(const std::string& name, const std::vector<double>& values)
    : name(name + "[]"), type("__device__ float") {
  std::ostringstream list;
  list.imbue(std::locale::classic());
  for (const double number : values) list << std::setprecision(9) << (list.tellp() > 0 ? ", " : "") << number;
  value = "{" + list.str() + "}";
}

Constant::Constant(const std::string& name, const std::vector<std::int64_t>& values)
    : name(name + "[]"), type("__constant__ int"), value("{") {
  for (const std::int64_t number : values) value += (value.size() > 1 ? ", " : "") + std::to_string(number);
  value += "}";
}

Argument x() { return operand(Argument::Kind::x); }
Argument w() { return operand(Argument::Kind::w); }
Argument bias() { return operand(Argument::Kind::bias); }
Argument y() { return operand(Argument::Kind::y); }
Argument buffer(std::string name) { return {.kind = Argument::Kind::buffer, .buffer = std::move(name)}; }
Argument number(std::int64_t value) { return {.kind = Argument::Kind::number, .buffer = {}, .number = value}; }

std::uint64_t new_program_id() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

Argument Argument::at(std::int64_t bytes) const {
  Argument moved = *this;
  moved.offset += bytes;
  return moved;
}

Argument Argument::as(TensorMap tensor_map) const {
  Argument mapped = *this;
  mapped.map = std::move(tensor_map);
  return mapped;
}

std::vector<Size> layer_sizes(const Request& request) {
  const ConvProblem& p = request.problem;
  const ConvSpec& s = p.spec();
  std::vector<Size> sizes{
      {"n", s.n},
      {"ci", s.ci},
      {"hi", s.hi},
      {"wi", s.wi},
      {"co", s.co},
      {"hf", s.hf},
      {"wf", s.wf},
      {"ho", p.ho()},
      {"wo", p.wo()},
      {"stride_h", s.stride_h},
      {"stride_w", s.stride_w},
      {"pad_top", s.pad_top},
      {"pad_left", s.pad_left},
      {"dilation_h", s.dilation_h},
      {"dilation_w", s.dilation_w},
      {"groups", s.groups},
      {"cig", p.ci_per_group()},
      {"cog", p.co_per_group()},
  };
  const auto add_strides = [&](const std::array<const char*, 4>& names, const Strides& strides) {
    for (std::size_t axis = 0; axis < 4; ++axis) sizes.push_back({names[axis], strides[axis]});
  };
  add_strides({"x_n", "x_c", "x_h", "x_w"}, dense_strides(request.layouts.x, p.x_shape()));
  add_strides({"w_o", "w_c", "w_h", "w_w"}, dense_strides(request.layouts.w, p.w_shape()));
  add_strides({"y_n", "y_c", "y_h", "y_w"}, dense_strides(request.layouts.y, p.y_shape()));
  return sizes;
}

const Launch* main_launch(const Program& program) {
  const Launch *last = nullptr, *writes_y = nullptr;
  for (const Step& step : program.steps)
    if (const auto* launch = std::get_if<Launch>(&step)) {
      last = launch;
      if (launch->writes == "y") writes_y = launch;
    }
  return writes_y != nullptr ? writes_y : last;
}

bool calls_library(const Program& program) {
  return std::ranges::any_of(program.steps, [](const Step& step) { return !std::holds_alternative<Launch>(step); });
}

}  // namespace convlens::gpu
