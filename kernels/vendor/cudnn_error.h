// What is asked of cuDNN's rounding. NVIDIA promises nothing in numbers; these are the bounds of the methods that it
// names, and the check reports how much of them is used.
#pragma once

#include "algorithms/interface/error_model.h"
#include "algorithms/interface/request.h"
#include "kernels/runtime.h"

namespace convlens::gpu {

// `whole_image`: an FFT of the whole padded image, otherwise of tiles of 32×32.
ErrorModel cudnn_error_model(const Request& request, VendorAnswer::Method method, bool whole_image);

}  // namespace convlens::gpu
