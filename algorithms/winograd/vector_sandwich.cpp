#include "algorithms/winograd/vector_sandwich.h"

#include <algorithm>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/winograd/vector_sandwich.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convlens::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Side = VectorSandwich::Side;
using Channels = VectorSandwich::Channels;

// Σ_k row[k] · x[k]
template <int kLength, class D, class V = hn::Vec<D>>
HWY_INLINE V Dot(D d, const float* row, const V* x) {
  V sum = hn::Mul(hn::Set(d, row[0]), x[0]);
  for (int k = 1; k < kLength; ++k) sum = hn::MulAdd(hn::Set(d, row[k]), x[k], sum);
  return sum;
}

// sum / divisor, correctly rounded: a fused multiply-add gives the remainder of the estimate exactly (Markstein,
// "Computation of elementary functions on the IBM RISC System/6000 processor", 1990). Vector divisions are slow.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Divide(D d, V sum, float divisor, float inverse) {
#if HWY_TARGET <= HWY_AVX2 || HWY_TARGET == HWY_NEON
  const V estimate = hn::Mul(sum, hn::Set(d, inverse));
  return hn::MulAdd(hn::NegMulAdd(estimate, hn::Set(d, divisor), sum), hn::Set(d, inverse), estimate);
#else  // without fused multiply-adds
  static_cast<void>(inverse);
  return hn::Div(sum, hn::Set(d, divisor));
#endif
}

// half = L·X: a column of X in registers, its products with all rows.
template <int kRows, class D, class V = hn::Vec<D>>
void MultiplyLeft(D d, const Side& left, const Channels& c, std::int64_t first, std::int64_t columns, V* half) {
  for (std::int64_t l = 0; l < columns; ++l) {
    V x[kRows];
    for (int k = 0; k < kRows; ++k) x[k] = hn::LoadU(d, c.in[k * columns + l] + c.in_offset + first);
    for (std::int64_t i = 0; i < c.rows; ++i)
      half[i * columns + l] = Dot<kRows>(d, left.numerators.data() + i * kRows, x);
  }
}

// out = half·Rᵀ, finished.
template <bool kDivides, int kColumns, class D, class V = hn::Vec<D>>
void MultiplyRight(D d, const VectorSandwich& s, const Channels& c, std::int64_t first, const V* half) {
  const Side& right = s.right();
  const V add = c.add ? hn::LoadU(d, c.add + first) : hn::Zero(d);
  for (std::int64_t i = 0; i < c.rows; ++i, half += kColumns) {
    V x[kColumns];
    for (int l = 0; l < kColumns; ++l) x[l] = half[l];
    for (std::int64_t j = 0; j < c.columns; ++j) {
      const std::int64_t at = i * right.rows + j;
      V sum = Dot<kColumns>(d, right.numerators.data() + j * kColumns, x);
      if constexpr (kDivides) sum = Divide(d, sum, s.divisors()[at], s.inverses()[at]);
      hn::StoreU(c.add ? hn::Add(sum, add) : sum, d, c.out[at] + c.out_offset + first);
    }
  }
}

template <class D>
struct Passes {
  using V = hn::Vec<D>;
  using Left = void (*)(D, const Side&, const Channels&, std::int64_t, std::int64_t, V*);
  using Right = void (*)(D, const VectorSandwich&, const Channels&, std::int64_t, const V*);

  // One function a length of the sums, 1 … kMaxPoints, so that their operands stay in registers.
  template <int... kLengths>
  static Left LeftOf(std::int64_t length, std::integer_sequence<int, kLengths...>) {
    static constexpr Left kFunctions[] = {MultiplyLeft<kLengths + 1, D>...};
    return kFunctions[length - 1];
  }
  template <bool kDivides, int... kLengths>
  static Right RightOf(std::int64_t length, std::integer_sequence<int, kLengths...>) {
    static constexpr Right kFunctions[] = {MultiplyRight<kDivides, kLengths + 1, D>...};
    return kFunctions[length - 1];
  }
};

