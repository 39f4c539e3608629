// L·X·Rᵀ on vectors of channels against the same in float64, one channel at a time.
#include "algorithms/winograd/vector_sandwich.h"

#include <cstring>
#include <vector>

#include "algorithms/tensor/random.h"
#include "tests/catch.h"

namespace {

using namespace convlens;

CookToom cook_toom_of(std::int64_t m, std::int64_t r) { return cook_toom(m, r, default_points(m + r - 1)); }

// Operands of one call: `channels` values an element, and a word of -1 behind the channels of each result.
struct Operands {
  std::int64_t channels;
  std::vector<float> x, y, add;
  std::vector<const float*> in;
  std::vector<float*> out;

  Operands(std::int64_t inputs, std::int64_t outputs, std::int64_t count, bool integers) : channels(count) {
    std::uint64_t counter = 0;
    const auto draw = [&] {
      ++counter;
      return integers ? static_cast<float>(random_integer(7, counter, -9, 9))
                      : static_cast<float>(random_uniform(7, counter));
    };
    for (std::int64_t k = 0; k < inputs * channels; ++k) x.push_back(draw());
    for (std::int64_t c = 0; c < channels; ++c) add.push_back(draw());
    y.assign(static_cast<std::size_t>(outputs * (channels + 1)), -1);
    for (std::int64_t k = 0; k < inputs; ++k) in.push_back(x.data() + k * channels);
    for (std::int64_t k = 0; k < outputs; ++k) out.push_back(y.data() + k * (channels + 1));
  }
};

// The result in float64, and the sum of the terms' sizes, of one channel.
struct Expected {
  Sandwich<double>::Tile value, size;
};
Expected expected(const FractionMatrix& left, const FractionMatrix& right, const Operands& operands, std::int64_t c) {
  Sandwich<double>::Tile x{}, absolute{};
  for (std::size_t k = 0; k < operands.in.size(); ++k) {
    x[k] = operands.in[k][c];
    absolute[k] = std::abs(x[k]);
  }
  Expected e{};
  Sandwich<double>(left, right)(x, e.value);
  Sandwich<double>(left, right, Coefficients::absolute_values)(absolute, e.size);
  return e;
}

}  // namespace

TEST_CASE("vectors of channels are transformed as each channel alone, and nothing else is written") {
  std::uint64_t index = 0;
  for (std::int64_t m = 1; m <= 8; ++m)
    for (std::int64_t r = 1; m + r - 1 <= kMaxPoints; ++r) {
      const CookToom rows = cook_toom_of(m, r), columns = cook_toom_of(r % 3 + 1, m % 4 + 1);
      for (const auto& [left, right] :
           {std::pair{&rows.bt, &columns.bt}, {&rows.g, &columns.g}, {&rows.at, &columns.at}}) {
        const VectorSandwich sandwich(*left, *right);
        for (std::int64_t channels : {1, 3, 16, 17, 45}) {
          Operands o(left->columns() * right->columns(), left->rows() * right->rows(), channels, false);
          const std::int64_t wanted_rows = random_integer(1, ++index, 1, left->rows());
          const std::int64_t wanted_columns = random_integer(1, ++index, 1, right->rows());
          const bool adds = index % 4 == 0;
          const VectorSandwich::Channels call{.in = o.in.data(),
                                              .out = o.out.data(),
                                              .add = adds ? o.add.data() : nullptr,
                                              .rows = wanted_rows,
                                              .columns = wanted_columns,
                                              .channels = channels};
          sandwich.apply(call, true);
          const std::vector<float> vectors = o.y;
          o.y.assign(o.y.size(), -1);
          sandwich.apply(call, false);
          REQUIRE(std::memcmp(vectors.data(), o.y.data(), o.y.size() * sizeof(float)) == 0);

          for (std::int64_t c = 0; c < channels; ++c) {
            const Expected e = expected(*left, *right, o, c);
            for (std::int64_t i = 0; i < left->rows(); ++i)
              for (std::int64_t j = 0; j < right->rows(); ++j) {
                const auto at = static_cast<std::size_t>(i * right->rows() + j);
                if (i >= wanted_rows || j >= wanted_columns) {
                  REQUIRE(o.out[at][c] == -1);
                  continue;
                }
                const double sum = e.value[at] + (adds ? o.add[static_cast<std::size_t>(c)] : 0);
                REQUIRE(std::abs(o.out[at][c] - sum) <= 24 * 0x1p-24 * (e.size[at] + 1));
              }
          }
          for (float* behind : o.out) REQUIRE(behind[channels] == -1);
        }
      }
    }
}

TEST_CASE("integers that the denominators divide stay integers, and the offsets are added to the pointers") {
  const CookToom f = cook_toom_of(4, 3);
  const VectorSandwich filter(f.g, f.g);
  REQUIRE(filter.divides());
  constexpr std::int64_t kChannels = 40;
  Operands o(9, 36, kChannels, true);
  for (float& value : o.x) value *= 576;  // 24², which all products of G's denominators divide
  std::vector<const float*> in = o.in;
  std::vector<float*> out = o.out;
  for (const float*& pointer : in) pointer -= 5;
  for (float*& pointer : out) pointer += 2;
  filter.apply({.in = in.data(),
                .in_offset = 5,
                .out = out.data(),
                .out_offset = -2,
                .rows = 6,
                .columns = 6,
                .channels = kChannels},
               true);
  for (std::int64_t c = 0; c < kChannels; ++c) {
    const Expected e = expected(f.g, f.g, o, c);
    for (std::size_t at = 0; at < 36; ++at) REQUIRE(o.out[at][c] == static_cast<float>(std::round(e.value[at])));
  }
}
