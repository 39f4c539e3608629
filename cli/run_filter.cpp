#include "cli/run_filter.h"

#include "algorithms/error.h"
#include "algorithms/suggest.h"

namespace convlens::cli {

namespace {

std::string shape_text(const NpyHeader& header) {
  std::string text;
  for (std::int64_t extent : header.shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

}  // namespace

RunFilter::RunFilter(const std::string& text) : name_(text), named_(find_filter(text)), path_(text) {
  if (named_ != nullptr) return;
  if (path_.extension() != ".npy") {
    std::vector<std::string> names;
    for (const NamedFilter& filter : named_filters()) names.push_back(filter.name);
    names.push_back("FILE.npy");
    throw BadInput("filter: " + text + suggestion(text, names));
  }
  name_ = path_.stem().string();
  array_ = read_npy_header(path_, "--filter");
  if (array_.shape.size() < 2 || array_.shape.size() > 4)
    throw BadInput(array_.name + ", a filter of " + std::to_string(array_.shape.size()) +
                   " axes, must have 2 (H_f, W_f), 3 (C_o, H_f, W_f) or 4 (C_o, C_i/G, H_f, W_f)");
  for (std::int64_t extent : array_.shape)
    if (extent == 0)
      throw BadInput(array_.name + ", a filter of " + shape_text(array_) + ", must have no axis of length 0");
}

void RunFilter::describe(ConvSpec& spec) const {
  if (named_ != nullptr) {
    spec.co = spec.groups = spec.ci;
    spec.hf = named_->height, spec.wf = named_->width;
    return;
  }
  const std::vector<std::int64_t>& extents = array_.shape;
  const std::int64_t channels = extents.size() == 4 ? extents[1] : 1;  // C_i/G
  if (spec.ci % channels != 0)
    throw BadInput(array_.name + ", a filter of " + shape_text(array_) + ", its second axis must divide the input's " +
                   std::to_string(spec.ci) + " channels");
  spec.groups = spec.ci / channels;
  spec.co = extents.size() == 2 ? spec.ci : extents[0];
  spec.hf = extents[extents.size() - 2], spec.wf = extents.back();
}

Tensor RunFilter::read(const ConvProblem& problem, DType dtype, FilterLayout layout) const {
  Tensor w(dtype, layout, problem.w_shape());
  if (named_ != nullptr) {
    fill(w.view(), [&](std::int64_t, std::int64_t, std::int64_t u, std::int64_t v) { return named_->tap(u, v); });
  } else if (array_.shape.size() == 2) {  // the same taps for every channel: a view that repeats them
    Tensor taps(dtype, layout, {1, 1, problem.hf(), problem.wf()});
    read_npy(path_, array_, taps.view());
    ConstTensorView repeated = taps.view();
    repeated.shape[0] = problem.co();
    repeated.strides[0] = 0;
    convert(repeated, w.view());
  } else {
    read_npy(path_, array_, w.view());
  }
  return w;
}

}  // namespace convlens::cli