// The last vector may begin within the one before it: its channels are then computed twice, to the same values.
template <class D>
void Whole(D d, const VectorSandwich& s, const Channels& c) {
  constexpr std::make_integer_sequence<int, kMaxPoints> lengths;
  const auto left = Passes<D>::LeftOf(s.left().columns, lengths);
  const auto right = s.divides() ? Passes<D>::template RightOf<true>(s.right().columns, lengths)
                                 : Passes<D>::template RightOf<false>(s.right().columns, lengths);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<D> half[kMaxTile];
  for (std::int64_t first = 0; first < c.channels; first += lanes) {
    const std::int64_t from = std::min(first, c.channels - lanes);
    left(d, s.left(), c, from, s.right().columns, half);
    right(d, s, c, from, half);
  }
}

// Fewer channels than a vector has lanes are copied to where whole vectors may be read and written.
void Sandwich(const VectorSandwich& s, const Channels& c) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (c.channels >= lanes) return Whole(d, s, c);

  HWY_ALIGN float memory[2 * kMaxTile + 1][HWY_MAX_BYTES / sizeof(float)];
  const float* in[kMaxTile];
  float* out[kMaxTile];
  const std::int64_t inputs = s.left().columns * s.right().columns, outputs = s.out_rows() * s.out_columns();
  const auto copy = [&](const float* from, float* to) {
    for (std::int64_t k = 0; k < lanes; ++k) to[k] = k < c.channels ? from[k] : 0.0f;
  };
  for (std::int64_t k = 0; k < inputs; ++k) {
    copy(c.in[k] + c.in_offset, memory[k]);
    in[k] = memory[k];
  }
  for (std::int64_t k = 0; k < outputs; ++k) out[k] = memory[inputs + k];
  float* const add = memory[2 * kMaxTile];
  if (c.add) copy(c.add, add);
  Whole(d, s,
        {.in = in, .out = out, .add = c.add ? add : nullptr, .rows = c.rows, .columns = c.columns, .channels = lanes});
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.columns; ++j) {
      const std::int64_t at = i * s.out_columns() + j;
      std::copy_n(out[at], c.channels, c.out[at] + c.out_offset);
    }
}

void SandwichOneByOne(const VectorSandwich& s, const Channels& c) { Whole(hn::CappedTag<float, 1>(), s, c); }

}  // namespace convlens::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convlens {

HWY_EXPORT(Sandwich);
HWY_EXPORT(SandwichOneByOne);

namespace {

VectorSandwich::Side side(const FractionMatrix& matrix) {
  VectorSandwich::Side side{matrix.rows(), matrix.columns(), {}};
  for (std::int64_t i = 0; i < matrix.rows(); ++i) {
    const IntegerRow row = integer_row(matrix, i);
    for (std::int64_t k = 0; k < matrix.columns(); ++k)
      side.numerators[static_cast<std::size_t>(i * matrix.columns() + k)] =
          static_cast<float>(row.numerators[static_cast<std::size_t>(k)]);
  }
  return side;
}

}  // namespace

VectorSandwich::VectorSandwich(const FractionMatrix& left, const FractionMatrix& right)
    : left_(side(left)), right_(side(right)) {
  std::size_t at = 0;
  for (std::int64_t i = 0; i < left.rows(); ++i)
    for (std::int64_t j = 0; j < right.rows(); ++j, ++at) {
      const std::int64_t divisor = integer_row(left, i).denominator * integer_row(right, j).denominator;
      divisors_[at] = static_cast<float>(divisor);
      inverses_[at] = 1 / divisors_[at];
      divides_ = divides_ || divisor != 1;
    }
}

void VectorSandwich::apply(const Channels& channels, bool simd) const {
  simd ? HWY_DYNAMIC_DISPATCH(Sandwich)(*this, channels) : HWY_DYNAMIC_DISPATCH(SandwichOneByOne)(*this, channels);
}

}  // namespace convlens
#endif
