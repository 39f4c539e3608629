// Direct convolution: the definition, computed where the data lies.
#pragma once

#include "algorithms/interface/algorithm.h"

namespace convlens {

const Algorithm& direct_ref();
const Algorithm& direct_cpu();

}  // namespace convlens
