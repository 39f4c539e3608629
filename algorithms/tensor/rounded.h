// A number as a tensor of a type known at run time holds it: rounded once, to nearest, ties to even; what is too large
// is infinite.
#pragma once

#include "algorithms/tensor/dtype.h"

namespace convlens {

inline double rounded(DType dtype, double value) {
  return visit(dtype, [&]<class T>() { return static_cast<double>(static_cast<T>(value)); });
}

}  // namespace convlens
