#include "tests/support/guarded_tensor.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "algorithms/tensor/rounded.h"
#include "tests/support/draw.h"

namespace convlens::testing {

namespace {

constexpr std::int64_t kGuard = 256;  // bytes on each side, a multiple of the alignment

bool untouched(const std::byte* first, const std::byte* last) {
  return std::all_of(first, last, [](std::byte b) { return b == std::byte{0xff}; });
}

void poison(const HostBuffer& memory) { std::memset(memory.data(), 0xff, static_cast<std::size_t>(memory.bytes())); }

template <class Visit>
void for_each_coordinate(const Shape& shape, Visit&& visit) {
  std::size_t k = 0;
  for (std::int64_t n = 0; n < shape[0]; ++n)
    for (std::int64_t c = 0; c < shape[1]; ++c)
      for (std::int64_t h = 0; h < shape[2]; ++h)
        for (std::int64_t w = 0; w < shape[3]; ++w) visit(k++, n, c, h, w);
}

}  // namespace

Arrangement strided(const Shape& shape, std::uint64_t seed) {
  Draw draw{seed};
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  for (std::size_t k = 3; k > 0; --k)
    std::swap(order[k], order[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(k)))]);

  Arrangement a;
  a.name = "strided#" + std::to_string(seed);
  std::int64_t step = draw(1, 3);
  for (std::size_t axis : order) {
    a.strides[axis] = step;
    step = step * std::max<std::int64_t>(shape[axis], 1) + draw(0, 4);
  }
  a.length = step;
  for (std::size_t axis = 0; axis < 4; ++axis)
    if (draw(0, 1) == 1 && shape[axis] > 0) {
      a.offset += (shape[axis] - 1) * a.strides[axis];
      a.strides[axis] = -a.strides[axis];
    }
  return a;
}

GuardedTensor::GuardedTensor(DType dtype, const Shape& shape, const Arrangement& arrangement)
    : memory_(arrangement.length * size_of(dtype) + 2 * kGuard) {
  poison();
  view_ = {memory_.data() + kGuard + arrangement.offset * size_of(dtype), dtype, shape, arrangement.strides, Place{}};
}

void GuardedTensor::poison() { testing::poison(memory_); }

void GuardedTensor::write(const std::vector<double>& values) {
  visit(view_.dtype, [&]<class T>() {
    const View<T> to = view_.as<T>();
    for_each_coordinate(view_.shape,
                        [&](auto k, auto n, auto c, auto h, auto w) { to(n, c, h, w) = static_cast<T>(values[k]); });
  });
}

std::vector<double> GuardedTensor::read() const {
  std::vector<double> values(static_cast<std::size_t>(elements(view_.shape)));
  visit(view_.dtype, [&]<class T>() {
    const View<T> from = view_.as<T>();
    for_each_coordinate(view_.shape, [&](auto k, auto n, auto c, auto h, auto w) { values[k] = from(n, c, h, w); });
  });
  return values;
}

bool GuardedTensor::surroundings_untouched() {
  visit(view_.dtype, [&]<class T>() {
    const View<T> at = view_.as<T>();
    for_each_coordinate(view_.shape, [&](auto, auto n, auto c, auto h, auto w) {
      std::memset(static_cast<void*>(&at(n, c, h, w)), 0xff, sizeof(T));
    });
  });
  return untouched(memory_.data(), memory_.data() + memory_.bytes());
}

std::vector<double> rounded_values(DType dtype, const Shape& shape, const Filler& value) {
  std::vector<double> values(static_cast<std::size_t>(elements(shape)));
  for_each_coordinate(
      shape, [&](auto k, auto n, auto c, auto h, auto w) { values[k] = convlens::rounded(dtype, value(n, c, h, w)); });
  return values;
}

double rounded(DType dtype, double value) { return convlens::rounded(dtype, value); }

GuardedWorkspace::GuardedWorkspace(std::int64_t bytes) : bytes_(bytes), memory_(bytes + 2 * kGuard) { poison(memory_); }

std::span<std::byte> GuardedWorkspace::span() const {
  return {memory_.data() + kGuard, static_cast<std::size_t>(bytes_)};
}

bool GuardedWorkspace::guards_untouched() const {
  const std::byte* const end = memory_.data() + memory_.bytes();
  return untouched(memory_.data(), memory_.data() + kGuard) && untouched(end - kGuard, end);
}

}  // namespace convlens::testing
