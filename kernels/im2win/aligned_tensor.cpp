#include "kernels/im2win/aligned_tensor.h"

#include <numeric>

#include "algorithms/im2win/im2win_map.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

constexpr std::int64_t kEight = 8;  // elements in 16 bytes
constexpr int kThreads = 256;

std::int64_t round_up(std::int64_t value, std::int64_t step) { return ceil_div(value, step) * step; }

// Im2winMap, with groups and columns as this tensor has them.
struct AlignedMap {
  Im2winMap windows;
  static constexpr Operand from = kInput;

  std::int64_t channels() const { return windows.ci_per_group; }
  bool is_zero(const Coord& cell) const {
    return cell[4] >= windows.lowered.taps * channels() || cell[3] >= windows.kept.span();
  }
  Coord unaligned(const Coord& cell) const {
    const auto [n, g, m, k, r, unused] = cell;
    return {n, g * channels() + r % channels(), m, k, r / channels()};
  }
  Gathered gather(const Coord& cell) const {
    if (is_zero(cell)) return {SourceKind::alignment_padding, {}};
    return windows.gather(unaligned(cell));
  }
  template <class Emit>
  void cells(Operand operand, const Coord& element, Emit&& emit) const {
    windows.cells(operand, element, [&](const Box& box) {
      const auto [n, c, m, k, u, unused] = box.first;
      emit(Box::cell({n, c / channels(), m, k, u * channels() + c % channels()}));
    });
  }
  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    if (!is_zero(cell)) windows.outputs(unaligned(cell), emit);
  }
};

struct FilterRowsMap {
  std::int64_t column = 1, cig = 1, cog = 1, hf = 1, wf = 1, n = 0, ho = 0, wo = 0;
  static constexpr Operand from = kFilter;

  Gathered gather(const Coord& cell) const {
    const auto [g, o, k, unused3, unused4, unused5] = cell;
    const std::int64_t v = k / column, u = k % column / cig;
    if (o >= cog || v >= wf || u >= hf) return {SourceKind::alignment_padding, {}};
    return {SourceKind::element, {g * cog + o, k % column % cig, u, v}};
  }
  template <class Emit>
  void cells(Operand operand, const Coord& element, Emit&& emit) const {
    if (operand != from) return;
    const auto [o, c, u, v, unused4, unused5] = element;
    emit(Box::cell({o / cog, o % cog, v * column + u * cig + c}));
  }
  template <class Emit>
  void outputs(const Coord& cell, Emit&& emit) const {
    if (const Gathered w = gather(cell); w.kind == SourceKind::element)
      emit(Box{{0, w.at[0], 0, 0}, {n, 1, ho, wo, 1, 1}});
  }
};

Axis axis(const char* name, const char* symbol, std::int64_t extent) { return {name, symbol, extent, extent}; }

}  // namespace

AlignedTensor::AlignedTensor(const ConvProblem& p) {
  const Im2winMap map(p);
  contiguous = map.kept.dilation == 1 || map.kept.taps == 1;
  const std::int64_t step = map.kept.outputs > 1 ? map.kept.stride : kEight;  // of a single window it doesn't matter
  column = round_up(map.lowered.taps * p.ci_per_group(), contiguous ? kEight / std::gcd(step, kEight) : kEight);
  columns = round_up(map.kept.span(), kEight / std::gcd(column, kEight));
}

std::int64_t AlignedTensor::zeros(const ConvProblem& p) const {
  const Im2winMap map(p);
  const std::int64_t data = map.kept.span() * map.lowered.taps * p.ci_per_group();
  return p.n() * p.groups() * p.ho() * (columns * column - data);
}

std::int64_t AlignedTensor::filter_rows(const ConvProblem& p, int tile_m) const {
  return round_up(p.co_per_group(), tile_m);
}
std::int64_t AlignedTensor::filter_pitch(const ConvProblem& p, int tile_k) const { return round_up(window(p), tile_k); }

