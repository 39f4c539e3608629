#include "cli/filters.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "algorithms/error.h"
#include "algorithms/suggest.h"

namespace convlens::cli {

namespace {

constexpr std::array<std::string_view, 3> kShowNames{"clip", "magnitude", "offset"};

}  // namespace

std::string_view name(Show show) { return kShowNames[static_cast<std::size_t>(show)]; }

Show parse_show(std::string_view text) {
  for (Show show : {Show::clip, Show::magnitude, Show::offset})
    if (name(show) == text) return show;
  throw BadInput("--show: " + std::string(text) +
                 suggestion(text, std::vector<std::string>(kShowNames.begin(), kShowNames.end())));
}

double brightness(Show show, double y) {
  switch (show) {
    case Show::clip:
      return y;
    case Show::magnitude:
      return std::abs(y);
    case Show::offset:
      break;
  }
  return 0.5 + y;
}

const std::vector<NamedFilter>& named_filters() {
  static const std::vector<NamedFilter> filters{
      {"identity", "The picture as it is.", Show::clip, 3, 3, 1, {0, 0, 0, 0, 1, 0, 0, 0, 0}},
      {"sobel-x",
       "Left-right edges: the derivative along a row, smoothed along the column.",
       Show::magnitude,
       3,
       3,
       1,
       {-1, 0, 1, -2, 0, 2, -1, 0, 1}},
      {"sobel-y",
       "Top-bottom edges: the derivative along a column, smoothed along the row.",
       Show::magnitude,
       3,
       3,
       1,
       {-1, -2, -1, 0, 0, 0, 1, 2, 1}},
      {"laplacian",
       "The second derivative: positive on an edge's dark side, negative on its bright one.",
       Show::offset,
       3,
       3,
       1,
       {0, 1, 0, 1, -4, 1, 0, 1, 0}},
      {"sharpen", "The picture minus its Laplacian.", Show::clip, 3, 3, 1, {0, -1, 0, -1, 5, -1, 0, -1, 0}},
      {"emboss",
       "The picture as a relief, lit from the upper left.",
       Show::clip,
       3,
       3,
       1,
       {-2, -1, 0, -1, 1, 1, 0, 1, 2}},
      {"box", "The mean of nine pixels.", Show::clip, 3, 3, 9, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
      {"gaussian", "A weighted mean of 25 pixels, the weights binomial.", Show::clip, 5, 5, 256, {1, 4,  6,  4,  1,
                                                                                                  4, 16, 24, 16, 4,
                                                                                                  6, 24, 36, 24, 6,
                                                                                                  4, 16, 24, 16, 4,
                                                                                                  1, 4,  6,  4,  1}},
  };
  return filters;
}

const NamedFilter* find_filter(std::string_view name) {
  const auto found = std::ranges::find(named_filters(), name, &NamedFilter::name);
  return found == named_filters().end() ? nullptr : &*found;
}

}  // namespace convlens::cli
