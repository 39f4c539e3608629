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
  const ConvProblem& problem = request.problem;
  const simd::Panels panels(problem, simd::kRowTapChannel, simd::is_depthwise(problem));
  const std::int64_t size = size_of(request.dtype);
  const simd::LoopPlan loop(request, panels, simd::picture_row_bytes(request),
                            simd::WindowsInPlace::border_length(problem, 1, 1) * size);
  const std::int64_t border_rows = loop.blocking.images * loop.blocking.rows;

  std::vector<Stage> stages = simd::picture_stages(request);
  if (stages.empty()) stages = {input_stage(problem, request.dtype)};
  Decisions d = loop.decisions(
      stages, {{"zeros", simd::WindowsInPlace::zeros_length(problem) * size},
               {"border", simd::WindowsInPlace::border_length(problem, loop.threads, border_rows) * size}});
  if (loop.panels.depthwise()) d.notes.push_back("depthwise: vectors run over channels");
  simd::set_calls(d, [=](const Arguments& a, const Workspace& workspace, bool packed_already) {
    const simd::Picture picture(request, a.x, workspace, packed_already);
    float* const zeros = workspace.get<float>("zeros");
    if (!packed_already) std::fill_n(zeros, simd::WindowsInPlace::zeros_length(loop.problem), 0.0f);
    loop.run(a, workspace, packed_already,
             simd::WindowsInPlace{loop.problem, picture.view(), zeros, workspace.get<float>("border"), border_rows});
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
