// The filters that have names, and how a picture of their results is shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/tensor/tensor.h"

namespace convlens::cli {

// From a result y to a brightness, which is then clipped to 0 … 1.
enum class Show : std::uint8_t {
  clip,       // y
  magnitude,  // |y|: no edge is black
  offset,     // ½ + y: no edge is grey, the sign can be seen
};

std::string_view name(Show show);
Show parse_show(std::string_view text);  // throws BadInput with the closest name
double brightness(Show show, double y);

struct NamedFilter {
  std::string name;
  std::string sentence;
  Show show = Show::clip;
  std::int64_t height = 3, width = 3;
  double divisor = 1;        // the taps are integers / divisor
  std::vector<double> taps;  // row by row, before the division

  double tap(std::int64_t u, std::int64_t v) const { return taps[static_cast<std::size_t>(u * width + v)] / divisor; }
};

const std::vector<NamedFilter>& named_filters();

// Null when there is none of that name.
const NamedFilter* find_filter(std::string_view name);

}  // namespace convlens::cli
