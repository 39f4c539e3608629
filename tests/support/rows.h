// Every way that there is to compute a convolution, generated from the registry: a row added there is
// tested by all cases without a word here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/interface/registry.h"

namespace convlens::testing {

// A row with one choice of its options.
struct Variant {
  const Algorithm* row = nullptr;
  OptionSet options;

  std::string name() const { return run_name(*row, options); }
};

// The rows that this machine can run, those of a GPU only where there is one; the others must say what they miss, and a
// test asserts that they do.
std::vector<const Algorithm*> rows_here();

// Those of them that compute the problem in f32 with their default options.
std::vector<const Algorithm*> rows_that_compute(const ConvProblem& problem);

// The rows that run on a GPU, whether or not there is one: they are planned and described everywhere.
std::vector<const Algorithm*> gpu_rows();

// A server with many cores runs rows side by side: CONVLENS_TEST_ROWS=im2win.cc,fft.cc narrows what is computed by all
// rows to these, wherever variants() or a ConvCase is used. Throws BadInput where one of them doesn't run here, so that
// no test passes that has computed nothing.
bool narrowed();
bool wanted_here(const Algorithm& row);

// Each row of this machine that computes f32, with its default options, and with every other value of each option, one
// at a time. Of options that are numbers, 1 to 4 are tried, as far as the option accepts them. A vendor's rows promise
// less (Algorithm::vendor), refuse what their library lacks, and have tests of their own.
std::vector<Variant> variants();
std::vector<Variant> variants(const Algorithm& row);

bool vendor_on_cpu(const Algorithm& row);

// Each choice of values for each pair of options of a row, the others at their defaults: some options matter only when
// another has a certain value (im2col's chunk_images with batching=chunk).
std::vector<Variant> variants_by_pairs(const Algorithm& row);

// The values an option is tried with, its default first.
std::vector<std::string> values_of(const Option& option);

// Rows of these families compute y by way of a transform, so that rounding is part of their answer. All
// others add up the products of the definition: on small integers they have no excuse for a single wrong bit.
bool transforms(const Algorithm& row);

}  // namespace convlens::testing
