#include "kernels/rows.h"

#include <array>

#include "algorithms/interface/registry.h"
#include "algorithms/measure/device.h"
#include "kernels/direct/direct.h"
#include "kernels/fft/fft.h"
#include "kernels/im2col/im2col.h"
#include "kernels/im2win/im2win.h"
#include "kernels/runtime.h"
#include "kernels/vendor/cudnn.h"
#include "kernels/winograd/winograd.h"

namespace convlens::gpu {

void add_rows() {
  // One line an algorithm.
  static const std::array rows{
      &direct_cc(), &direct_tc(), &im2col_cc(),   &implicit_gemm_cc(), &implicit_gemm_tc(),
      &im2win_cc(), &im2win_tc(), &winograd_cc(), &fft_cc(),
  };
  add_algorithms(rows);
  add_algorithms(cudnn_rows());
  provide_devices([]() -> FoundDevices {
    if (const std::string why = why_no_runtime(); !why.empty()) return {{}, why};
    return {runtime().devices(), runtime().why_no_device()};
  });
}

}  // namespace convlens::gpu
