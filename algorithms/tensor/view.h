// Views: a pointer, a shape and strides. They own nothing and cost nothing to copy.
//
// View<T> is typed and is what kernels index. TensorView and ConstTensorView know their element type only at
// run time and are what plans are called with. Strides are free: transposed, reversed (negative strides),
// broadcast (zero strides) and cropped tensors are all legal inputs.
#pragma once

#include <cassert>
#include <cstdint>

#include "algorithms/tensor/dtype.h"
#include "algorithms/tensor/layout.h"
#include "algorithms/tensor/place.h"

namespace convlens {

template <class T>
struct View {
  T* data = nullptr;
  Shape shape{};
  Strides strides{};

  T& operator()(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    return data[n * strides[0] + c * strides[1] + h * strides[2] + w * strides[3]];
  }

  // The element, or the zero of the padding when (h, w) lies outside the image.
  auto padded(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    using Sum = Accumulator<std::remove_const_t<T>>;
    const bool inside = h >= 0 && h < shape[2] && w >= 0 && w < shape[3];
    return inside ? static_cast<Sum>((*this)(n, c, h, w)) : Sum{0};
  }
};

struct ConstTensorView {
  const void* data = nullptr;
  DType dtype = DType::f32;
  Shape shape{};
  Strides strides{};
  Place place{};

  template <class T>
  View<const T> as() const {
    assert(kDTypeOf<T> == dtype);
    return {static_cast<const T*>(data), shape, strides};
  }
};

struct TensorView {
  void* data = nullptr;
  DType dtype = DType::f32;
  Shape shape{};
  Strides strides{};
  Place place{};

  operator ConstTensorView() const { return {data, dtype, shape, strides, place}; }

  template <class T>
  View<T> as() const {
    assert(kDTypeOf<T> == dtype);
    return {static_cast<T*>(data), shape, strides};
  }
};

// One value an output channel, or nothing: a view without data reads as zero.
template <class T>
struct Bias {
  const T* data = nullptr;
  std::int64_t stride = 1;

  Accumulator<T> operator[](std::int64_t channel) const {
    return data == nullptr ? Accumulator<T>{0} : static_cast<Accumulator<T>>(data[channel * stride]);
  }
};

struct BiasView {
  const void* data = nullptr;
  DType dtype = DType::f32;
  std::int64_t size = 0;
  std::int64_t stride = 1;
  Place place{};

  template <class T>
  Bias<T> as() const {
    assert(data == nullptr || kDTypeOf<T> == dtype);
    return {static_cast<const T*>(data), stride};
  }
};

}  // namespace convlens
