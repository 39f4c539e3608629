// Memory that is watched: it starts out, and is surrounded by margins, as bytes of 0xFF, which are NaN in every element
// type. So what is read before it is written, or just outside, shows in the result; what is written outside is found.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/measure/placed_buffer.h"

namespace convlens {

class WatchedMemory {
 public:
  explicit WatchedMemory(std::int64_t bytes, Place place = {});

  std::span<std::byte> inside() const;  // aligned to 64 bytes
  std::span<std::byte> all() const;     // with the margins
  bool margins_untouched() const;

 private:
  PlacedBuffer buffer_;
};

// How the elements of a view lie in memory.
enum class Spacing : std::uint8_t {
  dense,  // as the layout says, without gaps
  odd,    // with gaps after every row, plane and channel, and w running backwards
};

class WatchedTensor {
 public:
  WatchedTensor(DType dtype, Layout layout, const Shape& shape, Spacing spacing)
      : WatchedTensor(dtype, shape, dense_strides(layout, outer(shape, spacing)), spacing) {}
  WatchedTensor(DType dtype, FilterLayout layout, const Shape& shape, Spacing spacing)
      : WatchedTensor(dtype, shape, dense_strides(layout, outer(shape, spacing)), spacing) {}

  TensorView view() const { return view_; }
  std::span<std::byte> memory() const { return memory_.all(); }  // with all that surrounds the elements

  // For a tensor that must only be read: whether it still holds what it held when `remember` was called.
  void remember() { remembered_.assign(memory_.all().begin(), memory_.all().end()); }
  bool unchanged() const;

  // For one that is written: whether all that is no element of the view is still 0xFF.
  bool surroundings_untouched() const;

 private:
  WatchedTensor(DType dtype, const Shape& shape, const Strides& strides, Spacing spacing);
  static Shape outer(const Shape& shape, Spacing spacing);

  WatchedMemory memory_;
  TensorView view_;
  std::vector<std::byte> remembered_;
};

}  // namespace convlens
