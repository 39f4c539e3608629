#include "algorithms/winograd/cook_toom.h"

#include <algorithm>
#include <charconv>

#include "algorithms/error.h"

namespace convlens {

std::int64_t IntegerRow::entries() const {
  return std::ranges::count_if(numerators, [](std::int64_t numerator) { return numerator != 0; });
}

std::int64_t IntegerRow::absolute_sum() const {
  Rational sum;
  for (std::int64_t numerator : numerators) sum = sum + Rational(numerator < 0 ? -numerator : numerator);
  return sum.numerator();
}

double IntegerRow::absolute_value() const { return Rational(absolute_sum(), denominator).value(); }

IntegerRow integer_row(const FractionMatrix& matrix, std::int64_t row) {
  Rational common = 1;  // grows by what still stands below a fraction bar
  for (std::int64_t k = 0; k < matrix.columns(); ++k)
    common = common * Rational((matrix(row, k) * common).denominator());
  IntegerRow result{{}, common.numerator()};
  for (std::int64_t k = 0; k < matrix.columns(); ++k)
    result.numerators.push_back((matrix(row, k) * common).numerator());
  return result;
}

// 0, ±1 and ±2 need additions and shifts alone; these are the published points of F(2, 3) and F(4, 3). ±½
// follow as the reciprocals of ±2: small and large points balance the growth of A and B (Barabasz et al.
// 2018). −¼ and 4 are the next powers of two; of opposite signs, they let rounding errors grow a third as
// much as ±4 or ±¼ would.
std::vector<Rational> default_points(std::int64_t n) {
  static const std::vector<Rational> list{0, 1, -1, 2, -2, {1, 2}, {-1, 2}, {-1, 4}, 4};
  if (n < 1 || n > kMaxPoints)
    throw BadInput("n: " + std::to_string(n) + ", must be from 1 to " + std::to_string(kMaxPoints));
  return {list.begin(), list.begin() + (n - 1)};
}

namespace {

using Polynomial = std::vector<Rational>;  // coefficients, the constant one first

// Π (x − p) over all points but number `left_out`.
Polynomial product_of_roots(const std::vector<Rational>& points, std::size_t left_out) {
  Polynomial product{1};
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (k == left_out) continue;
    product.insert(product.begin(), 0);  // times x
    for (std::size_t power = 0; power + 1 < product.size(); ++power)
      product[power] = product[power] - points[k] * product[power + 1];
  }
  return product;
}

// 1, p, p², …, `count` of them.
std::vector<Rational> powers(Rational point, std::int64_t count) {
  std::vector<Rational> power{1};
  while (static_cast<std::int64_t>(power.size()) < count) power.push_back(power.back() * point);
  return power;
}

bool starts_negative(const Polynomial& polynomial) {
  const auto first = std::ranges::find_if(polynomial, [](const Rational& c) { return !c.zero(); });
  return first->numerator() < 0;
}

}  // namespace

// The product s of two polynomials is, by Lagrange, s(x) = Σ_i s(p_i)·M_i(x)/f_i + s(∞)·M(x) with M_i =
// Π_{k≠i} (x − p_k), f_i = M_i(p_i) and M = Π_k (x − p_k). Row i of Bᵀ holds M_i's coefficients; f_i is paid
// for in G, once a filter. The signs of the rows of 0 and ∞ are free, and chosen as published: those rows of
// Bᵀ start with a positive number.
CookToom cook_toom(std::int64_t m, std::int64_t r, const std::vector<Rational>& points) {
  if (m < 1) throw BadInput("m: " + std::to_string(m) + ", must be ≥ 1");
  if (r < 1) throw BadInput("r: " + std::to_string(r) + ", must be ≥ 1");
  const std::int64_t n = m + r - 1;
  if (static_cast<std::int64_t>(points.size()) != n - 1)
    throw BadInput("points: " + std::to_string(points.size()) + " finite ones, must be " + std::to_string(n - 1));

  CookToom f{m, r, points, FractionMatrix(m, n), FractionMatrix(n, r), FractionMatrix(n, n)};
  for (std::int64_t i = 0; i < n - 1; ++i) {
    const Rational point = points[static_cast<std::size_t>(i)];
    const std::vector<Rational> power = powers(point, n);
    const Polynomial others = product_of_roots(points, static_cast<std::size_t>(i));
    const Rational sign = point.zero() && starts_negative(others) ? -1 : 1;
    Rational at_point = 0;  // ± f_i
    for (std::size_t k = 0; k < others.size(); ++k) {
      f.bt(i, static_cast<std::int64_t>(k)) = sign * others[k];
      at_point = at_point + sign * others[k] * power[k];
    }
    if (at_point.zero()) throw BadInput("points: " + point.text() + " twice, must be distinct");
    for (std::int64_t k = 0; k < r; ++k) f.g(i, k) = power[static_cast<std::size_t>(k)] / at_point;
    for (std::int64_t k = 0; k < m; ++k) f.at(k, i) = power[static_cast<std::size_t>(k)];
  }
  const Polynomial all = product_of_roots(points, points.size());
  const Rational sign = starts_negative(all) ? -1 : 1;
  for (std::int64_t k = 0; k < n; ++k) f.bt(n - 1, k) = sign * all[static_cast<std::size_t>(k)];
  f.g(n - 1, r - 1) = 1;
  f.at(m - 1, n - 1) = sign;
  return f;
}

