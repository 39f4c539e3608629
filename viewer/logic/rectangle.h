// Runs of rows or columns, and the rectangles that they make.
#pragma once

#include <cstdint>

namespace convlens::viewer {

struct Interval {
  std::int64_t first = 0, count = 0;
  bool operator==(const Interval&) const = default;
};

struct Rectangle {
  Interval rows, columns;
  bool operator==(const Rectangle&) const = default;
};

}  // namespace convlens::viewer
