#include "algorithms/simd/picture.h"

#include "algorithms/interface/tensor_maps.h"

namespace convlens::simd {

std::vector<Stage> picture_stages(const Request& request) {
  if (request.layouts.x == Layout::NHWC) return {};
  Stage stage = input_stage(request.problem, request.dtype);
  stage.id = "nhwc";
  stage.title = "input in NHWC";
  stage.meaning = "a copy of x in which the channels of a pixel are contiguous";
  stage.stored = true;
  stage.lay_out({0, 2, 3, 1});
  return {stage};
}

Picture::Picture(const Request& request, const ConstTensorView& x, const Workspace& workspace, bool copied_already) {
  TensorView dense{nullptr, x.dtype, x.shape, dense_strides(Layout::NHWC, x.shape)};
  bool is_dense = true;
  for (std::size_t axis = 0; axis < 4; ++axis)
    is_dense = is_dense && (x.shape[axis] == 1 || x.strides[axis] == dense.strides[axis]);
  if (is_dense) {
    view_ = {static_cast<const float*>(x.data), x.shape, dense.strides};
    return;
  }
  const bool own = request.layouts.x == Layout::NHWC;
  if (own) {
    copy_ = Tensor(x.dtype, Layout::NHWC, x.shape);
    dense = copy_.view();
  } else {
    dense.data = workspace.get<float>("nhwc");
  }
  if (own || !copied_already) convert(x, dense);
  view_ = ConstTensorView(dense).as<float>();
}

}  // namespace convlens::simd