namespace {

// What spaces, or a comma with or without spaces, separate; an item is empty where a comma has nothing on a side.
std::vector<std::string_view> items_of(std::string_view text) {
  const auto trim = [](std::string_view item) {
    const std::size_t first = item.find_first_not_of(' ');
    return first == std::string_view::npos ? std::string_view{}
                                           : item.substr(first, item.find_last_not_of(' ') + 1 - first);
  };
  std::vector<std::string_view> items;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    std::string_view some = trim(text.substr(0, comma));
    more = comma != std::string_view::npos;
    text = more ? text.substr(comma + 1) : std::string_view{};
    for (std::size_t space = some.find(' '); space != std::string_view::npos; space = some.find(' ')) {
      items.push_back(some.substr(0, space));
      some = trim(some.substr(space));
    }
    items.push_back(some);
  }
  return items;
}

}  // namespace

std::optional<std::vector<Rational>> parse_points(std::string_view text) {
  constexpr std::int64_t kLargest = 1000;
  const auto integer = [](std::string_view digits) -> std::optional<std::int64_t> {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = error == std::errc{} && end == digits.data() + digits.size();
    return whole && value >= -kLargest && value <= kLargest ? std::optional(value) : std::nullopt;
  };
  std::vector<std::string_view> items = items_of(text);
  if (items.size() > 1 && items.back() == "inf") items.pop_back();  // implied
  std::vector<Rational> points;
  for (const std::string_view item : items) {
    const std::size_t slash = item.find('/');
    const auto numerator = integer(item.substr(0, slash));
    const auto denominator =
        slash == std::string_view::npos ? std::optional<std::int64_t>(1) : integer(item.substr(slash + 1));
    if (!numerator || !denominator || *denominator < 1) return std::nullopt;
    const Rational point(*numerator, *denominator);
    if (std::ranges::find(points, point) != points.end()) return std::nullopt;
    points.push_back(point);
  }
  return points;
}

std::string text(const std::vector<Rational>& points) {
  std::string line;
  for (const Rational& point : points) line += point.text() + " ";
  return line + "inf";
}

namespace {

// "Aᵀ =" and one line a row, the columns aligned.
std::string text(const std::string& name, const FractionMatrix& matrix) {
  std::size_t width = 0;
  for (std::int64_t i = 0; i < matrix.rows(); ++i)
    for (std::int64_t k = 0; k < matrix.columns(); ++k) width = std::max(width, matrix(i, k).text().size());
  std::string lines = name + " =\n";
  for (std::int64_t i = 0; i < matrix.rows(); ++i) {
    for (std::int64_t k = 0; k < matrix.columns(); ++k) {
      const std::string value = matrix(i, k).text();
      lines += std::string(width - value.size() + 2, ' ') + value;
    }
    lines += "\n";
  }
  return lines;
}

}  // namespace

std::string text(const CookToom& f) {
  return "F(" + std::to_string(f.m) + "," + std::to_string(f.r) + "), points " + text(f.points) + "\n" +
         text("Aᵀ", f.at) + text("G", f.g) + text("Bᵀ", f.bt);
}

}  // namespace convlens
