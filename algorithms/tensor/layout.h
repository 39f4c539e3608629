// How the four logical axes of a tensor lie in memory.
//
// Coordinates are always written in logical order: (n, c, h, w) for input and output, (o, i, h, w) for
// filters, whatever the layout. A layout only fixes the strides: in NHWC the channel is the fastest axis,
// in CHWN the image.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace convlens {

using Shape = std::array<std::int64_t, 4>;    // extents in logical order
using Strides = std::array<std::int64_t, 4>;  // in elements, in logical order; may be negative or zero

enum class Layout : std::uint8_t { NCHW, NHWC, CHWN };
enum class FilterLayout : std::uint8_t { OIHW, OHWI };

inline constexpr std::array kLayouts{Layout::NCHW, Layout::NHWC, Layout::CHWN};
inline constexpr std::array kFilterLayouts{FilterLayout::OIHW, FilterLayout::OHWI};

// The logical axes from slowest to fastest in memory.
constexpr std::array<int, 4> memory_order(Layout layout) {
  constexpr std::array<std::array<int, 4>, 3> orders{{{0, 1, 2, 3}, {0, 2, 3, 1}, {1, 2, 3, 0}}};
  return orders[static_cast<std::size_t>(layout)];
}
constexpr std::array<int, 4> memory_order(FilterLayout layout) {
  return memory_order(layout == FilterLayout::OIHW ? Layout::NCHW : Layout::NHWC);
}

constexpr std::string_view name(Layout layout) {
  constexpr std::array<std::string_view, 3> names{"NCHW", "NHWC", "CHWN"};
  return names[static_cast<std::size_t>(layout)];
}
constexpr std::string_view name(FilterLayout layout) { return layout == FilterLayout::OIHW ? "OIHW" : "OHWI"; }

constexpr std::optional<Layout> parse_layout(std::string_view text) {
  for (Layout layout : kLayouts)
    if (name(layout) == text) return layout;
  return std::nullopt;
}
constexpr std::optional<FilterLayout> parse_filter_layout(std::string_view text) {
  for (FilterLayout layout : kFilterLayouts)
    if (name(layout) == text) return layout;
  return std::nullopt;
}

// Strides of a dense tensor. An empty axis counts as one, so that N = 0 leaves the strides as they were.
template <class AnyLayout>
constexpr Strides dense_strides(AnyLayout layout, const Shape& shape) {
  Strides strides{};
  std::int64_t step = 1;
  const auto order = memory_order(layout);
  for (int k = 3; k >= 0; --k) {
    const auto axis = static_cast<std::size_t>(order[static_cast<std::size_t>(k)]);
    strides[axis] = step;
    step *= shape[axis] > 0 ? shape[axis] : 1;
  }
  return strides;
}

constexpr std::int64_t elements(const Shape& shape) { return shape[0] * shape[1] * shape[2] * shape[3]; }

}  // namespace convlens
