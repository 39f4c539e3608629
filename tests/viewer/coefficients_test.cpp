// The exact coefficients of what lights up: those of M in y are the matrix Aᵀ, of every Winograd row and every F(m, r),
// and with them M adds up to y.
#include "viewer/logic/coefficients.h"

#include <cmath>

#include "algorithms/winograd/cook_toom.h"
#include "tests/catch.h"
#include "tests/viewer/states.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

struct WinogradRun {
  std::string row;
  DType dtype;
};
const std::vector<WinogradRun>& winograd_rows() {
  static const std::vector<WinogradRun> rows{{"winograd.ref", DType::f64},
                                             {"winograd.cpu", DType::f32},
                                             {"winograd.cc", DType::f32},
                                             {"winograd.tc", DType::f16},
                                             {"winograd.tc", DType::bf16}};
  return rows;
}

// The model of one row on the layer, where the row computes it.
std::shared_ptr<const Model> model_of(const ConvSpec& spec, const std::string& run, DType dtype) {
  State state = testing::state_of(spec, {run});
  state.dtype = dtype;
  auto model = std::make_shared<const Model>(state);
  return model->rows().empty() || !model->rows().front().plan ? nullptr : model;
}

// Aᵀ of F(m, r), m as the row has it.
FractionMatrix at_of(std::int64_t m, std::int64_t r) {
  const bool one_tap = r == 1;
  const CookToom matrices = one_tap ? cook_toom(1, 1, {}) : cook_toom(m, r, default_points(m + r - 1));
  return matrices.at;
}

std::vector<ConvSpec> layers() {
  using testing::padded;
  return {padded(1, {.n = 2, .ci = 3, .hi = 9, .wi = 8, .co = 4, .hf = 3, .wf = 3, .bias = true}),
          {.n = 1, .ci = 4, .hi = 11, .wi = 7, .co = 6, .hf = 3, .wf = 3, .pad_left = 2, .groups = 2},
          {.n = 1, .ci = 2, .hi = 10, .wi = 12, .co = 3, .hf = 2, .wf = 4},
          {.n = 2, .ci = 2, .hi = 12, .wi = 6, .co = 2, .hf = 5, .wf = 1},
          padded(2, {.n = 1, .ci = 1, .hi = 6, .wi = 9, .co = 1, .hf = 5, .wf = 5})};
}

}  // namespace

TEST_CASE("the coefficients between M and y are the matrix A of every Winograd row and F(m, r), and add up to y") {
  std::map<std::string, int> tried;
  std::uint64_t number = 0;
  for (const ConvSpec& spec : layers())
    for (const auto& [row, dtype] : winograd_rows())
      for (int m = 1; m <= 6; ++m) {
        const auto model = model_of(spec, row + ":m=" + std::to_string(m), dtype);
        if (model == nullptr) continue;
        INFO(model->rows().front().run << " of a filter of " << spec.hf << "x" << spec.wf);
        const Values values(model, random_sources(*model->problem(), 81));
        const std::string id = model->rows().front().run + "/M";
        const Exhibit &of_m = *model->find(id), &of_y = *model->find("y");
        const FractionMatrix at_h = at_of(m, spec.hf), at_w = at_of(m, spec.wf);
        const std::int64_t m_h = at_h.rows(), m_w = at_w.rows();
        // On tensor cores V and U are stored times powers of two, which A undoes: the same for all cells.
        const Coord y = testing::some_cell(of_y, 82, ++number);
        const Links links = links_of(*model, {"y", y});
        const std::vector<Coefficient>& of_products = links.coefficients.at(id);
        std::optional<Rational> scale;
        double sum = spec.bias ? values.bias(y[1]) : 0, sum_abs = std::abs(sum);
        for (const auto& [cell, value] : of_products) {
          const auto [xi, nu, n, t, s, o] = cell;
          CHECK(Coord{n, o, t, s} == Coord{y[0], y[1], y[2] / m_h, y[3] / m_w});
          const Rational exact = at_h(y[2] % m_h, xi) * at_w(y[3] % m_w, nu);
          REQUIRE_FALSE(exact.zero());
          if (!scale) scale = value / exact;
          CHECK(value == exact * *scale);
          CHECK(links.lit(id, cell));
          sum += value.value() * values.at(of_m, cell).real();
          sum_abs += std::abs(value.value() * values.at(of_m, cell).real());
        }
        REQUIRE(scale);
        CHECK(std::exp2(std::round(std::log2(scale->value()))) == scale->value());
        if (dtype == DType::f64) CHECK(*scale == Rational(1));
        std::int64_t nonzero = 0;
        for (std::int64_t xi = 0; xi < at_h.columns(); ++xi)
          for (std::int64_t nu = 0; nu < at_w.columns(); ++nu)
            nonzero += !at_h(y[2] % m_h, xi).zero() && !at_w(y[3] % m_w, nu).zero();
        CHECK(static_cast<std::int64_t>(of_products.size()) == nonzero);
        // V, U and M are rounded to their types, of which the products are sums.
        CHECK(std::abs(sum - values.at(of_y, y).real()) <= 1e-12 + 64 * unit_roundoff(dtype) * sum_abs);

        // From M the same numbers, and no other outputs.
        const Coord cell = testing::some_cell(of_m, 83, ++number);
        const Links from_m = links_of(*model, {id, cell});
        const auto found = from_m.coefficients.find("y");
        std::size_t outputs = 0;
        for (const Box& box : from_m.cells.at("y")) outputs += static_cast<std::size_t>(box.size());
        CHECK((found == from_m.coefficients.end() ? 0 : found->second.size()) == outputs);
        if (found == from_m.coefficients.end()) continue;  // of an overhanging tile no output may be left
        for (const auto& [output, value] : found->second) {
          CHECK(value == at_h(output[2] % m_h, cell[0]) * at_w(output[3] % m_w, cell[1]) * *scale);
          CHECK(coefficient(*model, {"y", output}, of_m, cell, Tie::source) == value);
        }
        ++tried[row + " m " + std::to_string(m)];
      }
  CHECK(tried.size() >= 4 * 5);
}

