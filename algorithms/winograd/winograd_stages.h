// The stages of Winograd, the same for every implementation: V, U and M, in this order (winograd_map.h has their maps).
#pragma once

#include <memory>
#include <vector>

#include "algorithms/interface/stage.h"
#include "algorithms/winograd/nested.h"

namespace convlens {

// V and U hold numbers of type `stored`, M of its accumulator. All are stored whole, dense in coordinate order.
std::vector<Stage> winograd_stages(const ConvProblem& problem, DType stored,
                                   const std::shared_ptr<const Nested>& nested);

// What y is made of, as though it were one more stage, made from M.
std::shared_ptr<const AnyMap> winograd_output(const ConvProblem& problem, const std::shared_ptr<const Nested>& nested);

}  // namespace convlens
