#include "kernels/vendor/cudnn_rules.h"

#include <algorithm>
#include <string>

#include "kernels/row.h"

namespace convlens::gpu {

namespace {

Request with(Request request, const ConvSpec& spec) {
  request.problem = ConvProblem(spec);
  return request;
}

std::string pair(std::int64_t h, std::int64_t w) { return std::to_string(h) + "x" + std::to_string(w); }

std::optional<Refusal> needs_a_type(const Request& request) {
  if (request.dtype != DType::f64) return std::nullopt;
  Request nearest = request;
  nearest.dtype = DType::f32;
  return Refusal{"dtype: f64, must be f32, f16 or bf16 for cuDNN", nearest};
}

std::optional<Refusal> needs_one_order(const Request& request) {
  const bool channels_last = request.layouts.x == Layout::NHWC;
  const Layouts wanted = channels_last ? Layouts{Layout::NHWC, FilterLayout::OHWI, Layout::NHWC} : Layouts{};
  if (request.layouts == wanted) return std::nullopt;
  Request nearest = request;
  nearest.layouts = wanted;
  return Refusal{"layout: " + std::string(name(request.layouts.x)) + "," + std::string(name(request.layouts.w)) + "," +
                     std::string(name(request.layouts.y)) + ", must be NCHW,OIHW,NCHW or NHWC,OHWI,NHWC for cuDNN",
                 nearest};
}

std::optional<Refusal> needs_symmetric_padding(const Request& request) {
  ConvSpec s = request.problem.spec();
  if (s.pad_top == s.pad_bottom && s.pad_left == s.pad_right) return std::nullopt;
  const std::string reason = "padding: top " + std::to_string(s.pad_top) + ", bottom " + std::to_string(s.pad_bottom) +
                             ", left " + std::to_string(s.pad_left) + ", right " + std::to_string(s.pad_right) +
                             ", must be the same on opposite sides in cuDNN's legacy interface";
  s.pad_top = s.pad_bottom = std::max(s.pad_top, s.pad_bottom);
  s.pad_left = s.pad_right = std::max(s.pad_left, s.pad_right);
  return Refusal{reason, with(request, s)};
}

std::optional<Refusal> needs_no_bias(const Request& request) {
  ConvSpec s = request.problem.spec();
  if (!s.bias) return std::nullopt;
  s.bias = false;
  return Refusal{"bias: given, must be left out: cudnnConvolutionForward adds none before it rounds", with(request, s)};
}

}  // namespace

std::vector<Rule> cudnn_rules() {
  return {{"f32, f16 or bf16", needs_a_type}, {"all NCHW or all NHWC", needs_one_order}, int_offsets()};
}

std::vector<Rule> cudnn_legacy_rules() {
  std::vector<Rule> rules = cudnn_rules();
  rules.push_back({"the same padding on opposite sides", needs_symmetric_padding});
  rules.push_back({"no bias", needs_no_bias});
  return rules;
}

std::vector<Rule> cudnn_winograd_rules(std::int64_t most_taps) {
  const std::string filters = most_taps == 3 ? "3x3" : "3x3 or 5x5";
  const auto needs_filter = [=](const Request& request) -> std::optional<Refusal> {
    const ConvSpec& s = request.problem.spec();
    if (s.hf == s.wf && (s.hf == 3 || s.hf == most_taps)) return std::nullopt;
    return Refusal{"filter: " + pair(s.hf, s.wf) + ", must be " + filters + " for cuDNN's Winograd", {}};
  };
  const auto needs_unit_steps = [](const Request& request) -> std::optional<Refusal> {
    ConvSpec s = request.problem.spec();
    if (s.stride_h == 1 && s.stride_w == 1 && s.dilation_h == 1 && s.dilation_w == 1) return std::nullopt;
    const std::string reason = "stride " + pair(s.stride_h, s.stride_w) + " and dilation " +
                               pair(s.dilation_h, s.dilation_w) + ", must be 1 for cuDNN's Winograd";
    s.stride_h = s.stride_w = s.dilation_h = s.dilation_w = 1;
    return Refusal{reason, with(request, s)};
  };
  return {{"filter " + filters, needs_filter}, {"stride and dilation 1", needs_unit_steps}};
}

}  // namespace convlens::gpu