TEST_CASE("elements of x and w light up V and U with the coefficients that those have of them") {
  std::uint64_t number = 0;
  int compared = 0;
  for (const ConvSpec& spec : layers())
    for (const auto& [row, dtype] : winograd_rows()) {
      const auto model = model_of(spec, row + ":m=4", dtype);
      if (model == nullptr) continue;
      for (const auto& [from, stage] : {std::pair("x", "/V"), std::pair("w", "/U")}) {
        const Exhibit& made = *model->find(model->rows().front().run + stage);
        const Coord element = testing::some_cell(*model->find(from), 84, ++number);
        const Links links = links_of(*model, {from, element});
        std::int64_t lit = 0;
        for (const Box& box : links.cells.at(made.id)) lit += box.size();
        if (lit == 0) continue;  // a trailing row that no tile reads
        INFO(made.id << " of " << from << testing::text(element));
        CHECK(static_cast<std::int64_t>(links.coefficients.at(made.id).size()) == lit);
        for (const auto& [cell, value] : links.coefficients.at(made.id)) {
          const Links back = links_of(*model, {made.id, cell});
          const auto& elements = back.coefficients.at(from);
          const auto same = std::ranges::find(elements, element, &Coefficient::at);
          REQUIRE(same != elements.end());
          CHECK(same->value == value);
          if (++compared > 400) return;
        }
      }
    }
  CHECK(compared > 100);
}

TEST_CASE("an output and a product say with which coefficients they belong together") {
  const auto model = model_of(testing::padded(1, {.n = 1, .ci = 2, .hi = 6, .wi = 6, .co = 2, .hf = 3, .wf = 3}),
                              "winograd.ref:m=2", DType::f32);
  REQUIRE(model != nullptr);
  const std::string run = model->rows().front().run;
  const Combination y = combination_of(*model, *model->find("y"), {0, 1, 3, 4});
  CHECK(y.head == "winograd.ref: y =");
  REQUIRE(y.terms.size() == 9);  // rows (0 1 -1 -1) and (1 1 1 0) of A
  CHECK(y.text(2) == "winograd.ref: y = +M(1, 0, 0, 1, 2, 1) +M(1, 1, 0, 1, 2, 1) … 7 more");
  CHECK(y.terms[3] == "−M(2, 0, 0, 1, 2, 1)");
  const Combination m = combination_of(*model, *model->find(run + "/M"), {2, 1, 0, 1, 2, 1});
  CHECK(m.text(9) == "added to y as +y(0, 1, 2, 4) +y(0, 1, 2, 5) −y(0, 1, 3, 4) −y(0, 1, 3, 5)");
  for (const char* other : {"x", "w"}) CHECK(combination_of(*model, *model->find(other), {}).terms.empty());
  for (const char* stage : {"/V", "/U"}) CHECK(combination_of(*model, *model->find(run + stage), {}).terms.empty());
  const auto none = model_of({.ci = 2, .hi = 6, .wi = 6, .co = 2, .hf = 3, .wf = 3}, "im2col.ref", DType::f32);
  CHECK(combination_of(*none, *none->find("y"), {}).terms.empty());
  CHECK(links_of(*none, {"y", {}}).coefficients.empty());
}
