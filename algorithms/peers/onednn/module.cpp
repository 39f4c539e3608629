// The module convlens_onednn: what computes for the rows of peers/onednn.h. Source:
// https://github.com/oneapi-src/oneDNN (Apache-2.0).
#include "algorithms/interface/module.h"

#include <algorithm>

#include "algorithms/peers/onednn/convolution.h"

namespace convlens {

namespace {

using onednn::Convolution;

std::string version() {
  const dnnl::version_t& v = *dnnl::version();
  return std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
}

// The library states no bound for Winograd. The one here is no theorem: 512 u·max Σ|x||w|, some forty times the largest
// error that F(4×4,3×3) with points 0, ±1, ±2 shows on random data.
ErrorModel winograd_model(const ConvProblem& problem, DType dtype) {
  ErrorModel model = plain_sum_model(problem, dtype);
  const double factor = 512 * unit_roundoff(accumulator_of(dtype));
  model.worst_case = [factor](const BoundInputs& inputs, std::span<double> bound) {
    const double largest = inputs.sum_abs.empty() ? 0 : *std::ranges::max_element(inputs.sum_abs);
    std::ranges::fill(bound, factor * largest);
  };
  model.exact.made = model.likely = false;
  return model;
}

Stage opaque_stage(std::int64_t bytes) {
  Stage stage;
  stage.id = "onednn";
  stage.title = "what oneDNN keeps";
  stage.meaning = "tensors in layouts of the library's own and its scratchpad; only the bytes are known";
  stage.made_from = {kInput, kFilter};
  stage.axes = {{"i", "numbers", bytes / size_of(DType::f32), bytes / size_of(DType::f32)}};
  stage.lay_out();
  return stage;
}

Decisions decide(const Request& request, dnnl::algorithm algorithm) {
  const auto convolution = std::make_shared<const Convolution>(request, algorithm);
  const std::string implementation = convolution->implementation();
  const bool winograd = implementation.find("wino") != std::string::npos;

  Decisions d;
  d.stages = {opaque_stage(convolution->bytes())};
  d.dense_views = true;
  d.executed_flops = request.problem.flops();
  d.error_model =
      winograd ? winograd_model(request.problem, request.dtype) : plain_sum_model(request.problem, request.dtype);
  d.notes = {"library: oneDNN " + version(), "implementation: " + implementation,
             "reordered by each call: " + (convolution->reordered().empty() ? "nothing" : convolution->reordered())};
  if (winograd) d.notes.push_back("executed FLOPs: not known, given as those of the direct sum");
  const auto call = [convolution](bool reorders) {
    return [convolution, reorders](const Arguments& a, const Workspace& workspace, int threads, Stream) {
      convolution->run(a, workspace.get<std::byte>("onednn"), threads, reorders);
    };
  };
  d.execute = call(true);
  d.kernel = call(false);
  return d;
}

// Whatever the library itself refuses.
std::optional<Refusal> refuse(const std::string& id, const Request& request, dnnl::algorithm algorithm) {
  try {
    Convolution(request, algorithm);
    return std::nullopt;
  } catch (const dnnl::error& error) {
    const std::string reason = id + ": oneDNN " + version() + " has no implementation of this layer in " +
                               std::string(name(request.dtype)) + " and these layouts on this CPU";
    if (request.dtype == DType::f32) return Refusal{reason, {}};
    Request nearest = request;
    nearest.dtype = DType::f32;
    return Refusal{reason, nearest};
  }
}

Algorithm row(const std::string& id, dnnl::algorithm algorithm) {
  Algorithm row;
  row.id = id;
  row.rules = {{"", [id, algorithm](const Request& request) { return refuse(id, request, algorithm); }}};
  row.decide = [algorithm](const Request& request) { return decide(request, algorithm); };
  return row;
}

}  // namespace

}  // namespace convlens

extern "C" const convlens::ModuleExports* convlens_module() {
  using dnnl::algorithm;
  static const convlens::Algorithm direct = convlens::row("onednn.direct", algorithm::convolution_direct),
                                   winograd = convlens::row("onednn.winograd", algorithm::convolution_winograd),
                                   automatic = convlens::row("onednn.auto", algorithm::convolution_auto);
  static const convlens::Algorithm* const rows[] = {&direct, &winograd, &automatic};
  static const convlens::ModuleExports exports{.rows = rows};
  return &exports;
}
