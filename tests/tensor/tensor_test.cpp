#include "algorithms/tensor/tensor.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "algorithms/error.h"
#include "algorithms/tensor/random.h"
#include "tests/catch.h"

using namespace convlens;

// Memory that isn't there is reported by us, also under AddressSanitizer, which otherwise stops the program.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace {

constexpr Shape kShape{2, 3, 5, 4};

std::uint64_t counter(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return static_cast<std::uint64_t>(((n * kShape[1] + c) * kShape[2] + h) * kShape[3] + w);
}

// Integers that every type holds exactly.
double whole(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return static_cast<double>(random_integer(7, counter(n, c, h, w), -256, 256));
}

template <class Visit>
void for_each(const Shape& shape, Visit&& visit) {
  for (std::int64_t n = 0; n < shape[0]; ++n)
    for (std::int64_t c = 0; c < shape[1]; ++c)
      for (std::int64_t h = 0; h < shape[2]; ++h)
        for (std::int64_t w = 0; w < shape[3]; ++w) visit(n, c, h, w);
}

bool same(const ConstTensorView& a, const ConstTensorView& b) {
  bool same = a.shape == b.shape;
  for_each(a.shape, [&](auto... at) { same = same && element(a, at...) == element(b, at...); });
  return same;
}

}  // namespace

TEST_CASE("layouts lie in memory as their names say") {
  CHECK(dense_strides(Layout::NCHW, kShape) == Strides{60, 20, 4, 1});
  CHECK(dense_strides(Layout::NHWC, kShape) == Strides{60, 1, 12, 3});
  CHECK(dense_strides(Layout::CHWN, kShape) == Strides{1, 40, 8, 2});
  CHECK(dense_strides(FilterLayout::OIHW, kShape) == Strides{60, 20, 4, 1});
  CHECK(dense_strides(FilterLayout::OHWI, kShape) == Strides{60, 1, 12, 3});
  for (Layout layout : kLayouts) CHECK(parse_layout(name(layout)) == layout);
  for (FilterLayout layout : kFilterLayouts) CHECK(parse_filter_layout(name(layout)) == layout);
  CHECK(!parse_layout("nchw"));
  CHECK(!parse_filter_layout("HWIO"));
}

TEST_CASE("a tensor goes from any type and layout to any other and back unchanged") {
  for (DType from : kDTypes)
    for (DType to : kDTypes)
      for (Layout from_layout : kLayouts) {
        Tensor source(from, from_layout, kShape);
        fill(source.view(), whole);
        for (Layout to_layout : kLayouts) {
          const Tensor there = converted(source.view(), to, to_layout);
          CHECK(there.bytes() == elements(kShape) * size_of(to));
          CHECK(same(there.view(), source.view()));
          CHECK(same(converted(there.view(), from, from_layout).view(), source.view()));
        }
        for (FilterLayout to_layout : kFilterLayouts)
          CHECK(same(converted(source.view(), to, to_layout).view(), source.view()));
      }
}

TEST_CASE("conversion rounds once to the nearest value of the narrower type") {
  Tensor wide(DType::f64, Layout::NCHW, kShape);
  fill(wide.view(), [](auto... at) { return random_uniform(3, counter(at...)); });
  for (DType to : kDTypes) {
    const Tensor narrow = converted(wide.view(), to, Layout::NHWC);
    visit(to, [&]<class T>() {
      for_each(kShape, [&](auto... at) {
        REQUIRE(element(narrow.view(), at...) == static_cast<double>(static_cast<T>(element(wide.view(), at...))));
      });
    });
  }

  fill(wide.view(), [](auto...) { return 1 + 0x1p-11 + 0x1p-40; });  // by way of float this would become 1
  CHECK(element(converted(wide.view(), DType::f16, Layout::NCHW).view(), 1, 2, 3, 3) == 1 + 0x1p-10);
}

TEST_CASE("a NaN, an infinity and the sign of zero survive every conversion") {
  for (DType from : kDTypes)
    for (DType to : kDTypes) {
      Tensor source(from, Layout::NCHW, {1, 1, 1, 3});
      fill(source.view(), [](auto, auto, auto, auto w) { return w == 0 ? std::nan("") : w == 1 ? -INFINITY : -0.0; });
      const Tensor there = converted(source.view(), to, Layout::CHWN);
      CHECK(std::isnan(element(there.view(), 0, 0, 0, 0)));
      CHECK(element(there.view(), 0, 0, 0, 1) == -INFINITY);
      CHECK(std::signbit(element(there.view(), 0, 0, 0, 2)));
    }
}

