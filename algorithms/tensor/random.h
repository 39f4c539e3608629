// Random numbers by counter: value number k of stream `seed` is a pure function of (seed, k).
//
// So a tensor is the same whatever the layout, the number of threads or the order of filling, on host and device.
// The mixing function is SplitMix64's (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014),
// applied to the counter.
#pragma once

#include <cstdint>

namespace convlens {

constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + (counter + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Uniform in [−1, 1), a multiple of 2⁻⁵².
constexpr double random_uniform(std::uint64_t seed, std::uint64_t counter) {
  return static_cast<double>(random_bits(seed, counter) >> 11) * 0x1p-52 - 1.0;
}

// Uniform in {least, …, most}.
constexpr std::int64_t random_integer(std::uint64_t seed, std::uint64_t counter, std::int64_t least,
                                      std::int64_t most) {
  const auto range = static_cast<std::uint64_t>(most - least + 1);
  return least + static_cast<std::int64_t>(random_bits(seed, counter) % range);
}

}  // namespace convlens
