// The Cook–Toom matrices: as published, and exact for any points.
#include "algorithms/winograd/cook_toom.h"

#include <set>

#include "algorithms/tensor/random.h"
#include "tests/catch.h"

using namespace convlens;

namespace {

FractionMatrix matrix(std::vector<std::vector<Rational>> rows) {
  FractionMatrix m(static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size()));
  for (std::int64_t i = 0; i < m.rows(); ++i)
    for (std::int64_t k = 0; k < m.columns(); ++k)
      m(i, k) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  return m;
}

// y_p is bilinear in d and g, so it is right for all data when it is right for unit vectors: the product with
// d = e_j and g = e_u must be 1 in output p = j − u, and 0 elsewhere.
bool computes_correlation(const CookToom& f) {
  for (std::int64_t j = 0; j < f.n(); ++j)
    for (std::int64_t u = 0; u < f.r; ++u)
      for (std::int64_t p = 0; p < f.m; ++p) {
        Rational y;
        for (std::int64_t i = 0; i < f.n(); ++i) y = y + f.at(p, i) * f.g(i, u) * f.bt(i, j);
        if (!(y == Rational(p + u == j ? 1 : 0))) return false;
      }
  return true;
}

std::vector<Rational> random_points(std::uint64_t seed, std::size_t count) {
  std::vector<Rational> points;
  for (std::uint64_t draw = 0; points.size() < count; ++draw) {
    const Rational point(random_integer(seed, 2 * draw, -6, 6), random_integer(seed, 2 * draw + 1, 1, 5));
    if (std::find(points.begin(), points.end(), point) == points.end()) points.push_back(point);
  }
  return points;
}

}  // namespace

TEST_CASE("F(2,3) and F(4,3) are the matrices of Lavin & Gray") {
  const CookToom f2 = cook_toom(2, 3, {0, 1, -1});
  CHECK(f2.at == matrix({{1, 1, 1, 0}, {0, 1, -1, -1}}));
  CHECK(f2.g == matrix({{1, 0, 0}, {{1, 2}, {1, 2}, {1, 2}}, {{1, 2}, {-1, 2}, {1, 2}}, {0, 0, 1}}));
  CHECK(f2.bt == matrix({{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}}));

  const CookToom f4 = cook_toom(4, 3, {0, 1, -1, 2, -2});
  CHECK(f4.at == matrix({{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}));
  CHECK(f4.g == matrix({{{1, 4}, 0, 0},
                        {{-1, 6}, {-1, 6}, {-1, 6}},
                        {{-1, 6}, {1, 6}, {-1, 6}},
                        {{1, 24}, {1, 12}, {1, 6}},
                        {{1, 24}, {-1, 12}, {1, 6}},
                        {0, 0, 1}}));
  CHECK(f4.bt == matrix({{4, 0, -5, 0, 1, 0},
                         {0, -4, -4, 1, 1, 0},
                         {0, 4, -4, -1, 1, 0},
                         {0, -2, -1, 2, 1, 0},
                         {0, 2, -1, -2, 1, 0},
                         {0, 4, 0, -5, 0, 1}}));
}

TEST_CASE("F(m,r) with the default points is the correlation, exactly") {
  for (std::int64_t r = 1; r <= kMaxPoints; ++r)
    for (std::int64_t m = 1; m + r - 1 <= kMaxPoints; ++m) {
      CAPTURE(m, r);
      CHECK(computes_correlation(cook_toom(m, r, default_points(m + r - 1))));
    }
}

TEST_CASE("F(m,r) with any distinct points is the correlation, exactly") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const std::int64_t m = random_integer(seed, 1000, 1, 4), r = random_integer(seed, 1001, 1, 4);
    const std::vector<Rational> points = random_points(seed, static_cast<std::size_t>(m + r - 2));
    CAPTURE(m, r, text(points));
    CHECK(computes_correlation(cook_toom(m, r, points)));
  }
}

TEST_CASE("a changed coefficient is not the correlation any more") {
  CookToom f = cook_toom(4, 3, default_points(6));
  f.g(3, 1) = f.g(3, 1) + Rational(1, 1000);
  CHECK_FALSE(computes_correlation(f));
}

TEST_CASE("default points are distinct, and of smaller n the beginnings of longer lists") {
  const std::vector<Rational> longest = default_points(kMaxPoints);
  for (std::int64_t n = 1; n <= kMaxPoints; ++n) {
    const std::vector<Rational> points = default_points(n);
    CHECK(points == std::vector<Rational>(longest.begin(), longest.begin() + (n - 1)));
  }
  std::set<double> values;
  for (const Rational& point : longest) values.insert(point.value());
  CHECK(values.size() == longest.size());
  CHECK_THROWS_WITH(default_points(kMaxPoints + 1), "n: 11, must be from 1 to 10");
}

TEST_CASE("the wrong points are refused by name") {
  CHECK_THROWS_WITH(cook_toom(2, 3, {0, 1}), "points: 2 finite ones, must be 3");
  CHECK_THROWS_WITH(cook_toom(2, 3, {0, {1, 2}, {2, 4}}), "points: 1/2 twice, must be distinct");
  CHECK_THROWS_WITH(cook_toom(0, 3, {0, 1}), "m: 0, must be ≥ 1");
  CHECK_THROWS_WITH(cook_toom(2, 0, {}), "r: 0, must be ≥ 1");
}

TEST_CASE("points are read as fractions, and everything else is no list of points") {
  CHECK(parse_points("0,1,-1,1/2,-2") == std::vector<Rational>{0, 1, -1, {1, 2}, -2});
  CHECK(text(*parse_points("0,2/4")) == "0 1/2 inf");
  // As they are printed, and as they may be typed.
  const std::vector<Rational> five{0, 1, -1, {1, 2}, -2};
  CHECK(parse_points(text(five)) == five);
  for (const char* typed : {"0, 1, -1, 1/2, -2", "0 1  -1 1/2 -2", " 0,1 -1 , 1/2 -2, inf "}) {
    CAPTURE(typed);
    CHECK(parse_points(typed) == five);
  }
  for (const char* wrong : {"",        " ",      "0,",      ",0",        "0,1,1",
                            "0,1/0",   "0,1/-2", "1/2,2/4", "0 0",       "0,,1",
                            "0 , , 1", "inf",    "inf 0",   "0 inf inf", "0 1 /2",
                            "0.5",     "0,+1",   "1001",    "0,1/1001",  "99999999999999999999",
                            "1/2/3"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_points(wrong));
  }
}

TEST_CASE("the matrices print as fractions, in aligned columns") {
  CHECK(text(cook_toom(2, 3, default_points(4))) ==
        "F(2,3), points 0 1 -1 inf\n"
        "Aᵀ =\n   1   1   1   0\n   0   1  -1  -1\n"
        "G =\n     1     0     0\n   1/2   1/2   1/2\n   1/2  -1/2   1/2\n     0     0     1\n"
        "Bᵀ =\n   1   0  -1   0\n   0   1   1   0\n   0  -1   1   0\n   0   1   0  -1\n");
}
