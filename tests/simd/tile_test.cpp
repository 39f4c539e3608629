// The micro-kernel against its sums written out, for every number of pixels and channels a tile can have.
#include "algorithms/simd/tile.h"

#include <algorithm>
#include <vector>

#include "algorithms/tensor/random.h"
#include "algorithms/tensor/tensor.h"
#include "tests/catch.h"

namespace convlens::simd {

namespace {

constexpr std::int64_t kSegments = 3, kLength = 5;

// Small integers, so that every order of summation gives the same float.
float integer(std::uint64_t seed, std::int64_t k) {
  return static_cast<float>(random_integer(seed, static_cast<std::uint64_t>(k), -9, 9));
}

struct Operands {
  std::int64_t pixels, width = tile_width();
  std::vector<float> x, bias, y;
  HostBuffer panel_memory;
  float* panel;
  std::vector<const float*> rows;
  std::vector<float*> to;

  explicit Operands(std::int64_t count) : pixels(count), panel_memory(kSegments * kLength * width * 4) {
    panel = reinterpret_cast<float*>(panel_memory.data());
    for (std::int64_t k = 0; k < kSegments * kLength * width; ++k) panel[k] = integer(1, k);
    for (std::int64_t k = 0; k < pixels * kSegments * kLength; ++k) x.push_back(integer(2, k));
    for (std::int64_t j = 0; j < width; ++j) bias.push_back(integer(3, j));
    y.assign(static_cast<std::size_t>(pixels * (width + 1)), -1);
    for (std::int64_t s = 0; s < kSegments; ++s)
      for (std::int64_t i = 0; i < pixels; ++i)
        rows.push_back(&x[static_cast<std::size_t>((i * kSegments + s) * kLength)]);
    for (std::int64_t i = 0; i < pixels; ++i) to.push_back(&y[static_cast<std::size_t>(i * (width + 1))]);
  }

  Tile tile(std::int64_t channels) const {
    return {.pixels = pixels,
            .segments = kSegments,
            .length = kLength,
            .rows = rows.data(),
            .panel = panel,
            .bias = bias.data(),
            .to = to.data(),
            .to_offset = 0,
            .channels = channels};
  }

  float expected(std::int64_t i, std::int64_t j) const {
    float sum = bias[static_cast<std::size_t>(j)];
    for (std::int64_t s = 0; s < kSegments; ++s)
      for (std::int64_t k = 0; k < kLength; ++k)
        sum += rows[static_cast<std::size_t>(s * pixels + i)][k] * panel[(s * kLength + k) * width + j];
    return sum;
  }
};

}  // namespace

TEST_CASE("a tile is its sums, with and without vectors, and nothing beyond its channels is written") {
  using Kernel = void (*)(const Tile&);
  for (Kernel kernel : {Kernel{multiply}, Kernel{multiply_scalar}})
    for (std::int64_t pixels = 1; pixels <= tile_pixels(); ++pixels)
      for (std::int64_t channels = 1; channels <= tile_width(); ++channels)
        for (bool nontemporal : {false, true}) {
          const Operands operands(pixels);
          Tile tile = operands.tile(channels);
          tile.prefetch = tile.nontemporal = nontemporal;
          kernel(tile);
          for (std::int64_t i = 0; i < pixels; ++i)
            for (std::int64_t j = 0; j <= operands.width; ++j)
              REQUIRE(operands.to[static_cast<std::size_t>(i)][j] == (j < channels ? operands.expected(i, j) : -1));
        }
}

TEST_CASE("a tile whose panel is not packed reads w where it lies, one of a later piece is added to what is there") {
  using Kernel = void (*)(const Tile&);
  for (Kernel kernel : {Kernel{multiply}, Kernel{multiply_scalar}})
    for (std::int64_t pixels = 1; pixels <= tile_pixels(); ++pixels)
      for (std::int64_t channels = 1; channels <= tile_width(); ++channels)
        for (bool add : {false, true}) {
          Operands operands(pixels);
          Tile tile = operands.tile(channels);
          // Filter j backwards in memory, and behind it those before it; only those that exist.
          constexpr std::int64_t kReduction = kSegments * kLength;
          std::vector<float> w;
          std::vector<std::int64_t> within;
          for (std::int64_t j = channels - 1; j >= 0; --j)
            for (std::int64_t k = kReduction - 1; k >= 0; --k) w.push_back(operands.panel[k * operands.width + j]);
          for (std::int64_t k = 0; k < kReduction; ++k) within.push_back(-k);
          tile.panel = nullptr;
          tile.filter = {&w.back(), -kReduction, within.data()};
          tile.add = add;
          kernel(tile);
          for (std::int64_t i = 0; i < pixels; ++i)
            for (std::int64_t j = 0; j <= operands.width; ++j) {
              const float bias = operands.bias[static_cast<std::size_t>(std::min(j, channels - 1))];
              const float sum = j < channels ? operands.expected(i, j) - (add ? bias + 1 : 0) : -1;
              REQUIRE(operands.to[static_cast<std::size_t>(i)][j] == sum);
            }
        }
}

TEST_CASE("a tile fits the limits that its users' arrays have") {
  CHECK((tile_pixels() >= 1 && tile_pixels() <= kMostPixels));
  CHECK((tile_width() >= 1 && tile_width() <= kMostWidth));
  CHECK_FALSE(instruction_set().empty());
}

}  // namespace convlens::simd
