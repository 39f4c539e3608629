// States of the Kernel panel, and whether their kernels can be compiled here.
#pragma once

#include "algorithms/problem/layers.h"
#include "kernels/runtime.h"
#include "tests/catch.h"
#include "tests/viewer/states.h"
#include "viewer/logic/kernel_sheet.h"

namespace convlens::testing {

// cv9 in NHWC.
inline viewer::State kernel_state(const std::string& run) {
  viewer::State state = state_of(find_layer("cv9").spec, {run});
  state.layer = "cv9";
  state.layouts = {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC};
  state.kernel.run = run;
  return state;
}
inline viewer::KernelSheet sheet_of(const viewer::State& state) {
  return viewer::kernel_sheet(state, ConvProblem(state.spec));
}

inline bool has_compiler() {
  if (gpu::why_no_runtime().empty()) return true;
  WARN("SKIP: " << gpu::why_no_runtime());
  return false;
}

}  // namespace convlens::testing
