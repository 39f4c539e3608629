#include "algorithms/check/verdict.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "algorithms/tensor/numbering.h"

namespace convlens {

namespace {

// '.' decimals in any locale; as many digits as it takes to read the same number back, or as told.
std::string text(double value) {
  std::array<char, 32> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}
std::string text(double value, int digits) {
  std::array<char, 32> buffer;
  const auto format = std::chars_format::general;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, digits).ptr};
}

std::string text(const Shape& at) {
  std::string list;
  for (std::int64_t index : at) list += (list.empty() ? "" : ",") + std::to_string(index);
  return "y(" + list + ")";
}

double error_of(double got, double expected) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0;
  const double difference = std::abs(got - expected);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

}  // namespace

std::string Verdict::line() const {
  if (!made) return promise + ": not promised";
  if (!fault.empty()) return promise + ": " + fault;
  const bool counted = promise == "exact" || promise == "nonfinite";
  if (kept) return promise + ": kept" + (counted ? "" : ", ratio " + text(ratio, 3));
  const std::string how_far = counted ? text(ratio) + " wrong" : "ratio " + text(ratio, 3);
  return promise + ": " + text(at.value()) + " = " + text(got) + ", expected " + text(expected) +
         (bound > 0 ? " ± " + text(bound, 3) : "") + " (" + how_far + ")";
}

void Comparison::add(std::size_t output, double got, double expected, double bound) {
  const double error = error_of(got, expected);
  const bool promised = std::isfinite(bound);  // a bound without end is a fault of the row's error model
  if (!promised || !(error <= bound)) ++wrong_;
  const double ratio = !promised ? std::numeric_limits<double>::infinity() : error == 0 ? 0 : error / bound;
  if (ratio <= ratio_) return;
  ratio_ = ratio;
  output_ = output, got_ = got, expected_ = expected, bound_ = bound;
}

void Comparison::conclude(Verdict& verdict, const Shape& y_shape, bool count_wrong) const {
  verdict.kept = wrong_ == 0 && verdict.fault.empty();
  verdict.ratio = count_wrong ? static_cast<double>(wrong_) : ratio_;
  if (y_shape[0] == 0) return;  // an empty batch has no outputs
  verdict.at = place_of(static_cast<std::int64_t>(output_), y_shape);
  verdict.got = got_, verdict.expected = expected_, verdict.bound = bound_;
}

std::string first_difference(std::span<const double> got, std::span<const double> expected, const Shape& y_shape) {
  for (std::size_t k = 0; k < got.size(); ++k)
    if (std::bit_cast<std::uint64_t>(got[k]) != std::bit_cast<std::uint64_t>(expected[k]))
      return text(place_of(static_cast<std::int64_t>(k), y_shape)) + " = " + text(got[k]) + ", not " +
             text(expected[k]);
  return "";
}

}  // namespace convlens
