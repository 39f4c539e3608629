// One convolution of oneDNN, planned once and run by any number of threads at once.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <vector>

#include "algorithms/interface/plan.h"

namespace convlens::onednn {

class Convolution {
 public:
  // By `algorithm`, for the request's threads. x and y are plain, or left to the library with format=blocked; the
  // filter is always left to it. Throws dnnl::error where the library has no such convolution.
  Convolution(const Request& request, dnnl::algorithm algorithm);

  // What it needs: reordered tensors and the library's scratchpad, one behind the other.
  std::int64_t bytes() const { return bytes_; }
  std::string implementation() const { return description_.impl_info_str(); }  // "jit:avx512_core"
  std::string reordered() const;                                               // "x, w, y"

  // `memory` holds bytes(). Without `reorders`, x and w are read where a call before has put them, and y is left in
  // the library's layout. Views are dense; throws BadInput for a bias that is not.
  void run(const Arguments& arguments, std::byte* memory, int threads, bool reorders) const;

 private:
  // A tensor as the caller has it and as the library wants it. Where the two differ it has a place in the memory.
  struct Operand {
    const char* name;
    dnnl::memory::desc plain, own;
    std::int64_t offset = 0;
    dnnl::reorder reorder{};  // plain → own of what is read, own → plain of y
    bool moved() const { return plain != own; }
    dnnl::memory own_memory(std::byte* memory, void* data) const;
  };

  dnnl::convolution_forward::primitive_desc description_;
  dnnl::convolution_forward convolution_;
  Operand x_, w_, y_;
  dnnl::memory::desc bias_;
  std::int64_t scratchpad_ = 0, bytes_ = 0;
};

}  // namespace convlens::onednn
