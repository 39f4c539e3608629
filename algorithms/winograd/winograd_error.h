// What Winograd promises about rounding.
#pragma once

#include <memory>

#include "algorithms/interface/error_model.h"
#include "algorithms/winograd/nested.h"

namespace convlens {

// The model of any implementation that transforms in the accumulator's type, stores U and V in `dtype`,
// multiplies and sums in the accumulator's type, and rounds once. `sums`: how many roundings an addition over channels
// is worth, more than one where it cuts off instead (tensor cores).
ErrorModel winograd_error_model(const ConvProblem& problem, DType dtype, std::shared_ptr<const Nested> nested,
                                double sums = 1);

}  // namespace convlens
