#include "viewer/logic/sources.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "algorithms/error.h"
#include "algorithms/tensor/random.h"
#include "algorithms/tensor/rounded.h"

namespace convlens::viewer {

namespace {

// Filters that everyone knows, 3×3, one after the other along the output channels.
constexpr std::array<std::array<double, 9>, 5> kFilters{{
    {-1, 0, 1, -2, 0, 2, -1, 0, 1},                                                     // Sobel, vertical edges
    {-1, -2, -1, 0, 0, 0, 1, 2, 1},                                                     // Sobel, horizontal edges
    {1 / 16., 2 / 16., 1 / 16., 2 / 16., 4 / 16., 2 / 16., 1 / 16., 2 / 16., 1 / 16.},  // Gaussian
    {0, -1, 0, -1, 5, -1, 0, -1, 0},                                                    // sharpen
    {-2, -1, 0, -1, 1, 1, 0, 1, 2},                                                     // emboss
}};

// Such a filter in the middle of H_f × W_f taps, divided among the channels so that outputs stay in the picture's
// range.
double known_tap(const ConvProblem& p, std::int64_t o, std::int64_t u, std::int64_t v) {
  const std::int64_t row = u - (p.hf() - 1) / 2 + 1, column = v - (p.wf() - 1) / 2 + 1;
  if (row < 0 || row > 2 || column < 0 || column > 2) return 0;
  const auto& filter = kFilters[static_cast<std::size_t>(o) % kFilters.size()];
  return filter[static_cast<std::size_t>(row * 3 + column)] / static_cast<double>(p.ci_per_group());
}

// Which samples of a side of `of` one cell of `size` covers, and their weights, which sum up to 1. Where cells are
// smaller than samples, the two nearest are blended.
struct Cover {
  double begin = 0, width = 1;
  std::int64_t first = 0, end = 0;

  Cover(std::int64_t at, std::int64_t size, std::int64_t of) {
    const double step = static_cast<double>(of) / static_cast<double>(size);
    width = std::max(1.0, step);
    begin = std::clamp((static_cast<double>(at) + 0.5) * step - width / 2, 0.0, static_cast<double>(of) - width);
    first = static_cast<std::int64_t>(begin);
    end = std::min(of, static_cast<std::int64_t>(std::ceil(begin + width)));
  }
  double weight(std::int64_t k) const {
    const double from = std::max(begin, static_cast<double>(k)),
                 to = std::min(begin + width, static_cast<double>(k + 1));
    return (to - from) / width;
  }
};

// samples[outer][of][inner] with means in the place of what is more than `size` along the middle: [outer][size][inner].
template <class Sample>
std::vector<double> shrunk(const std::vector<Sample>& samples, std::int64_t outer, std::int64_t of, std::int64_t inner,
                           std::int64_t size) {
  if (size >= of) return {samples.begin(), samples.end()};
  std::vector<double> means(static_cast<std::size_t>(outer * size * inner));
  for (std::int64_t before = 0; before < outer; ++before)
    for (std::int64_t at = 0; at < size; ++at) {
      const Cover cover(at, size, of);
      double* const mean = means.data() + (before * size + at) * inner;
      for (std::int64_t k = cover.first; k < cover.end; ++k) {
        const Sample* const sample = samples.data() + (before * of + k) * inner;
        for (std::int64_t after = 0; after < inner; ++after)
          mean[after] += cover.weight(k) * static_cast<double>(sample[after]);
      }
    }
  return means;
}

// The whole photograph stretched over H_i × W_i: every cell is the mean of what it covers. Rows and columns of which
// there are more than the image has are means beforehand: of an image that is long and narrow, every cell covers a
// whole side of the photograph.
class Stretch {
 public:
  Stretch(const Photograph& photo, std::int64_t height, std::int64_t width)
      : height_(height),
        width_(width),
        rows_(std::min(height, photo.height)),
        columns_(std::min(width, photo.width)),
        channels_(photo.channels),
        samples_(shrunk(shrunk(photo.samples, 1, photo.height, photo.width * photo.channels, rows_), rows_, photo.width,
                        photo.channels, columns_)) {}

  double at(std::int64_t h, std::int64_t w, std::int64_t c) const {
    const Cover rows(h, height_, rows_), columns(w, width_, columns_);
    double sum = 0;
    for (std::int64_t row = rows.first; row < rows.end; ++row)
      for (std::int64_t column = columns.first; column < columns.end; ++column)
        sum += rows.weight(row) * columns.weight(column) *
               samples_[static_cast<std::size_t>((row * columns_ + column) * channels_ + c % channels_)];
    return sum;
  }

 private:
  std::int64_t height_, width_, rows_, columns_, channels_;
  std::vector<double> samples_;  // (row·columns + column)·channels + channel
};

// x is the array, where it has the layer's shape.
Element numbers_of(const ConvProblem& p, const std::shared_ptr<const Numbers>& numbers) {
  const auto text = [](const Shape& s) {
    return std::to_string(s[0]) + "x" + std::to_string(s[1]) + "x" + std::to_string(s[2]) + "x" + std::to_string(s[3]);
  };
  const Shape s = p.x_shape();
  if (numbers->shape != s)
    throw BadInput("picture: an array of " + text(numbers->shape) + " numbers, must be as the layer's input, " +
                   text(s));
  return [numbers, s](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
    return numbers->values[static_cast<std::size_t>(((n * s[1] + c) * s[2] + h) * s[3] + w)];
  };
}

}  // namespace

Sources picture_sources(const ConvProblem& p, const Photograph& photo) {
  Sources sources{{},
                  [p](std::int64_t o, std::int64_t, std::int64_t u, std::int64_t v) { return known_tap(p, o, u, v); },
                  [](std::int64_t) { return 0.0; },
                  /*picture=*/true};
  if (photo.numbers) {
    sources.x = numbers_of(p, photo.numbers);
    sources.picture = std::ranges::none_of(
        photo.numbers->values, [](double value) { return std::isfinite(value) && (value < 0 || value > 1); });
    return sources;
  }
  const auto stretch = std::make_shared<const Stretch>(photo, p.hi(), p.wi());
  sources.x = [stretch](std::int64_t, std::int64_t c, std::int64_t h, std::int64_t w) { return stretch->at(h, w, c); };
  return sources;
}

Sources random_sources(const ConvProblem& p, std::uint64_t seed) {
  const auto stream = [seed](std::uint64_t number, const Shape& s) -> Element {
    return [key = random_bits(seed, number), s](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
      return random_uniform(key, static_cast<std::uint64_t>(((n * s[1] + c) * s[2] + h) * s[3] + w));
    };
  };
  return {stream(0, p.x_shape()), stream(1, p.w_shape()),
          [key = random_bits(seed, 2)](std::int64_t o) { return random_uniform(key, static_cast<std::uint64_t>(o)); }};
}

Sources stored_sources(Sources sources, DType dtype) {
  if (dtype == DType::f64) return sources;
  const auto stored = [dtype](Element exact) -> Element {
    return [exact = std::move(exact), dtype](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
      return rounded(dtype, exact(n, c, h, w));
    };
  };
  return {stored(std::move(sources.x)), stored(std::move(sources.w)),
          [exact = std::move(sources.bias), dtype](std::int64_t o) { return rounded(dtype, exact(o)); },
          sources.picture};
}

}  // namespace convlens::viewer
