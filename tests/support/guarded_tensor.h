// A tensor that lies somewhere in memory that is otherwise full of 0xFF bytes, which are NaN in every element
// type: a read beside the tensor spoils the result, and a write beside it can be seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/tensor/tensor.h"

namespace convlens::testing {

// Where the elements lie, counted in elements from the start of the memory.
struct Arrangement {
  std::int64_t offset = 0;  // of element (0, 0, 0, 0)
  std::int64_t length = 0;
  Strides strides{};
  std::string name;  // "NHWC"
};

template <class AnyLayout>
Arrangement dense(AnyLayout layout, const Shape& shape) {
  return {0, elements(shape), dense_strides(layout, shape), std::string(convlens::name(layout))};
}

// What numpy's slicing and transposing can make of an array: axes in any order, some reversed, with gaps
// between elements, all drawn at random.
Arrangement strided(const Shape& shape, std::uint64_t seed);

class GuardedTensor {
 public:
  GuardedTensor(DType dtype, const Shape& shape, const Arrangement& arrangement);

  TensorView view() { return view_; }
  ConstTensorView view() const { return view_; }

  // The whole memory, guards included.
  std::span<std::byte> memory() const { return {memory_.data(), static_cast<std::size_t>(memory_.bytes())}; }

  // `values` and the answer are in logical order: (n, c, h, w), w fastest.
  void write(const std::vector<double>& values);
  std::vector<double> read() const;

  // Fills everything with 0xFF.
  void poison();

  // Whether every byte outside the elements is still 0xFF. Poisons the elements to find out.
  bool surroundings_untouched();

 private:
  HostBuffer memory_;
  TensorView view_;
};

// The elements of a tensor in logical order, as `value` has them, rounded to `dtype`.
std::vector<double> rounded_values(DType dtype, const Shape& shape, const Filler& value);
double rounded(DType dtype, double value);

// A workspace of exactly `bytes`, aligned to 64 and full of 0xFF, with guards on both sides.
class GuardedWorkspace {
 public:
  explicit GuardedWorkspace(std::int64_t bytes);
  std::span<std::byte> span() const;
  std::span<std::byte> memory() const { return {memory_.data(), static_cast<std::size_t>(memory_.bytes())}; }
  bool guards_untouched() const;

 private:
  std::int64_t bytes_;
  HostBuffer memory_;
};

}  // namespace convlens::testing
