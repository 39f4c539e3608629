// The steps of fft.cc: transforms, product and inverse transforms, a chunk of images at a time.
#pragma once

#include <vector>

#include "algorithms/interface/plan.h"
#include "kernels/fft/fft_spectra.h"
#include "kernels/program.h"

namespace convlens::gpu {

struct FftProgram {
  std::vector<Step> steps;
  std::vector<Buffer> scratch;  // beside the stages' buffers
};

// `images`: how many are in the workspace at a time.
FftProgram fft_program(const Request& request, const Spectra& spectra, std::int64_t images);

}  // namespace convlens::gpu
