// The products of spectra: complex ones on CUDA cores, real ones on tensor cores (fft_store.cuh has their matrices).
#pragma once

#include <vector>

#include "kernels/fft/fft_spectra.h"
#include "kernels/program.h"

namespace convlens::gpu {

// The steps that multiply the spectra of `count` images from `first` on, by the option gemm; `images` are in the
// workspace at a time.
std::vector<Step> product_steps(const Request& request, const Spectra& spectra, std::int64_t images, std::int64_t first,
                                std::int64_t count);

}  // namespace convlens::gpu
