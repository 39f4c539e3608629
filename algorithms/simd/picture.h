// The picture that direct.cpu and implicit_gemm.cpu read in place: x itself where its channels and pixels lie densely
// in NHWC, otherwise a copy that does.
#pragma once

#include "algorithms/interface/plan.h"
#include "algorithms/tensor/tensor.h"

namespace convlens::simd {

// The copy as a stage, "nhwc"; none for an input whose layout is NHWC.
std::vector<Stage> picture_stages(const Request& request);

// x, or x copied to the workspace's "nhwc". A view declared NHWC whose strides are not is copied to memory of this
// object's own, the one thing that such a run allocates: a plan knows layouts, not strides. `copied_already` says that
// the workspace holds the copy.
class Picture {
 public:
  Picture(const Request& request, const ConstTensorView& x, const Workspace& workspace, bool copied_already = false);
  View<const float> view() const { return view_; }

 private:
  Tensor copy_;
  View<const float> view_;
};

}  // namespace convlens::simd
