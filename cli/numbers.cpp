#include "cli/numbers.h"

#include <array>
#include <charconv>
#include <cmath>

#include "algorithms/error.h"

namespace convlens::cli {

namespace {

std::string in_format(double value, std::chars_format format, int digits) {
  if (!std::isfinite(value)) return "n/a";
  std::array<char, 400> buffer;  // the longest double in fixed notation has 309 digits before the point
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, digits).ptr;
  return {buffer.data(), end};
}

struct Unit {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array kSizeUnits{Unit{"", 1},
                                Unit{"B", 1},
                                Unit{"KB", 1'000},
                                Unit{"KiB", std::int64_t{1} << 10},
                                Unit{"MB", 1'000'000},
                                Unit{"MiB", std::int64_t{1} << 20},
                                Unit{"GB", 1'000'000'000},
                                Unit{"GiB", std::int64_t{1} << 30}};

}  // namespace

std::string fixed(double value, int digits) { return in_format(value, std::chars_format::fixed, digits); }
std::string significant(double value, int digits) { return in_format(value, std::chars_format::general, digits); }

std::string grouped(std::int64_t value) {
  std::string text = std::to_string(value);
  const int sign = value < 0 ? 1 : 0;
  for (int at = static_cast<int>(text.size()) - 3; at > sign; at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ' ');
  return text;
}

std::string bytes_short(std::int64_t bytes) {
  constexpr std::array names{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < names.size()) value /= 1024, ++unit;
  return (unit == 0 ? std::to_string(bytes) : fixed(value, 2)) + names[unit];
}

std::string bytes_text(std::int64_t bytes) {
  return grouped(bytes) + " B" + (bytes >= 1024 ? " = " + bytes_short(bytes) : "");
}

std::string flops_text(std::int64_t flops) {
  constexpr std::array names{" FLOP", " kFLOP", " MFLOP", " GFLOP", " TFLOP", " PFLOP", " EFLOP"};
  double value = static_cast<double>(flops);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < names.size()) value /= 1000, ++unit;
  return (unit == 0 ? std::to_string(flops) : fixed(value, 2)) + names[unit];
}

std::int64_t parse_integer(const std::string& parameter, std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most) return value;
  throw BadInput(parameter + ": " + std::string(text) + ", must be an integer from " + std::to_string(least) + " to " +
                 std::to_string(most));
}

double parse_number(const std::string& parameter, std::string_view text, double least, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most) return value;
  throw BadInput(parameter + ": " + std::string(text) + ", must be a number from " + significant(least, 6) + " to " +
                 significant(most, 6));
}

std::int64_t parse_size(const std::string& parameter, std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  for (const Unit& known : kSizeUnits) {
    const double bytes = value * static_cast<double>(known.bytes);
    if (error != std::errc{} || unit != known.name || !std::isfinite(value) || bytes < 1) continue;
    if (bytes >= 0x1p63)
      throw BadInput(parameter + ": " + std::string(text) + ", overflows 64 bits, must be ≤ 9223372036854775807 bytes");
    return static_cast<std::int64_t>(bytes);
  }
  throw BadInput(parameter + ": " + std::string(text) +
                 ", must be a positive size in B, KB, KiB, MB, MiB, GB or GiB, as in 8GiB");
}

}  // namespace convlens::cli
