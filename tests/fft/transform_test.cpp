// The transform against the sum that defines it, in long double.
#include "algorithms/fft/transform.h"

#include <numbers>

#include "tests/fft/fft_support.h"

using namespace fft_test;
using fft::Lengths;

namespace {

bool only_2_3_5(std::int64_t n) {
  for (std::int64_t factor : {2, 3, 5})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

// A tile of random values in its first `rows` rows, and NaN wherever the transform must not look.
template <class Real>
std::vector<std::complex<Real>> random_tile(const Lengths& n, std::int64_t rows, std::uint64_t seed) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  std::vector<std::complex<Real>> tile(static_cast<std::size_t>(n.tile()), {nan, nan});
  Real* const reals = reinterpret_cast<Real*>(tile.data());
  for (std::int64_t h = 0; h < rows; ++h)
    for (std::int64_t w = 0; w < n.w; ++w)
      reals[h * n.pitch() + w] = static_cast<Real>(random_uniform(seed, static_cast<std::uint64_t>(h * n.w + w)));
  return tile;
}

template <class Real>
void check_against_definition(const Lengths& n, std::int64_t rows) {
  CAPTURE(n.h, n.w, rows, sizeof(Real));
  const fft::RealTransform2D<Real> transform(n);
  auto tile = random_tile<Real>(n, rows, 7);
  const std::vector<std::complex<Real>> before = tile;
  const Real* const x = reinterpret_cast<const Real*>(before.data());
  std::vector<std::complex<Real>> spectrum(static_cast<std::size_t>(n.bins()));
  transform.forward(tile.data(), rows, spectrum.data());

  const double u = unit_roundoff(kDTypeOf<Real>), size = std::sqrt(static_cast<double>(n.points()));
  for (std::int64_t k = 0; k < n.h; ++k)
    for (std::int64_t l = 0; l < n.half(); ++l) {
      std::complex<long double> sum = 0;
      const long double full_turn = 2 * std::numbers::pi_v<long double>;
      for (std::int64_t h = 0; h < rows; ++h)
        for (std::int64_t w = 0; w < n.w; ++w) {
          const long double turns = static_cast<long double>(k * h) / n.h + static_cast<long double>(l * w) / n.w;
          sum += std::polar<long double>(1, -full_turn * turns) * static_cast<long double>(x[h * n.pitch() + w]);
        }
      const std::complex<long double> got(spectrum[static_cast<std::size_t>(l * n.h + k)]);
      REQUIRE(std::abs(got - sum) <= 3 * u * size * n.log2_points());
    }

  std::ranges::fill(tile, std::complex<Real>(std::numeric_limits<Real>::quiet_NaN()));
  const std::int64_t step = n.h % 3 == 0 ? 3 : 1;
  transform.inverse(spectrum.data(), tile.data(), n.h / step, step);
  const Real* const back = reinterpret_cast<const Real*>(tile.data());
  for (std::int64_t h = 0; h < n.h; h += step)
    for (std::int64_t w = 0; w < n.w; ++w) {
      const Real value = back[h * n.pitch() + w] / static_cast<Real>(n.points());
      REQUIRE(std::abs(value - (h < rows ? x[h * n.pitch() + w] : Real(0))) <= 6 * u * n.log2_points());
    }
}

}  // namespace

TEST_CASE("a good length is the next product of 2, 3 and 5, and even for rows") {
  for (std::int64_t n = 1; n <= 3000; ++n) {
    const std::int64_t height = fft::good_height(n), width = fft::good_width(n);
    REQUIRE((height >= n && height >= 2 && only_2_3_5(height)));
    REQUIRE((width >= n && width >= 4 && width % 2 == 0 && only_2_3_5(width)));
    for (std::int64_t k = std::max<std::int64_t>(n, 2); k < height; ++k) REQUIRE_FALSE(only_2_3_5(k));
    for (std::int64_t k = std::max<std::int64_t>(n, 4); k < width; ++k) REQUIRE_FALSE((k % 2 == 0 && only_2_3_5(k)));
  }
  CHECK(fft::good_height(std::int64_t{1} << 58) == std::int64_t{1} << 58);
  CHECK_THROWS_AS(fft::good_height((std::int64_t{1} << 58) + 1), Unsupported);
}

TEST_CASE("the real transform is the discrete Fourier transform, and its inverse undoes it") {
  if (!can_run()) return;
  const Lengths all[] = {{2, 4}, {3, 4}, {4, 6}, {5, 10}, {2, 30}, {27, 4}, {25, 18}, {16, 16}, {30, 24}, {9, 50}};
  for (const Lengths& n : all)
    for (std::int64_t rows : {std::int64_t{1}, n.h / 2 + 1, n.h}) {
      check_against_definition<float>(n, rows);
      check_against_definition<double>(n, rows);
    }
}
