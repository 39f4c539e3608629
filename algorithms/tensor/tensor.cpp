#include "algorithms/tensor/tensor.h"

#include <new>
#include <string>

#include "algorithms/error.h"

namespace convlens {

namespace {
constexpr std::align_val_t kAlignment{64};

// Fewer elements than this are done sooner by one thread than shared out.
constexpr std::int64_t kWorthThreads = std::int64_t{1} << 16;

// Calls body(n, c, h, w) for every coordinate, rows shared out between threads.
template <class Body>
void for_each_coordinate(const Shape& shape, Body&& body) {
#pragma omp parallel for collapse(3) if (elements(shape) > kWorthThreads)
  for (std::int64_t n = 0; n < shape[0]; ++n)
    for (std::int64_t c = 0; c < shape[1]; ++c)
      for (std::int64_t h = 0; h < shape[2]; ++h)
        for (std::int64_t w = 0; w < shape[3]; ++w) body(n, c, h, w);
}

// A value of a wider type goes to a narrower one by a single rounding.
template <class To, class From>
To cast(From value) {
  if constexpr (std::is_same_v<From, double>)
    return static_cast<To>(value);
  else
    return static_cast<To>(static_cast<float>(value));
}
}  // namespace

HostBuffer::HostBuffer(std::int64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  data_.reset(static_cast<std::byte*>(::operator new(static_cast<std::size_t>(bytes), kAlignment, std::nothrow)));
  if (data_ == nullptr)
    throw Unsupported("memory: " + std::to_string(bytes) + " bytes asked for, more than the host has");
}

void HostBuffer::Free::operator()(std::byte* data) const { ::operator delete(data, kAlignment); }

Tensor::Tensor(DType dtype, const Shape& shape, const Strides& strides)
    : buffer_(elements(shape) * size_of(dtype)), view_{buffer_.data(), dtype, shape, strides, Place{}} {}
Tensor::Tensor(DType dtype, Layout layout, const Shape& shape) : Tensor(dtype, shape, dense_strides(layout, shape)) {}
Tensor::Tensor(DType dtype, FilterLayout layout, const Shape& shape)
    : Tensor(dtype, shape, dense_strides(layout, shape)) {}

void convert(const ConstTensorView& from, const TensorView& to) {
  if (from.shape != to.shape) throw BadInput("shape: source and destination of a conversion differ, must be equal");
  if (from.place != Place{} || to.place != Place{})
    throw BadInput("place: a conversion runs on the host, both views must be there");
  visit(from.dtype, [&]<class From>() {
    visit(to.dtype, [&]<class To>() {
      const auto source = from.as<From>();
      const auto target = to.as<To>();
      for_each_coordinate(from.shape,
                          [&](auto n, auto c, auto h, auto w) { target(n, c, h, w) = cast<To>(source(n, c, h, w)); });
    });
  });
}

Tensor converted(const ConstTensorView& from, DType dtype, Layout layout) {
  Tensor result(dtype, layout, from.shape);
  convert(from, result.view());
  return result;
}

Tensor converted(const ConstTensorView& from, DType dtype, FilterLayout layout) {
  Tensor result(dtype, layout, from.shape);
  convert(from, result.view());
  return result;
}

void fill(const TensorView& view, const Filler& value) {
  visit(view.dtype, [&]<class T>() {
    const auto target = view.as<T>();
    for_each_coordinate(view.shape,
                        [&](auto n, auto c, auto h, auto w) { target(n, c, h, w) = cast<T>(value(n, c, h, w)); });
  });
}

double element(const ConstTensorView& view, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return visit(view.dtype, [&]<class T>() -> double { return view.as<T>()(n, c, h, w); });
}

}  // namespace convlens
