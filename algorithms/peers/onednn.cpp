#include "algorithms/peers/onednn.h"

#include "algorithms/interface/module.h"

namespace convlens {

namespace {

const Module& library() { return module("onednn"); }

std::string missing() { return library().found ? library().missing : "built without oneDNN: " + library().missing; }

std::optional<Refusal> refuse_f64(const Request& request) {
  if (request.dtype != DType::f64) return std::nullopt;
  Request nearest = request;
  nearest.dtype = DType::f32;
  return Refusal{"dtype: f64, oneDNN computes f32, and f16 or bf16 where the CPU does", nearest};
}

// The limits that oneDNN's developer guide states for Winograd on CPUs.
std::optional<Refusal> refuse_other_than_3x3(const Request& request) {
  ConvSpec spec = request.problem.spec();
  if (spec.hf == 3 && spec.wf == 3 && spec.stride_h == 1 && spec.stride_w == 1 && spec.dilation_h == 1 &&
      spec.dilation_w == 1)
    return std::nullopt;
  const auto pair = [](std::int64_t h, std::int64_t w) { return std::to_string(h) + "x" + std::to_string(w); };
  const std::string reason = "onednn.winograd needs a 3x3 filter, stride 1 and dilation 1, got " +
                             pair(spec.hf, spec.wf) + ", stride " + pair(spec.stride_h, spec.stride_w) +
                             " and dilation " + pair(spec.dilation_h, spec.dilation_w);
  spec.hf = spec.wf = 3;
  spec.stride_h = spec.stride_w = spec.dilation_h = spec.dilation_w = 1;
  if (!broken_rules(spec).empty()) return Refusal{reason, {}};
  Request nearest = request;
  nearest.problem = ConvProblem(spec);
  return Refusal{reason, nearest};
}

Algorithm row(const std::string& name, const std::string& title, const std::string& sentence) {
  Algorithm row;
  row.id = "onednn." + name;
  row.family = "onednn";
  row.title = title;
  row.sentence = sentence;
  row.source = "https://github.com/oneapi-src/oneDNN";
  row.options = {{"format",
                  "Format",
                  "Hand x and y over in their own layout, or reordered into the blocked layout that oneDNN prefers.",
                  {"plain", "blocked"},
                  "plain"}};
  row.rules = {{"no f64", refuse_f64}};
  if (name == "winograd") row.rules.push_back({"3×3 filter, stride 1, dilation 1", refuse_other_than_3x3});
  row.rules.push_back({"what the library implements", [id = row.id](const Request& request) {
                         return library().row(id).rules.front().refuse(request);
                       }});
  row.decide = [id = row.id](const Request& request) { return library().row(id).decide(request); };
  row.missing = missing;
  row.vendor = true;
  return row;
}

}  // namespace

const Algorithm& onednn_direct() {
  static const Algorithm direct =
      row("direct", "oneDNN, direct",
          "Intel's library by its direct algorithm; how is its own affair, only the bytes are known.");
  return direct;
}

const Algorithm& onednn_winograd() {
  static const Algorithm winograd =
      row("winograd", "oneDNN, Winograd", "Intel's library by its Winograd algorithm, where it has one for the layer.");
  return winograd;
}

const Algorithm& onednn_auto() {
  static const Algorithm automatic =
      row("auto", "oneDNN, its own choice", "Intel's library by whichever algorithm it chooses.");
  return automatic;
}

}  // namespace convlens
