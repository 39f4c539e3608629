// The two 16-bit floating-point types: f16 (IEEE binary16) and bf16 (bfloat16).
//
// Both only store. Arithmetic happens in float: a value is widened exactly, computed with, and rounded
// once on the way back, which is what tensor cores do. Rounding is to nearest, ties to even; overflow
// gives Inf; subnormals and the sign of zero are kept; a NaN stays a (quiet) NaN.
//
//   type   exponent bits   fraction bits   largest     smallest normal   smallest subnormal
//   f16    5               10              65504       2^-14             2^-24
//   bf16   8               7               3.39e38     2^-126            2^-133
#pragma once

#include <bit>
#include <cstdint>

namespace convlens {

// Rounds `value` once, from double straight to the short format, so that no double rounding can occur.
template <int kExponentBits, int kFractionBits>
constexpr std::uint16_t narrow(double value) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr std::uint16_t kInfinity = ((1 << kExponentBits) - 1) << kFractionBits;
  constexpr std::uint16_t kQuietNaN = kInfinity | (1 << (kFractionBits - 1));

  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 63) << (kExponentBits + kFractionBits));
  const int biased64 = static_cast<int>(bits >> 52) & 0x7ff;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (biased64 == 0x7ff) return sign | (fraction != 0 ? kQuietNaN : kInfinity);
  if (biased64 == 0) return sign;  // zero, or a double subnormal: far below half of any short subnormal

  const std::uint64_t significand = fraction | (std::uint64_t{1} << 52);
  const int exponent = biased64 - 1023;
  const bool subnormal = exponent < 1 - kBias;
  const int shift = 52 - kFractionBits + (subnormal ? 1 - kBias - exponent : 0);
  if (shift > 53) return sign;  // below half of the smallest subnormal

  std::uint64_t rounded = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;

  // `rounded` still holds the hidden bit, which adds one to the exponent field; a carry does the same.
  const std::uint64_t field = subnormal ? 0 : static_cast<std::uint64_t>(exponent + kBias - 1) << kFractionBits;
  const std::uint64_t magnitude = field + rounded;
  return sign | static_cast<std::uint16_t>(magnitude >= kInfinity ? kInfinity : magnitude);
}

struct f16 {
  std::uint16_t bits = 0;

  f16() = default;
  constexpr explicit f16(double value) : bits(narrow<5, 10>(value)) {}
  static constexpr f16 from_bits(std::uint16_t bits) {
    f16 value;
    value.bits = bits;
    return value;
  }

  // Widening is exact. Multiplying by 2^112 moves the exponent from bias 15 to bias 127 and normalises
  // subnormals on the way; only Inf and NaN need their exponent filled in.
  constexpr operator float() const {
    const std::uint32_t magnitude = bits & 0x7fffu;
    const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    const std::uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
  }
};

struct bf16 {
  std::uint16_t bits = 0;

  bf16() = default;
  constexpr explicit bf16(double value) : bits(narrow<8, 7>(value)) {}
  static constexpr bf16 from_bits(std::uint16_t bits) {
    bf16 value;
    value.bits = bits;
    return value;
  }

  // A bf16 is the upper half of the float of the same value.
  constexpr operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

}  // namespace convlens
