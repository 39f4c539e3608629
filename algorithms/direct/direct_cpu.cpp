// direct.cpu: the definition, fast, on pictures in NHWC that are read where they are (others are copied to NHWC first).
//
//   y(n, o, p, q) = bias(o) + Σ_u Σ_(v,c) x(n, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left, c) · w(o, u, v, c)
//
// Windows are runs of the picture, long ones even for C_i = 3 (simd/windows_in_place.h); the micro-kernel takes a
// pointer a run. A depthwise layer, one channel a group, has nothing to sum over channels: there vectors run over the
// channels of x and w alike, and a tap is a pointer a pixel.
//
// Source: Zhang, Franchetti & Low, "High performance zero-memory overhead direct convolutions", ICML 2018,
// arXiv 1809.10170.
#include <algorithm>

#include "algorithms/direct/direct.h"
#include "algorithms/interface/tensor_maps.h"
#include "algorithms/simd/block_loop.h"
#include "algorithms/simd/picture.h"
#include "algorithms/simd/windows_in_place.h"

namespace convlens {

namespace {

Decisions decide(const Request& request) {
  const ConvProblem problem = request.problem;
  const simd::Panels panels(problem, simd::is_depthwise(problem));
  const int threads = simd::used_threads(request);
  const std::int64_t row_bytes = problem.spec().stride_h * problem.wi() * problem.ci() * size_of(request.dtype);
  const simd::Blocking blocking = simd::choose_blocking(request, row_bytes);
  const simd::Switches switches = simd::switches(request);
  const std::int64_t border_rows = blocking.images * blocking.rows;

  Decisions d;
  d.stages = simd::picture_stages(request);
  if (d.stages.empty()) d.stages = {input_stage(problem, request.dtype)};
  d.stages.push_back(panels.stage(problem, simd::kRowTapChannel));
  const std::int64_t size = size_of(request.dtype);
  d.scratch = {panels.bias_buffer(),
               {"zeros", simd::WindowsInPlace::zeros_length(problem) * size},
               {"border", simd::WindowsInPlace::border_length(problem, threads, border_rows) * size}};
  d.executed_flops = panels.executed_flops(problem);
  d.error_model = plain_sum_model(problem, request.dtype);
  d.notes = {"instructions: " + simd::instruction_set()};
  if (panels.depthwise()) d.notes.push_back("depthwise: vectors run over channels");
  simd::set_calls(d, [=](const Arguments& a, const Workspace& workspace, bool packed_already) {
    const simd::Picture picture(request, a.x, workspace, packed_already);
    float* const packed = workspace.get<float>("panels");
    float* const zeros = workspace.get<float>("zeros");
    if (!packed_already) {
      std::fill_n(zeros, simd::WindowsInPlace::zeros_length(problem), 0.0f);
      panels.pack(problem, a.w.as<float>(), a.bias.as<float>(), simd::kRowTapChannel, packed, threads);
    }
    const simd::WindowsInPlace windows{problem, picture.view(), zeros, workspace.get<float>("border"), border_rows};
    simd::BlockLoop{problem, panels, packed, a.y.as<float>(), blocking, switches, threads}.run(windows);
  });
  return d;
}

}  // namespace

const Algorithm& direct_cpu() {
  static const Algorithm row{
      .id = "direct.cpu",
      .family = "direct",
      .unit = Unit::cpu,
      .title = "Direct, fast",
      .sentence = "Reads NHWC pictures where they are, a pointer a filter row, into a register tile.",
      .source = "Zhang, Franchetti & Low 2018, arXiv 1809.10170",
      .options = simd::loop_options(),
      .rules = {simd::f32_only()},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens
