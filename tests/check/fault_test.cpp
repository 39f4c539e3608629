// The checker must fail where a row does more than compute y: touches memory that is not its own, or gives something
// else the next time.
#include "algorithms/check/check.h"
#include "tests/catch.h"
#include "tests/support/spoilt.h"
#include "tests/support/verdicts.h"

using namespace convlens;
using namespace convlens::testing;

TEST_CASE("the checker finds a row that reads its workspace before writing it", "[check]") {
  const Algorithm row = spoilt("garbage", [](const Spoiling& s) {
    s.compute(s.arguments);
    set(s.arguments.y, {0, 0, 0, 0}, get(s.arguments.y, {0, 0, 0, 0}) + 0 * s.workspace.get<float>("scratch")[5]);
  });
  for (DType dtype : kDTypes) CHECK(breaks(row, {kSmall, dtype}, "exact"));
}

TEST_CASE("the checker finds a row that adds to what y held", "[check]") {
  const Algorithm row = spoilt("accumulates", [](const Spoiling& s) {
    const Tensor before = converted(s.arguments.y, DType::f64, Layout::NCHW);
    s.compute(s.arguments);
    for_each(s.arguments.y.shape, [&](const Shape& at) {
      const double old = get(before.view(), at);
      if (!std::isnan(old)) set(s.arguments.y, at, get(s.arguments.y, at) + old);
    });
  });
  CHECK(faulty(row, "a second run gave y("));
}

TEST_CASE("the checker finds a row that writes where it may not", "[check]") {
  // A row that flips a bit of the byte that `where` names, once y is computed.
  const auto writes = [](const std::function<const void*(const Spoiling&)>& where) {
    return spoilt("writes", [where](const Spoiling& s) {
      s.compute(s.arguments);
      *static_cast<unsigned char*>(const_cast<void*>(where(s))) ^= 1;
    });
  };
  const auto past = [](const TensorView& y) {
    return static_cast<const char*>(y.data) + elements(y.shape) * size_of(y.dtype);
  };
  CHECK(faulty(writes([=](const Spoiling& s) { return past(s.arguments.y); }), "wrote outside y"));
  const auto before = [](const TensorView& y) { return static_cast<const char*>(y.data) - 1; };
  const auto past_scratch = [](const Spoiling& s) { return s.workspace.get<char>("scratch") + 64; };
  CHECK(faulty(writes([=](const Spoiling& s) { return before(s.arguments.y); }), "wrote outside y"));
  CHECK(faulty(writes(past_scratch), "wrote outside the workspace"));
  CHECK(faulty(writes([](const Spoiling& s) { return s.arguments.x.data; }), "wrote into x"));
  CHECK(faulty(writes([](const Spoiling& s) { return s.arguments.w.data; }), "wrote into w"));
  CHECK(faulty(writes([](const Spoiling& s) { return s.arguments.bias.data; }), "wrote into bias"));
}

TEST_CASE("the checker finds a row that reads outside x", "[check]") {
  const Algorithm row = spoilt("reads_outside", [](const Spoiling& s) {
    s.compute(s.arguments);
    visit(s.arguments.x.dtype, [&]<class T>() {
      const double before = static_cast<const T*>(s.arguments.x.data)[-1];
      set(s.arguments.y, {0, 0, 0, 0}, get(s.arguments.y, {0, 0, 0, 0}) + 0 * before);
    });
  });
  for (DType dtype : kDTypes) CHECK(breaks(row, {kSmall, dtype}, "exact"));
}

TEST_CASE("the checker finds a row that takes views for dense", "[check]") {
  const Algorithm row = spoilt("ignores_strides", [](const Spoiling& s) {
    Arguments arguments = s.arguments;
    arguments.x.strides = dense_strides(Layout::NHWC, arguments.x.shape);
    s.compute(arguments);
  });
  const Request request{kSmall, DType::f32, {Layout::NHWC, FilterLayout::OIHW, Layout::NCHW}};
  CHECK(breaks(row, request, "worst"));
  CHECK(verdict(checked(row, request), "exact").kept);  // dense views
}

TEST_CASE("the checker finds a result that depends on the number of threads", "[check]") {
  const Algorithm row = spoilt("threads", [](const Spoiling& s) {
    s.compute(s.arguments);
    const Shape at{0, 1, 2, 3};
    const double y = get(s.arguments.y, at);
    if (s.threads == 1) set(s.arguments.y, at, y * (1 + 4 * unit_roundoff(s.arguments.y.dtype)));
  });
  const CheckResult result = checked(row, {.problem = kSmall, .threads = 2});
  CHECK(verdict(result, "worst").fault.find("1 thread gave y(0,1,2,3)") == 0);
  CHECK_FALSE(result.passed());
}

TEST_CASE("the checker reports a row that throws", "[check]") {
  const Algorithm row = spoilt("throws", [](const Spoiling&) { throw std::runtime_error("no more paper"); });
  CHECK(faulty(row, "threw: no more paper"));
}
