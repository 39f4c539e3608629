// The window says a rule by the symbol that stands beside the box that breaks it.
#include "viewer/logic/in_symbols.h"

#include <algorithm>
#include <set>

#include "tests/catch.h"
#include "viewer/logic/layer_sizes.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

std::vector<std::string> said(const ConvSpec& spec) {
  std::vector<std::string> lines;
  for (const BrokenRule& rule : broken_rules(spec)) lines.push_back(in_symbols(rule.line()));
  return lines;
}

}  // namespace

TEST_CASE("a rule that a size breaks names it, and others, as the boxes do") {
  using Lines = std::vector<std::string>;
  CHECK(said({.hi = 5, .wi = 9, .hf = 9, .wf = 3}) ==
        Lines{"H_f: 9, with dilation 1 reaches over 9 elements, must be ≤ the padded input's 5"});
  CHECK(said({.ci = 4, .co = 6, .groups = 3}) == Lines{"groups: 3, must divide C_i = 4"});
  CHECK(said({.ci = 3, .co = 4, .groups = 3}) == Lines{"groups: 3, must divide C_o = 4"});
  CHECK(said({.n = -1, .stride_h = 0, .pad_bottom = -2, .dilation_w = 0}) ==
        Lines{"N: -1, must be ≥ 0", "s_h: 0, must be ≥ 1", "bottom: -2, must be ≥ 0", "d_w: 0, must be ≥ 1"});
}

TEST_CASE("every size that is below its least is named by its own symbol alone") {
  std::set<std::string> symbols;
  for (const LayerSize& size : kLayerSizes) {
    ConvSpec spec{.hi = 9, .wi = 9, .hf = 3, .wf = 3};
    spec.*size.member = -1;
    const std::vector<std::string> lines = said(spec);
    INFO(size.name);
    REQUIRE_FALSE(lines.empty());
    CHECK(lines.front().rfind(std::string(size.symbol) + ": -1, must be ≥ ", 0) == 0);
    symbols.insert(size.symbol);
  }
  CHECK(symbols.size() == kLayerSizes.size());
}

TEST_CASE("words that only hold the name of a size are left as they are") {
  CHECK(in_symbols("channels, coin, hilly, nhf, hf_1, C_i·hf, ñn") == "channels, coin, hilly, nhf, hf_1, C_i·hf, ñn");
  CHECK(in_symbols("") == "");
  CHECK(in_symbols("(hi + pad_top)") == "(H_i + pad top)");
}
