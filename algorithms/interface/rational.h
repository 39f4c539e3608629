// Exact fractions, for the coefficients of Winograd's transforms: 1/24 is 1/24, not 0.041666…
#pragma once

#include <cstdint>
#include <string>

#include "algorithms/error.h"

namespace convlens {

// Always in lowest terms with a positive denominator. Throws Unsupported when a result needs more than 64 bits.
class Rational {
 public:
  constexpr Rational(std::int64_t numerator = 0) : numerator_(numerator) {}
  Rational(std::int64_t numerator, std::int64_t denominator) : Rational(reduced(numerator, denominator)) {}

  std::int64_t numerator() const { return numerator_; }
  std::int64_t denominator() const { return denominator_; }
  bool zero() const { return numerator_ == 0; }
  double value() const { return static_cast<double>(numerator_) / static_cast<double>(denominator_); }

  std::string text() const {
    return std::to_string(numerator_) + (denominator_ == 1 ? "" : "/" + std::to_string(denominator_));
  }

  friend Rational operator+(Rational a, Rational b) {
    return reduced(wide(a.numerator_) * b.denominator_ + wide(b.numerator_) * a.denominator_,
                   wide(a.denominator_) * b.denominator_);
  }
  friend Rational operator*(Rational a, Rational b) {
    return reduced(wide(a.numerator_) * b.numerator_, wide(a.denominator_) * b.denominator_);
  }
  friend Rational operator/(Rational a, Rational b) {
    return reduced(wide(a.numerator_) * b.denominator_, wide(a.denominator_) * b.numerator_);
  }
  friend Rational operator-(Rational a) { return Rational(-a.numerator_, a.denominator_); }
  friend Rational operator-(Rational a, Rational b) { return a + (-b); }
  bool operator==(const Rational&) const = default;

 private:
  __extension__ using wide = __int128;

  static Rational reduced(wide numerator, wide denominator) {
    if (denominator == 0) throw BadInput("fraction: denominator 0, must be non-zero");
    wide a = numerator < 0 ? -numerator : numerator, b = denominator < 0 ? -denominator : denominator;
    while (b != 0) {
      const wide rest = a % b;
      a = b;
      b = rest;
    }
    if (denominator < 0) a = -a;
    numerator /= a;
    denominator /= a;
    Rational result;
    result.numerator_ = static_cast<std::int64_t>(numerator);
    result.denominator_ = static_cast<std::int64_t>(denominator);
    if (result.numerator_ != numerator || result.denominator_ != denominator)
      throw Unsupported("fraction: numerator or denominator, needs more than 64 bits");
    return result;
  }

  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

}  // namespace convlens
