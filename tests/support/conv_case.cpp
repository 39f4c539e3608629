// How a ConvCase is told: the layer, its data, and what must come out.
#include <algorithm>
#include <cmath>

#include "algorithms/tensor/random.h"
#include "tests/catch.h"
#include "tests/support/conv_tester.h"

namespace convlens::testing {

namespace {

std::vector<double> counted(const Shape& shape, double first) {
  std::vector<double> values(static_cast<std::size_t>(elements(shape)));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = first + static_cast<double>(k);
  return values;
}

}  // namespace

Filler drawn(std::uint64_t seed, std::int64_t most) {
  return [=](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    const auto counter = static_cast<std::uint64_t>(((a * 1024 + b) * 1024 + c) * 1024 + d);
    return static_cast<double>(random_integer(seed, counter, -most, most));
  };
}

std::vector<Layouts> all_layouts() {
  std::vector<Layouts> all;
  for (Layout x : kLayouts)
    for (FilterLayout w : kFilterLayouts)
      for (Layout y : kLayouts) all.push_back({x, w, y});
  return all;
}

std::vector<Layouts> uniform_layouts() {
  return {{Layout::NCHW, FilterLayout::OIHW, Layout::NCHW},
          {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC},
          {Layout::CHWN, FilterLayout::OHWI, Layout::CHWN}};
}

ConvCase& ConvCase::input(std::int64_t n, std::int64_t ci, std::int64_t hi, std::int64_t wi) {
  spec_.n = n, spec_.ci = ci, spec_.hi = hi, spec_.wi = wi;
  return *this;
}
ConvCase& ConvCase::filter(std::int64_t co, std::int64_t hf, std::int64_t wf) {
  spec_.co = co, spec_.hf = hf, spec_.wf = wf;
  return *this;
}
ConvCase& ConvCase::stride(std::int64_t h, std::int64_t w) {
  spec_.stride_h = h, spec_.stride_w = w;
  return *this;
}
ConvCase& ConvCase::pad(std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right) {
  spec_.pad_top = top, spec_.pad_bottom = bottom, spec_.pad_left = left, spec_.pad_right = right;
  return *this;
}
ConvCase& ConvCase::dilation(std::int64_t h, std::int64_t w) {
  spec_.dilation_h = h, spec_.dilation_w = w;
  return *this;
}
ConvCase& ConvCase::groups(std::int64_t groups) {
  spec_.groups = groups;
  return *this;
}
ConvCase& ConvCase::layer(const ConvSpec& spec) {
  spec_ = spec;
  return *this;
}

ConvCase& ConvCase::x(Filler value) {
  x_ = [=](const Shape& shape) { return rounded_values(DType::f64, shape, value); };
  return *this;
}
ConvCase& ConvCase::w(Filler value) {
  w_ = [=](const Shape& shape) { return rounded_values(DType::f64, shape, value); };
  return *this;
}
ConvCase& ConvCase::w(std::vector<double> values) {
  w_ = [=](const Shape&) { return values; };
  return *this;
}
ConvCase& ConvCase::x_counts_from(double first) {
  x_ = [=](const Shape& shape) { return counted(shape, first); };
  return *this;
}
ConvCase& ConvCase::w_counts_from(double first) {
  w_ = [=](const Shape& shape) { return counted(shape, first); };
  return *this;
}
ConvCase& ConvCase::bias(std::function<double(std::int64_t)> value) {
  spec_.bias = true;
  bias_ = std::move(value);
  return *this;
}

ConvCase& ConvCase::in(std::vector<DType> dtypes) {
  dtypes_ = std::move(dtypes);
  return *this;
}
ConvCase& ConvCase::layouts(std::vector<Layouts> layouts) {
  layouts_ = std::move(layouts);
  return *this;
}
ConvCase& ConvCase::by_option_pairs() {
  by_option_pairs_ = true;
  return *this;
}
ConvCase& ConvCase::of(std::function<bool(const Algorithm&)> rows) {
  rows_ = std::move(rows);
  return *this;
}
ConvCase& ConvCase::x_lies(Strides strides, std::int64_t offset) {
  x_arrangement_ = Arrangement{offset, 0, strides, "given"};
  return *this;
}
ConvCase& ConvCase::views_strided(std::uint64_t seed) {
  views_seed_ = seed;
  return *this;
}

ConvCase& ConvCase::expect(std::function<void(const Reference&)> assertion) {
  expectations_.push_back(std::move(assertion));
  return *this;
}
ConvCase& ConvCase::expect_shape(std::int64_t n, std::int64_t co, std::int64_t ho, std::int64_t wo) {
  return expect([=](const Reference& r) { CHECK(r.problem.y_shape() == Shape{n, co, ho, wo}); });
}
ConvCase& ConvCase::expect_values(std::vector<double> y) {
  return expect([y = std::move(y)](const Reference& r) { CHECK(r.y == y); });
}
ConvCase& ConvCase::expect_starts_with(std::vector<double> y) {
  return expect([y = std::move(y)](const Reference& r) {
    CHECK(std::vector<double>(r.y.begin(), r.y.begin() + static_cast<std::ptrdiff_t>(y.size())) == y);
  });
}
ConvCase& ConvCase::expect_all(double value) {
  return expect([=](const Reference& r) { CHECK(r.y == std::vector<double>(r.y.size(), value)); });
}
ConvCase& ConvCase::expect_sums(double s1, double s2) {
  return expect([=](const Reference& r) {
    CHECK(check_sums(r.y).s1 == s1);
    CHECK(check_sums(r.y).s2 == s2);
  });
}
ConvCase& ConvCase::expect_at(std::int64_t flat, double value) {
  return expect([=](const Reference& r) { CHECK(r.y.at(static_cast<std::size_t>(flat)) == value); });
}
ConvCase& ConvCase::expect_largest(double magnitude) {
  return expect([=](const Reference& r) {
    double largest = 0;
    for (double y : r.y) largest = std::max(largest, std::abs(y));
    CHECK(largest == magnitude);
  });
}
ConvCase& ConvCase::of_a_series(std::uint64_t place) {
  place_ = place;
  return *this;
}
ConvCase& ConvCase::may_refuse(const std::string& family, const std::string& word) {
  may_refuse_[family] = word;
  return *this;
}
ConvCase& ConvCase::within(double tolerance) {
  tolerance_ = tolerance;
  return *this;
}
ConvCase& ConvCase::half_as_promised(const std::string& row) {
  half_as_promised_ = row;
  return *this;
}

ConvCase drawn_case(const ConvSpec& spec, std::uint64_t seed) {
  return ConvCase()
      .layer(spec)
      .x(drawn(seed, 5))
      .w(drawn(seed + 1000, 3))
      .layouts(uniform_layouts())
      .of_a_series(seed)
      .half_as_promised();
}

}  // namespace convlens::testing
