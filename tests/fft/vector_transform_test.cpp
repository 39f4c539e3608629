// Transforms of vectors of channels against the definition, written out in float64 for each channel.
#include "algorithms/fft/vector_transform.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <vector>

#include "algorithms/tensor/random.h"
#include "tests/catch.h"

namespace convlens::fft {

namespace {

using Complex = std::complex<double>;

float value(std::uint64_t k) { return static_cast<float>(random_uniform(3, k)); }
std::size_t index(std::int64_t k) { return static_cast<std::size_t>(k); }

// Σ x(h, w) · e^{−2πi·(k·h + l·w)/P} over the elements of channel c that there are.
Complex bin(std::int64_t length, const std::vector<const float*>& in, std::int64_t columns, std::int64_t c,
            std::int64_t k, std::int64_t l) {
  Complex sum = 0;
  for (std::size_t at = 0; at < in.size(); ++at) {
    const auto h = static_cast<std::int64_t>(at) / columns, w = static_cast<std::int64_t>(at) % columns;
    const double angle = -2 * std::numbers::pi * static_cast<double>(k * h + l * w) / static_cast<double>(length);
    if (in[at]) sum += static_cast<double>(in[at][c]) * std::polar(1.0, angle);
  }
  return sum;
}

}  // namespace

TEST_CASE("spectra of vectors of channels are those of each channel, and nothing else is written") {
  for (std::int64_t length : {8, 16, 32})
    for (const auto& [rows, columns] :
         {std::pair{length, length}, {std::int64_t{3}, length - 1}, {length - 3, std::int64_t{1}}})
      for (std::int64_t channels : {1, 3, 16, 19, 37}) {
        const std::int64_t bins = bins_of(length), step = 2 * channels + 1;
        std::vector<float> x(index(rows * columns * channels));
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = value(k);
        std::vector<const float*> in(index(rows * columns));
        for (std::size_t k = 0; k < in.size(); ++k) in[k] = k % 5 == 4 ? nullptr : x.data() + k * index(channels);

        std::vector<float> out(index(bins * step), -1), negated(index(bins * (channels + 1)), -1), scalar = out;
        ForwardTiles tiles{.in = in.data(),
                           .rows = rows,
                           .columns = columns,
                           .out = out.data(),
                           .bin_step = step,
                           .imaginary = channels,
                           .negated = negated.data(),
                           .negated_step = channels + 1,
                           .channels = channels};
        forward(length, tiles, true);
        tiles.out = scalar.data(), tiles.negated = nullptr;
        forward(length, tiles, false);
        REQUIRE(std::memcmp(out.data(), scalar.data(), out.size() * sizeof(float)) == 0);

        const double allowed = 0x1p-22 * std::sqrt(static_cast<double>(rows * columns)) * std::log2(length);
        for (std::int64_t c = 0; c < channels; c += 7)
          for (std::int64_t b = 0; b < bins; b += 3) {
            const Complex right = bin(length, in, columns, c, b / (length / 2 + 1), b % (length / 2 + 1));
            const Complex got(out[index(b * step + c)], out[index(b * step + channels + c)]);
            REQUIRE(std::abs(got - right) <= allowed);
            REQUIRE(negated[index(b * (channels + 1) + c)] == -out[index(b * step + c)]);
          }
        for (std::int64_t b = 0; b < bins; ++b) {
          REQUIRE(out[index(b * step + 2 * channels)] == -1);
          REQUIRE(negated[index(b * (channels + 1) + channels)] == -1);
        }
      }
}

TEST_CASE("the inverse undoes the transform, keeps the elements asked for, and adds") {
  for (std::int64_t length : {8, 16, 32})
    for (const auto& [step_h, step_w] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {2, 3}, {5, 1}})
      for (std::int64_t channels : {1, 5, 16, 21}) {
        std::vector<float> x(index(length * length * channels)), add(index(channels));
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = value(k);
        for (std::size_t c = 0; c < add.size(); ++c) add[c] = value(1000 + c);
        std::vector<const float*> in;
        for (std::int64_t k = 0; k < length * length; ++k) in.push_back(x.data() + k * channels);
        std::vector<float> spectrum(index(2 * bins_of(length) * channels));
        forward(length,
                {.in = in.data(),
                 .rows = length,
                 .columns = length,
                 .out = spectrum.data(),
                 .bin_step = 2 * channels,
                 .imaginary = channels,
                 .channels = channels},
                true);

        const std::int64_t rows = (length - 1) / step_h + 1, columns = (length - 1) / step_w + 1;
        for (bool vectors : {true, false}) {
          std::vector<float> y(index(rows * columns * (channels + 1)), -1);
          std::vector<float*> out;
          for (std::int64_t k = 0; k < rows * columns; ++k) out.push_back(y.data() + k * (channels + 1));
          inverse(length,
                  {.in = spectrum.data(),
                   .bin_step = 2 * channels,
                   .imaginary = channels,
                   .out = out.data(),
                   .rows = rows,
                   .columns = columns,
                   .step_h = step_h,
                   .step_w = step_w,
                   .add = add.data(),
                   .channels = channels},
                  vectors);
          for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t s = 0; s < columns; ++s) {
              const float* const got = out[index(r * columns + s)];
              for (std::int64_t c = 0; c < channels; ++c) {
                const double right =
                    static_cast<double>(in[index(r * step_h * length + s * step_w)][c]) + add[index(c)];
                REQUIRE(std::abs(got[c] - right) <= 0x1p-20);
              }
              REQUIRE(got[channels] == -1);
            }
        }
      }
}

}  // namespace convlens::fft
