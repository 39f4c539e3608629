// The convolution of oneDNN behind the two versions of its interface.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "algorithms/interface/request.h"

namespace convlens::onednn {

// What is asked of the library: which algorithm, and whether it may choose its own blocked layout for x and y.
struct Choice {
  dnnl::algorithm algorithm = dnnl::algorithm::convolution_auto;
  bool blocked = false;
};

// Throws dnnl::error when the library has no implementation.
dnnl::convolution_forward::primitive_desc describe(const Request& request, const Choice& choice, const dnnl::engine& engine);

// x, w and y as the request declares them, and the bias.
dnnl::memory::desc plain_x(const Request& request);
dnnl::memory::desc plain_w(const Request& request);
dnnl::memory::desc plain_y(const Request& request);
dnnl::memory::desc plain_bias(const Request& request);

}  // namespace convlens::onednn
