// Kernels count in ints, on to the end of a tile: what would pass 2^31 there is refused in words.
#include "kernels/row.h"
#include "tests/catch.h"
#include "tests/support/rows.h"

namespace {

using namespace convlens;
using Catch::Matchers::Contains;

Support supports(const Algorithm& row, const ConvProblem& problem, const std::string& options = "") {
  const DType dtype = row.unit == Unit::tc ? DType::f16 : DType::f32;
  const FilterLayout filter = row.unit == Unit::tc ? FilterLayout::OHWI : FilterLayout::OIHW;
  const Layout layout = row.unit == Unit::tc ? Layout::NHWC : Layout::NCHW;
  return row.supports(
      complete(row, {problem, dtype, {layout, filter, layout}, OptionSet::parse(options, row.options)}));
}

}  // namespace

TEST_CASE("a size within a tile of 2^31 is refused by every row with kernels of its own") {
  constexpr std::int64_t kMostInt = (std::int64_t{1} << 31) - 1;
  for (const Algorithm* row : testing::gpu_rows()) {
    if (row->vendor) continue;
    INFO(row->id);
    for (const ConvSpec& spec : {ConvSpec{.n = kMostInt}, ConvSpec{.wi = kMostInt}, ConvSpec{.hi = kMostInt}})
      CHECK_THAT(supports(*row, ConvProblem(spec)).reason, Contains("must be ≤ 2147418112 in a kernel"));
    CHECK_FALSE(supports(*row, ConvProblem({.hi = 42966, .wi = 49981})).reason.empty());
  }
}

TEST_CASE("a filter whose rows are padded beyond 2^31 elements is refused, though it has fewer itself") {
  for (const char* run :
       {"direct.tc", "implicit_gemm.tc", "direct.tc:instructions=mma", "implicit_gemm.tc:instructions=mma"})
    for (const ConvSpec& spec :
         {ConvSpec{.co = 300'000'000}, ConvSpec{.ci = 9, .hi = 3, .wi = 3, .co = 26'000'000, .hf = 3, .wf = 3}}) {
      const Run parsed = parse_run(run);
      INFO(run << ", C_o " << spec.co);
      CHECK_THAT(supports(*parsed.algorithm, ConvProblem(spec), parsed.options.text(parsed.algorithm->options)).reason,
                 Contains("filter rows: ") && Contains("must be ≤ 2147418112 in a kernel"));
    }
}
