// What is shown of each type, against what tensors and buffers of the type hold.
#include <cmath>
#include <limits>
#include <map>

#include "tests/catch.h"
#include "tests/support/plan_run.h"
#include "tests/viewer/states.h"
#include "viewer/logic/sums.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

testing::Reference stored_reference(const ConvProblem& p, DType dtype, const Sources& exact) {
  std::vector<double> bias;
  for (std::int64_t o = 0; o < p.co() && p.bias(); ++o) bias.push_back(testing::rounded(dtype, exact.bias(o)));
  return {p, dtype, testing::rounded_values(dtype, p.x_shape(), exact.x),
          testing::rounded_values(dtype, p.w_shape(), exact.w), bias};
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Random numbers, a few of them beyond the largest of f16, and one that no type has.
Sources wide_sources(const ConvProblem& p, std::uint64_t seed) {
  Sources sources = random_sources(p, seed);
  sources.x = [x = sources.x](auto n, auto c, auto h, auto w) {
    return h == 2 && w == 1 ? 70000 : h == 0 && w == 0 ? 0.1 : x(n, c, h, w);
  };
  return sources;
}

std::shared_ptr<const Model> model_of(const ConvSpec& spec, const std::string& run, DType dtype) {
  State state = testing::state_of(spec, {run});
  state.dtype = dtype;
  return std::make_shared<const Model>(state);
}

}  // namespace

TEST_CASE("x, w and y are shown as their type holds them, and y is what direct.ref writes") {
  int infinite = 0;
  for (const DType dtype : kDTypes)
    for (std::uint64_t k = 0; k < 12; ++k) {
      const auto model = model_of(testing::random_problem(91, k, 8, 3000).spec(), "direct.ref", dtype);
      const ConvProblem& p = *model->problem();
      if (p.n() == 0) continue;
      INFO(name(dtype) << ", problem " << k);
      const Sources exact = wide_sources(p, k);
      const Values values(model, exact);
      const testing::Reference reference = stored_reference(p, dtype, exact);
      for (const auto& [id, stored] : {std::pair("x", &reference.x), std::pair("w", &reference.w)}) {
        std::size_t flat = 0;
        testing::for_each(testing::whole(*model->find(id)), [&, all = stored, id = id](const Coord& at) {
          REQUIRE(same_number(values.at(*model->find(id), at).real(), (*all)[flat++]));
        });
        CHECK(flat == stored->size());
      }
      REQUIRE(model->rows().front().plan);
      const std::vector<double> computed = testing::computed(*model->rows().front().plan, reference);
      // Rounding once more, or summing in another order or in f32, may end on the number beside.
      const double u = std::max(unit_roundoff(dtype), dtype == DType::f64 ? 0 : unit_roundoff(DType::f32));
      std::size_t flat = 0;
      testing::for_each(testing::whole(*model->find("y")), [&](const Coord& at) {
        const double shown = values.at(*model->find("y"), at).real(), ran = computed[flat];
        const double sums = unit_roundoff(accumulator_of(dtype)) * 2 * static_cast<double>(p.taps() * p.ci_per_group());
        const double slack = 2 * u * std::abs(ran) + sums * reference.sum_abs[flat];
        INFO(shown << " at " << testing::text(at) << ", computed " << ran);
        if (dtype != DType::f64) CHECK(same_number(shown, testing::rounded(dtype, reference.y[flat])));
        CHECK((same_number(shown, ran) || std::abs(shown - ran) <= slack));
        infinite += std::isinf(shown);
        ++flat;
      });
    }
  CHECK(infinite > 10);
}

TEST_CASE("copies show to the bit what a run leaves in their buffers") {
  std::map<std::string, int> compared;
  for (const DType dtype : kDTypes)
    for (std::uint64_t k = 0; k < 8; ++k)
      for (const char* run : {"im2col.ref", "im2win.ref"}) {
        const auto model = model_of(testing::random_problem(92, k, 8, 3000).spec(), run, dtype);
        const ChosenRow& row = model->rows().front();
        if (!row.plan || model->problem()->n() == 0) continue;
        const Sources exact = wide_sources(*model->problem(), k);
        const Values values(model, exact);
        const testing::Reference reference = stored_reference(*model->problem(), dtype, exact);
        const testing::Arrangements at = testing::Arrangements::of(row.plan->request());
        const testing::RunInputs inputs(reference, at.x, at.w);
        testing::GuardedTensor y(dtype, model->problem()->y_shape(), at.y);
        testing::GuardedWorkspace memory(row.plan->workspace_bytes());
        row.plan->run({inputs.x(), inputs.w(), inputs.bias(), y.view()}, memory.span());
        for (const Exhibit& exhibit : model->exhibits()) {
          if (exhibit.role != Role::stage) continue;
          const Stage& stage = model->stage(exhibit);
          if (!stage.stored || stage.passes() > 1 || stage.copies > 1) continue;
          const auto buffer = std::ranges::find(row.plan->workspace(), stage.id, &Buffer::name);
          const std::byte* const first = memory.span().data() + buffer->offset;
          int different = 0;
          testing::for_each(testing::whole(exhibit), [&](const Coord& cell) {
            if (stage.map->source(cell).kind == SourceKind::alignment_padding) return;
            const double stored = visit(stage.dtype, [&]<class T>() -> double {
              return reinterpret_cast<const T*>(first)[stage.offset(cell)];
            });
            different += !same_number(values.at(exhibit, cell).real(), stored);
          });
          INFO(exhibit.id << " of " << name(dtype) << ", problem " << k);
          CHECK(different == 0);
          ++compared[run + std::string(name(dtype))];
        }
      }
  CHECK(compared.size() == 2 * kDTypes.size());
}

TEST_CASE("what half a type cannot hold is shown so, and so are the terms of the formula") {
  const ConvSpec spec{.n = 1, .ci = 1, .hi = 3, .wi = 3, .co = 1, .hf = 2, .wf = 2};
  Sources exact;
  exact.x = [](auto, auto, auto h, auto w) { return h == 0 && w == 1 ? 70000 : 0.1; };
  exact.w = [](auto...) { return 1.0; };
  exact.bias = [](auto) { return 0.0; };
  const std::map<DType, std::pair<double, double>> expected{
      {DType::f16, {0.0999755859375, std::numeric_limits<double>::infinity()}},
      {DType::bf16, {0.10009765625, 70144}},
      {DType::f32, {0.100000001490116119384765625, 70000}},
      {DType::f64, {0.1, 70000}}};
  for (const auto& [dtype, numbers] : expected) {
    const auto model = model_of(spec, "im2col.ref", dtype);
    const Values values(model, exact);
    INFO(name(dtype));
    CHECK(values.at(*model->find("x"), {}).real() == numbers.first);
    CHECK(values.at(*model->find("x"), {0, 0, 0, 1}).real() == numbers.second);
    CHECK(values.at(*model->find("im2col.ref/im2col"), {0, 0, 0, 0, 0, 1}).real() == numbers.second);
    const Sum sum = sum_of(*model, values, *model->find("y"), {}, 9);
    REQUIRE(sum.first.size() == 4);
    CHECK(sum.first[0].a == numbers.first);
    CHECK(sum.first[1].a == numbers.second);
    CHECK(std::isinf(values.at(*model->find("y"), {}).real()) == (dtype == DType::f16));
  }
}
