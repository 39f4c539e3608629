// The matrix products of a GPU program, computed on the host by their definition: their strides are tested without a
// GPU.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "algorithms/interface/plan.h"
#include "kernels/program.h"

namespace convlens::testing {

// The memory of one run: the call's w and y, and a buffer for each stage, each element a float whatever its type.
struct HostMemory {
  std::vector<float> w, y;
  std::map<std::string, std::vector<float>> buffers;

  float* at(const gpu::Argument& argument, DType dtype) {
    std::vector<float>& memory = argument.kind == gpu::Argument::Kind::y   ? y
                                 : argument.kind == gpu::Argument::Kind::w ? w
                                                                           : buffers.at(argument.buffer);
    return memory.data() + argument.offset / size_of(dtype);
  }
};

inline void multiply(const gpu::Gemm& g, HostMemory& memory) {
  for (std::int64_t b = 0; b < g.batch; ++b) {
    const float *const a = memory.at(g.a, g.in) + b * g.batch_a, *const w = memory.at(g.b, g.in) + b * g.batch_b;
    float* const c = memory.at(g.c, g.out) + b * g.batch_c;
    for (std::int64_t i = 0; i < g.m; ++i)
      for (std::int64_t j = 0; j < g.n; ++j) {
        double sum = g.accumulate ? c[i * g.ldc + j] : 0;
        for (std::int64_t k = 0; k < g.k; ++k)
          sum += static_cast<double>(a[g.transpose_a ? k * g.lda + i : i * g.lda + k]) *
                 w[g.transpose_b ? j * g.ldb + k : k * g.ldb + j];
        c[i * g.ldc + j] = static_cast<float>(sum);
      }
  }
}

// Calls visit(cell) for every cell of a stage.
template <class Visit>
void for_each_cell(const Stage& stage, Visit&& visit) {
  for (std::int64_t index = 0; index < stage.cells(); ++index) {
    Coord cell{};
    std::int64_t rest = index;
    for (std::size_t axis = stage.axes.size(); axis-- > 0; rest /= stage.axes[axis].extent)
      cell[axis] = rest % stage.axes[axis].extent;
    visit(cell);
  }
}

}  // namespace convlens::testing
