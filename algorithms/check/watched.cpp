#include "algorithms/check/watched.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace convlens {

namespace {

constexpr std::int64_t kMargin = 256;  // bytes on either side; a multiple of the alignment
constexpr std::byte kGarbage{0xff};

bool is_garbage(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == kGarbage; });
}

// Where the first element lies, counted from the lowest address: not there when an axis runs backwards.
std::int64_t first_element(const Shape& shape, const Strides& strides) {
  std::int64_t first = 0;
  for (std::size_t axis = 0; axis < 4; ++axis)
    if (strides[axis] < 0 && shape[axis] > 0) first -= strides[axis] * (shape[axis] - 1);
  return first;
}

}  // namespace

WatchedMemory::WatchedMemory(std::int64_t bytes, Place place) : buffer_(place, bytes + 2 * kMargin) {
  buffer_.set(kGarbage);
}

std::span<std::byte> WatchedMemory::all() const { return buffer_.span(); }
std::span<std::byte> WatchedMemory::inside() const {
  return all().subspan(kMargin, static_cast<std::size_t>(buffer_.bytes() - 2 * kMargin));
}
bool WatchedMemory::margins_untouched() const {
  std::array<std::byte, kMargin> before, after;
  buffer_.read(0, before);
  buffer_.read(buffer_.bytes() - kMargin, after);
  return is_garbage(before) && is_garbage(after);
}

Shape WatchedTensor::outer(const Shape& shape, Spacing spacing) {
  if (spacing == Spacing::dense) return shape;
  return {shape[0], shape[1] + 1, shape[2] + 1, shape[3] + 2};
}

WatchedTensor::WatchedTensor(DType dtype, const Shape& shape, const Strides& strides, Spacing spacing)
    : memory_(elements(outer(shape, spacing)) * size_of(dtype)), view_{nullptr, dtype, shape, strides, Place{}} {
  if (spacing == Spacing::odd) view_.strides[3] = -view_.strides[3];
  view_.data = memory_.inside().data() + first_element(shape, view_.strides) * size_of(dtype);
}

bool WatchedTensor::unchanged() const { return std::ranges::equal(memory_.all(), remembered_); }

bool WatchedTensor::surroundings_untouched() const {
  std::vector<std::byte> bytes(memory_.all().begin(), memory_.all().end());
  std::byte* const first = bytes.data() + (static_cast<const std::byte*>(view_.data) - memory_.all().data());
  const auto [n_end, c_end, h_end, w_end] = view_.shape;
  const Strides& stride = view_.strides;
  const std::int64_t size = size_of(view_.dtype);
  for (std::int64_t n = 0; n < n_end; ++n)
    for (std::int64_t c = 0; c < c_end; ++c)
      for (std::int64_t h = 0; h < h_end; ++h)
        for (std::int64_t w = 0; w < w_end; ++w)
          std::fill_n(first + (n * stride[0] + c * stride[1] + h * stride[2] + w * stride[3]) * size, size, kGarbage);
  return is_garbage(bytes);
}

}  // namespace convlens
