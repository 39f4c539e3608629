// The element types a tensor can have, and how to go from a DType known at run time to a C++ type.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "algorithms/tensor/half.h"

namespace convlens {

enum class DType : std::uint8_t { f16, bf16, f32, f64 };

inline constexpr std::array kDTypes{DType::f16, DType::bf16, DType::f32, DType::f64};

// What an element of type T is accumulated in: f64 in f64, everything else in f32.
template <class T>
using Accumulator = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Calls f.operator()<T>() with the C++ type of `dtype`; the one switch over element types.
template <class F>
constexpr decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f16:
      return f.template operator()<f16>();
    case DType::bf16:
      return f.template operator()<bf16>();
    case DType::f32:
      return f.template operator()<float>();
    case DType::f64:
      break;
  }
  return f.template operator()<double>();
}

template <class T>
inline constexpr DType kDTypeOf = std::is_same_v<T, f16>     ? DType::f16
                                  : std::is_same_v<T, bf16>  ? DType::bf16
                                  : std::is_same_v<T, float> ? DType::f32
                                                             : DType::f64;

constexpr std::int64_t size_of(DType dtype) {
  return visit(dtype, []<class T>() { return static_cast<std::int64_t>(sizeof(T)); });
}

constexpr std::string_view name(DType dtype) {
  constexpr std::array<std::string_view, 4> names{"f16", "bf16", "f32", "f64"};
  return names[static_cast<std::size_t>(dtype)];
}

constexpr std::optional<DType> parse_dtype(std::string_view text) {
  for (DType dtype : kDTypes)
    if (name(dtype) == text) return dtype;
  return std::nullopt;
}

// u, the unit roundoff: half the distance from 1 to the next larger number.
constexpr double unit_roundoff(DType dtype) {
  constexpr std::array u{0x1p-11, 0x1p-8, 0x1p-24, 0x1p-53};
  return u[static_cast<std::size_t>(dtype)];
}

constexpr double smallest_subnormal(DType dtype) {
  constexpr std::array tiny{0x1p-24, 0x1p-133, 0x1p-149, std::numeric_limits<double>::denorm_min()};
  return tiny[static_cast<std::size_t>(dtype)];
}

// The type sums are kept in for tensors of type `dtype`.
constexpr DType accumulator_of(DType dtype) { return dtype == DType::f64 ? DType::f64 : DType::f32; }

}  // namespace convlens
