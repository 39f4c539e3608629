// A tensor that owns its elements, in host memory, and conversions between element types and layouts.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "algorithms/tensor/view.h"

namespace convlens {

// Memory is aligned to 64 bytes (a cache line, an AVX-512 register) and not initialised.
// Throws Unsupported, naming the bytes asked for, when the system has no more memory.
class HostBuffer {
 public:
  HostBuffer() = default;
  explicit HostBuffer(std::int64_t bytes);

  std::byte* data() const { return data_.get(); }
  std::int64_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::int64_t bytes_ = 0;
};

class Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, Layout layout, const Shape& shape);
  Tensor(DType dtype, FilterLayout layout, const Shape& shape);

  DType dtype() const { return view_.dtype; }
  const Shape& shape() const { return view_.shape; }
  std::int64_t bytes() const { return buffer_.bytes(); }
  std::int64_t size() const { return elements(view_.shape); }

  TensorView view() { return view_; }
  ConstTensorView view() const { return view_; }
  template <class T>
  View<T> as() {
    return view_.as<T>();
  }
  template <class T>
  View<const T> as() const {
    return view().template as<T>();
  }

 private:
  Tensor(DType dtype, const Shape& shape, const Strides& strides);

  HostBuffer buffer_;
  TensorView view_;
};

// Copies element by element, converting the type (one rounding, to nearest even) and the layout.
// Both views must be on the host and have the same shape; throws BadInput otherwise.
void convert(const ConstTensorView& from, const TensorView& to);

// A dense copy of `from` with another element type and layout.
Tensor converted(const ConstTensorView& from, DType dtype, Layout layout);
Tensor converted(const ConstTensorView& from, DType dtype, FilterLayout layout);

// Sets every element to value(n, c, h, w), rounded once to the view's type.
using Filler = std::function<double(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>;
void fill(const TensorView& view, const Filler& value);

// One element as a double, whatever the type. For tests and displays, not for loops that must be fast.
double element(const ConstTensorView& view, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w);

}  // namespace convlens
