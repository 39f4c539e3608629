// A cell as a sum: its terms add up to its value, and the text says so.
#include "viewer/logic/sums.h"

#include "tests/catch.h"
#include "tests/viewer/states.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

double total(const Sum& sum) {
  double total = sum.bias.value_or(0);
  for (const Summand& term : sum.first) total += term.a * term.b;
  return total;
}

}  // namespace

TEST_CASE("the terms of a cell add up to its value, of y and of every stage that combines or multiplies") {
  int stages = 0;
  for (std::uint64_t k = 0; k < 12; ++k) {
    ConvSpec spec = testing::random_problem(71, k, 8, 3000).spec();
    if (k < 4) spec = testing::padded(1, {.n = 2, .ci = 3, .hi = 9, .wi = 8, .co = 2, .hf = 3, .wf = 3});
    spec.bias = k % 2 == 1;
    const auto model = std::make_shared<const Model>(testing::state_of(spec, testing::all_runs()));
    const Values values(model, random_sources(*model->problem(), k));
    for (const Exhibit& exhibit : model->exhibits()) {
      if (exhibit.cells() == 0) continue;
      const Coord cell = testing::some_cell(exhibit, 72, k);
      const Sum sum = sum_of(*model, values, exhibit, cell, 100'000);
      INFO(exhibit.id << " " << testing::text(cell));
      if (exhibit.role == Role::output) CHECK(sum.terms == model->problem()->ci_per_group() * model->problem()->taps());
      if (sum.terms == 0) continue;
      stages += exhibit.role == Role::stage;
      CHECK(static_cast<std::int64_t>(sum.first.size()) == sum.terms);
      CHECK(total(sum) == Approx(values.at(exhibit, cell).real()).margin(1e-9));
    }
  }
  CHECK(stages > 20);
}

TEST_CASE("a sum is written with its first terms, how many more there are, and what they come to") {
  const Sum sum{{{0.208, -0.0156}, {0.5, 0}, {2, 3}}, 9, std::nullopt};
  CHECK(sum.text(2, "0.028") == "= 0.208·(-0.0156) + 0.5·0 + … 7 more = 0.028");
  CHECK(sum.text(9, "1") == "= 0.208·(-0.0156) + 0.5·0 + 2·3 + … 6 more = 1");
  CHECK(Sum{{{1, 0.25, true}, {-1, 0.5, true}}, 2, std::nullopt}.text(2, "-0.25") == "= 0.25 + -1·0.5 = -0.25");
  CHECK(Sum{{{2, 3}}, 1, 0.5}.text(1, "6.5") == "= 2·3 + bias 0.5 = 6.5");
}