Kernel AlignedTensor::with_sizes(Kernel kernel, const ConvProblem& p, int tile_m, int tile_k) const {
  kernel.sizes.insert(kernel.sizes.end(), {{"column", column},
                                           {"columns", columns},
                                           {"window", window(p)},
                                           {"window_pitch", filter_pitch(p, tile_k)},
                                           {"filter_rows", filter_rows(p, tile_m)}});
  return kernel;
}

std::int64_t AlignedTensor::place(const ConvProblem& p, std::int64_t i) const {
  if (contiguous) return i;
  const std::int64_t eighths = column / kEight;
  return i / eighths * p.spec().dilation_w * eighths + i % eighths;
}

Stage AlignedTensor::tensor_stage(const Request& request) const {
  const ConvProblem& p = request.problem;
  Stage stage;
  stage.id = "im2win";
  stage.title = "im2win tensor Î, aligned";
  stage.meaning = "column k of the windows of output row m: H_f rows of x, and zeros up to where the next may begin";
  stage.made_from = {kInput};
  stage.axes = {axis("n", "N", p.n()), axis("g", "groups", p.groups()), axis("m", "H_o", p.ho()),
                axis("k", columns == Im2winMap(p).kept.span() ? "W̃" : "⌈W̃⌉", columns),
                axis("r", column == p.hf() * p.ci_per_group() ? "H_f·C" : "⌈H_f·C⌉", column)};
  stage.dtype = request.dtype;
  stage.map = erase(AlignedMap{Im2winMap(p)});
  stage.lay_out();
  return stage;
}

Launch AlignedTensor::tensor_launch(const Request& request) const {
  const ConvProblem& p = request.problem;
  const bool vector_x = request.layouts.x == Layout::NHWC && p.ci_per_group() % kEight == 0;
  Kernel texts =
      kernel(request, "im2win/im2win_tensor.cu", "im2win_tensor", {{"threads", kThreads}, {"vector_x", vector_x}});
  texts.architectures = {75};
  return {
      .sentence = "stores the im2win tensor",
      .kernel = with_sizes(std::move(texts), p, 1, 1),
      .grid = {ceil_div(tensor_stage(request).cells() / kEight, kThreads)},
      .block = {kThreads},
      .arguments = {x(), buffer("im2win")},
      .writes = "im2win",
  };
}

Stage AlignedTensor::filter_stage(const Request& request, int tile_m, int tile_k) const {
  const ConvProblem& p = request.problem;
  Stage stage;
  stage.id = "filter";
  stage.title = "filter matrix";
  stage.meaning = "an output channel's weights in the order of a window, with its zeros, up to whole tiles and slices";
  stage.made_from = {kFilter};
  stage.axes = {axis("g", "groups", p.groups()), axis("o", "⌈(C_o/groups)/M⌉·M", filter_rows(p, tile_m)),
                axis("k", "⌈K/slice⌉·slice", filter_pitch(p, tile_k))};
  stage.dtype = request.dtype;
  stage.map = erase(FilterRowsMap{column, p.ci_per_group(), p.co_per_group(), p.hf(), p.wf(), p.n(), p.ho(), p.wo()});
  stage.lay_out();
  return stage;
}

Launch AlignedTensor::filter_launch(const Request& request, int tile_m, int tile_k) const {
  Kernel texts = kernel(request, "im2win/im2win_filter.cu", "im2win_filter", {{"threads", kThreads}});
  texts.architectures = {75};
  return {
      .sentence = "orders the filter as windows are",
      .kernel = with_sizes(std::move(texts), request.problem, tile_m, tile_k),
      .grid = {ceil_div(filter_stage(request, tile_m, tile_k).cells(), kThreads)},
      .block = {kThreads},
      .arguments = {w(), buffer("filter")},
      .writes = "filter",
  };
}

}  // namespace convlens::gpu
