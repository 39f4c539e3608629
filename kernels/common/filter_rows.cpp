#include "kernels/common/filter_rows.h"

#include "kernels/common/hopper.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kElementBytes = 2, kMultiple = 8;  // of elements, 16 bytes

struct FilterRowsMap {
  std::int64_t channels = 1, cig = 1, hf = 1, wf = 1, n = 0, ho = 0, wo = 0;
  static constexpr Operand from = kFilter;

  Gathered gather(const Coord& cell) const {
    const std::int64_t t = cell[1] / channels, c = cell[1] % channels;
    if (c >= cig || t >= hf * wf) return {SourceKind::alignment_padding, {}};
    return {SourceKind::element, {cell[0], c, t / wf, t % wf}};
  }

  template <class Emit>
  void cells(Operand operand, const Coord& element, Emit&& emit) const {
    const auto [o, c, u, v, unused4, unused5] = element;
    if (operand == from) emit(Box::cell({o, (u * wf + v) * channels + c}));
  }

  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    if (gather(cell).kind == SourceKind::element) emit(Box{{0, cell[0], 0, 0}, {n, 1, ho, wo, 1, 1}});
  }
};

}  // namespace

FilterRows::FilterRows(const Request& request, std::int64_t channels)
    : channels(channels), pitch(ceil_div(request.problem.taps() * channels, kMultiple) * kMultiple) {
  const ConvProblem& p = request.problem;
  packed = request.layouts.w != FilterLayout::OHWI || pitch != p.taps() * p.ci_per_group();
}

Stage FilterRows::stage(const Request& request) const {
  const ConvProblem& p = request.problem;
  Stage stage;
  stage.id = "filter";
  stage.title = "filter rows";
  stage.meaning = "the filter with one row an output channel, the channels of a tap together, each row 16-byte aligned";
  stage.made_from = {kFilter};
  stage.axes = {{"o", "C_o", p.co(), p.co()}, {"k", "⌈H_f·W_f·C/8⌉·8", pitch, pitch}};
  stage.dtype = request.dtype;
  stage.map = erase(FilterRowsMap{channels, p.ci_per_group(), p.hf(), p.wf(), p.n(), p.ho(), p.wo()});
  stage.lay_out();
  return stage;
}

Launch FilterRows::launch(const Request& request) const {
  const std::int64_t cells = request.problem.co() * pitch;
  check_counted("filter rows", cells, "elements");
  Launch launch{
      .sentence = "packs the filter into rows",
      .kernel =
          kernel(request, "common/pack_rows.cu", "pack_rows",
                 {{"channels", static_cast<int>(channels)}, {"pitch", static_cast<int>(pitch)}, {"threads", kThreads}}),
      .grid = {ceil_div(cells, kThreads)},
      .block = {kThreads},
      .arguments = {w(), buffer("filter")},
      .writes = "filter",
  };
  launch.kernel.architectures.least = 75;
  return launch;
}

Argument FilterRows::by_taps(const Request& request, int rows) const {
  const ConvProblem& p = request.problem;
  return (packed ? buffer("filter") : w())
      .as({.dtype = request.dtype,
           .extents = {channels, p.taps(), p.co()},
           .strides = {channels * kElementBytes, pitch * kElementBytes},
           .box = {kRowElements, 1, rows}});
}

Argument FilterRows::whole(const Request& request, int rows) const {
  return (packed ? buffer("filter") : w())
      .as({.dtype = request.dtype,
           .extents = {request.problem.taps() * channels, 1, request.problem.co()},
           .strides = {pitch * kElementBytes, pitch * kElementBytes},
           .box = {kRowElements, 1, rows}});
}

}  // namespace convlens::gpu