TEST_CASE("views with any strides are read and written where they say") {
  Tensor tensor(DType::f32, Layout::NHWC, kShape);
  fill(tensor.view(), whole);
  const Strides s = tensor.view().strides;
  float* const data = tensor.as<float>().data;

  SECTION("reversed: negative strides") {
    const ConstTensorView reversed{data + 4 * s[2] + 3 * s[3], DType::f32, kShape, {s[0], s[1], -s[2], -s[3]}};
    const Tensor copy = converted(reversed, DType::f64, Layout::CHWN);
    for_each(kShape, [&](auto n, auto c, auto h, auto w) {
      REQUIRE(element(copy.view(), n, c, h, w) == whole(n, c, 4 - h, 3 - w));
    });
  }
  SECTION("transposed") {
    const ConstTensorView transposed{data, DType::f32, {2, 3, 4, 5}, {s[0], s[1], s[3], s[2]}};
    const Tensor copy = converted(transposed, DType::f16, Layout::NCHW);
    for_each(copy.shape(),
             [&](auto n, auto c, auto h, auto w) { REQUIRE(element(copy.view(), n, c, h, w) == whole(n, c, w, h)); });
  }
  SECTION("every second column of a crop") {
    const ConstTensorView crop{data + s[2], DType::f32, {2, 3, 3, 2}, {s[0], s[1], s[2], 2 * s[3]}};
    const Tensor copy = converted(crop, DType::bf16, Layout::NHWC);
    for_each(copy.shape(), [&](auto n, auto c, auto h, auto w) {
      REQUIRE(element(copy.view(), n, c, h, w) == whole(n, c, h + 1, 2 * w));
    });
  }
  SECTION("broadcast: a stride of zero") {
    const ConstTensorView row{data, DType::f32, kShape, {s[0], s[1], 0, s[3]}};
    const Tensor copy = converted(row, DType::f32, Layout::NCHW);
    for_each(kShape,
             [&](auto n, auto c, auto h, auto w) { REQUIRE(element(copy.view(), n, c, h, w) == whole(n, c, 0, w)); });
  }
  SECTION("as the destination, and nothing beside it is touched") {
    std::vector<double> memory(2 * 120, -1);
    const TensorView sparse{memory.data() + 238, DType::f64, kShape, {-120, -40, -8, -2}};
    convert(tensor.view(), sparse);
    CHECK(same(sparse, tensor.view()));
    for (std::size_t k = 1; k < memory.size(); k += 2) REQUIRE(memory[k] == -1);
  }
}

TEST_CASE("a tensor without images is legal") {
  const Shape empty{0, 3, 5, 4};
  for (DType dtype : kDTypes)
    for (Layout layout : kLayouts) {
      Tensor none(dtype, layout, empty);
      CHECK(none.bytes() == 0);
      CHECK(none.size() == 0);
      CHECK(none.view().strides == dense_strides(layout, {1, 3, 5, 4}));
      fill(none.view(), [](auto...) -> double { throw std::logic_error("there is no element to fill"); });
      CHECK(converted(none.view(), DType::f16, Layout::CHWN).shape() == empty);
    }
}

TEST_CASE("memory is aligned to 64 bytes, and what does not exist is refused by its size") {
  for (std::int64_t bytes : {1, 63, 64, 4097})
    CHECK(reinterpret_cast<std::uintptr_t>(HostBuffer(bytes).data()) % 64 == 0);
  CHECK(HostBuffer().bytes() == 0);
  CHECK(HostBuffer(0).data() == nullptr);
  CHECK_THROWS_WITH(HostBuffer(std::int64_t{1} << 62),
                    "memory: 4611686018427387904 bytes asked for, more than the host has");
  CHECK_THROWS_AS(HostBuffer(std::int64_t{1} << 62), Unsupported);
}

TEST_CASE("a conversion between different shapes or places is refused") {
  Tensor a(DType::f32, Layout::NCHW, kShape), b(DType::f32, Layout::NCHW, {2, 3, 4, 5});
  CHECK_THROWS_WITH(convert(a.view(), b.view()), "shape: source and destination of a conversion differ, must be equal");
  TensorView elsewhere = a.view();
  elsewhere.place = {Place::Kind::device, 0};
  CHECK_THROWS_WITH(convert(a.view(), elsewhere), "place: a conversion runs on the host, both views must be there");
  CHECK_THROWS_AS(convert(elsewhere, a.view()), BadInput);
}

TEST_CASE("random numbers are a function of seed and counter, in the stated range") {
  double sum = 0, least = 1, most = -1;
  for (std::uint64_t k = 0; k < 100000; ++k) {
    const double x = random_uniform(5, k);
    REQUIRE(x == random_uniform(5, k));
    sum += x, least = std::min(least, x), most = std::max(most, x);
  }
  CHECK(least >= -1);
  CHECK(most < 1);
  CHECK(least < -0.999);
  CHECK(most > 0.999);
  CHECK(std::abs(sum / 100000) < 0.01);
  CHECK(random_uniform(5, 0) != random_uniform(6, 0));

  std::array<int, 7> seen{};
  for (std::uint64_t k = 0; k < 7000; ++k) ++seen[static_cast<std::size_t>(random_integer(1, k, -3, 3) + 3)];
  for (int count : seen) CHECK(count > 800);
}
