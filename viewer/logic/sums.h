// A cell's value as the sum that it is, with its numbers: the first terms of it, and how many more there are.
//
//   y(n, o, p, q)   Σ x · w, over the window's channels and taps, padding included      (+ bias)
//   combinations    Σ coefficient · element                                             products   Σ A · B
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viewer/logic/values.h"

namespace convlens::viewer {

struct Summand {
  double a = 0, b = 1;
  bool coefficient = false;  // a is an exact factor, and left out where it is 1

  std::string text() const;  // "0.208·0.0156", with parentheses around a negative second factor
};

struct Sum {
  std::vector<Summand> first;  // the terms that come first, in the order of the definition
  std::int64_t terms = 0;      // all of them
  std::optional<double> bias = std::nullopt;

  // "= 0.208·(-0.0156) + 0.195·0 + … 574 more = 0.028": the first `shown` terms, at most those that are here.
  std::string text(std::size_t shown, const std::string& total) const;
};

// Of a cell of y, and of stages that combine or multiply real numbers; no terms for any other.
Sum sum_of(const Model& model, const Values& values, const Exhibit& exhibit, const Coord& cell, std::size_t most);

}  // namespace convlens::viewer
