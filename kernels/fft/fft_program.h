// The steps of fft.cc and fft.tc: transforms, product and inverse transforms, a chunk of images at a time.
#pragma once

#include <vector>

#include "algorithms/interface/plan.h"
#include "kernels/fft/fft_spectra.h"
#include "kernels/program.h"

namespace convlens::gpu {

// `images`: how many are in the workspace at a time.
std::vector<Step> fft_steps(const Request& request, const Spectra& spectra, std::int64_t images);

// What the steps need beside the stages' buffers.
std::vector<Buffer> fft_scratch(const Request& request, const Spectra& spectra, std::int64_t images);

}  // namespace convlens::gpu
