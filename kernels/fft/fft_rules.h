// Which layers fft.cc and fft.tc compute.
#pragma once

#include <vector>

#include "algorithms/interface/algorithm.h"

namespace convlens::gpu {

// `dtype` is the row's rule for the type of the tensors; others may rely on it.
std::vector<Rule> fft_rules(const Rule& dtype);

}  // namespace convlens::gpu
