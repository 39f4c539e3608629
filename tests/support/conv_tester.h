// A convolution case as a sentence:
//
//   ConvCase().input(1, 4, 4, 4).filter(2, 3, 3).pad(1).x(XH).w(WH).expect_sums(21, 227).holds();
//
// `holds` computes the layer by every row that runs here, with every option value, element type and layout,
// from outputs and workspaces full of NaN, and asserts that each output is right (see Judge). The expected
// numbers of the case are asserted of the definition in float64, and every row must agree with that.
//
// On a GPU each of these is a kernel to be compiled. There a case takes the defaults in the uniform layouts, and four
// other option values, by turns, in one layout each; of a series of random cases every fourth, with the defaults and
// one other value. (Pairs of values in each layout: pairs_gpu_test; more random layers: convlens check --fuzz.)
//
// A vendor's rows promise less (cuDNN leaves padding out, so that Inf · 0 is no NaN) and have tests of their own.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/case_numbers.h"
#include "tests/support/guarded_tensor.h"
#include "tests/support/plan_run.h"
#include "tests/support/reference.h"
#include "tests/support/rows.h"

namespace convlens::testing {

// The same value everywhere.
inline Filler all(double value) {
  return [value](auto, auto, auto, auto) { return value; };
}

// Integers from −most to most, drawn by the logical index of the element.
Filler drawn(std::uint64_t seed, std::int64_t most);

std::vector<Layouts> all_layouts();      // the 18 combinations
std::vector<Layouts> uniform_layouts();  // NCHW, NHWC and CHWN throughout

class ConvCase {
 public:
  // The layer. One number stands for both axes, or for all four sides.
  ConvCase& input(std::int64_t n, std::int64_t ci, std::int64_t hi, std::int64_t wi);
  ConvCase& filter(std::int64_t co, std::int64_t hf, std::int64_t wf);
  ConvCase& stride(std::int64_t h, std::int64_t w);
  ConvCase& stride(std::int64_t both) { return stride(both, both); }
  ConvCase& pad(std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right);
  ConvCase& pad(std::int64_t all_sides) { return pad(all_sides, all_sides, all_sides, all_sides); }
  ConvCase& dilation(std::int64_t h, std::int64_t w);
  ConvCase& dilation(std::int64_t both) { return dilation(both, both); }
  ConvCase& groups(std::int64_t groups);
  ConvCase& layer(const ConvSpec& spec);

  // The data, by logical coordinates, or in logical order: listed, or counting up.
  ConvCase& x(Filler value);
  ConvCase& w(Filler value);
  ConvCase& w(std::vector<double> values);
  ConvCase& x_counts_from(double first);
  ConvCase& w_counts_from(double first);
  ConvCase& bias(std::function<double(std::int64_t)> value);

  // Which runs: all types, all layouts and all variants unless narrowed here.
  ConvCase& in(std::vector<DType> dtypes);
  ConvCase& layouts(std::vector<Layouts> layouts);
  ConvCase& by_option_pairs();  // more than one option changed at a time
  ConvCase& of(std::function<bool(const Algorithm&)> rows);
  ConvCase& of_a_series(std::uint64_t place);  // the place in it

  // x lies in memory as told, whatever layout a request declares.
  ConvCase& x_lies(Strides strides, std::int64_t offset);
  // x, w and y are strided views, drawn by `seed`.
  ConvCase& views_strided(std::uint64_t seed);

  // What must come out, in NCHW order.
  ConvCase& expect_shape(std::int64_t n, std::int64_t co, std::int64_t ho, std::int64_t wo);
  ConvCase& expect_values(std::vector<double> y);
  ConvCase& expect_starts_with(std::vector<double> y);
  ConvCase& expect_all(double value);
  ConvCase& expect_sums(double s1, double s2);
  ConvCase& expect_at(std::int64_t flat, double value);
  ConvCase& expect_largest(double magnitude);
  ConvCase& expect(std::function<void(const Reference&)> assertion);

  // Rows of `family` may say no, in a sentence with `word` in it. Nobody else may.
  ConvCase& may_refuse(const std::string& family, const std::string& word);

  // How far from the exact value a transform may be, where the case says something else than the usual.
  ConvCase& within(double tolerance);
  // For data that the cases set no limit for: f16 transforms, one row where it is named, are held to what their
  // error model promises, as bf16 ones are.
  ConvCase& half_as_promised(const std::string& row = "");

  void holds() const;

 private:
  using Values = std::function<std::vector<double>(const Shape&)>;

  Reference reference(const ConvProblem& problem, DType dtype) const;
  Arrangements arrangements(const Plan& plan) const;
  std::string complaint(const Plan& plan, const Plan* on_two, const Reference& reference, const Judge& judge) const;
  struct Trial {
    Variant variant;
    std::vector<Layouts> layouts;
  };
  std::vector<Trial> trials(const Algorithm& row) const;
  std::vector<Trial> trials_on_gpu(const Algorithm& row) const;
  void assert_row(const Algorithm& row, const std::vector<Reference>& references) const;

  ConvSpec spec_;
  Values x_, w_;
  std::function<double(std::int64_t)> bias_;
  std::vector<DType> dtypes_{kDTypes.begin(), kDTypes.end()};
  std::vector<Layouts> layouts_ = all_layouts();
  std::function<bool(const Algorithm&)> rows_;
  std::optional<Arrangement> x_arrangement_;
  std::optional<std::uint64_t> views_seed_, place_;
  std::vector<std::function<void(const Reference&)>> expectations_;
  std::map<std::string, std::string> may_refuse_;
  double tolerance_ = 0;
  std::optional<std::string> half_as_promised_;  // of this row, "" of all
  bool by_option_pairs_ = false;
};

// `spec` on integers drawn by `seed`, in uniform layouts: what the generalisations of the cases are made of.
ConvCase drawn_case(const ConvSpec& spec, std::uint64_t seed);

}  // namespace convlens::testing
