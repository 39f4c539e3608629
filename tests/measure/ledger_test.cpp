#include "algorithms/measure/ledger.h"

#include <cmath>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/measure/session.h"
#include "tests/catch.h"
#include "tests/problem/some_problem.h"
#include "tests/support/rows.h"

using namespace convlens;

namespace {

// Every combination of the values that the options of `row` list; options of free text keep their default.
std::vector<OptionSet> option_sets(const Algorithm& row) {
  std::vector<OptionSet> sets{OptionSet::parse("", row.options)};
  for (const Option& option : row.options) {
    std::vector<OptionSet> more;
    for (const OptionSet& set : sets)
      for (const std::string& value : option.values) {
        more.push_back(set);
        more.back().set(option.id, value);
      }
    if (!more.empty()) sets = std::move(more);
  }
  return sets;
}

bool operator==(const Ledger::Line& a, const Ledger::Line& b) { return a.name == b.name && a.bytes == b.bytes; }

bool same(const std::vector<Ledger::Line>& a, const std::vector<Ledger::Line>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto& x, auto& y) { return x == y; });
}

}  // namespace

TEST_CASE("the ledger writes down what is allocated, by name") {
  Ledger ledger;
  const PlacedBuffer buffer = ledger.allocate("spectra", 4097);
  ledger.note("x", 12);
  CHECK(buffer.bytes() == 4097);
  REQUIRE(ledger.lines().size() == 2);
  CHECK(ledger.lines()[0].name == "spectra");
  CHECK(ledger.lines()[1].name == "x");
  CHECK(ledger.total() == 4109);
  CHECK_THROWS_AS(ledger.allocate("too much", std::int64_t{1} << 62), Unsupported);
  CHECK(ledger.lines().size() == 2);
}

TEST_CASE("the bytes that a run allocates are the plan's formula to the byte, for every row and option") {
  std::uint64_t seed = 0;
  for (const Algorithm* row : testing::rows_here())
    for (const OptionSet& options : option_sets(*row)) {
      int planned = 0;
      for (int trial = 0; trial < 30; ++trial, ++seed) {
        Request request{.problem = some_problem(seed),
                        .dtype = kDTypes[seed % kDTypes.size()],
                        .layouts = {kLayouts[seed % 3], kFilterLayouts[seed % 2], kLayouts[seed / 3 % 3]},
                        .options = options};
        if (const Support support = row->supports(request); !support) {  // a choosy row plans what it proposes instead
          if (!support.nearest || !row->supports(*support.nearest)) continue;
          request = *support.nearest;
        }
        ++planned;
        const auto plan = row->plan(request);
        INFO(plan->run_name() << " on problem " << seed);
        Session session(plan, seed);

        REQUIRE(same(session.ledger().lines(), planned_bytes(*plan)));
        std::int64_t workspace = 0;
        for (const Buffer& buffer : plan->workspace()) workspace += buffer.bytes;
        REQUIRE(workspace == plan->workspace_bytes());
        REQUIRE(session.ledger().total() == request.tensor_bytes() + plan->workspace_bytes());
        session.run();
      }
      INFO(run_name(*row, options));
      CHECK((planned > 0 || row->vendor));  // a library may know none of them
    }
}

TEST_CASE("a session's data depend on the seed and the coordinates alone, and its run computes y") {
  const ConvProblem problem({.n = 2, .ci = 3, .hi = 6, .wi = 5, .co = 4, .hf = 3, .wf = 2, .pad_top = 1, .bias = true});
  const Algorithm& row = *algorithms().front();
  Session a(row.plan({.problem = problem}), 5);
  Session b(row.plan({.problem = problem, .layouts = {Layout::CHWN, FilterLayout::OHWI, Layout::NHWC}}), 5);
  Session c(row.plan({.problem = problem}), 6);
  a.run();
  b.run();
  c.run();

  bool other_seed_differs = false;
  const Shape shape = problem.y_shape();
  for (std::int64_t n = 0; n < shape[0]; ++n)
    for (std::int64_t o = 0; o < shape[1]; ++o)
      for (std::int64_t p = 0; p < shape[2]; ++p)
        for (std::int64_t q = 0; q < shape[3]; ++q) {
          double sum = static_cast<const float*>(a.bias().data)[o];
          for (std::int64_t i = 0; i < problem.ci(); ++i)
            for (std::int64_t u = 0; u < problem.hf(); ++u)
              for (std::int64_t v = 0; v < problem.wf(); ++v)
                if (p + u >= 1) sum += element(a.x(), n, i, p + u - 1, q + v) * element(a.w(), o, i, u, v);
          REQUIRE(std::abs(element(a.y(), n, o, p, q) - sum) < 1e-5);
          REQUIRE(element(a.y(), n, o, p, q) == element(b.y(), n, o, p, q));
          other_seed_differs = other_seed_differs || element(a.y(), n, o, p, q) != element(c.y(), n, o, p, q);
        }
  CHECK(other_seed_differs);
}
