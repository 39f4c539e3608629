// What fft.cc makes of a layer: tiles, phases of a stride, kept bins, and the maps of its three stages.
#include <set>
#include <utility>

#include "algorithms/error.h"
#include "algorithms/interface/window.h"
#include "kernels/fft/fft.h"
#include "kernels/fft/fft_spectra.h"
#include "kernels/fft/fft_spectra_map.h"
#include "kernels/program.h"
#include "tests/fft/random_places.h"

using namespace fft_test;
using namespace convlens::gpu;
using Catch::Matchers::Contains;

namespace {

Request asked(const ConvProblem& problem, const std::string& options = "") {
  Request request{.problem = problem};
  request.options = OptionSet::parse(options, fft_cc().options);
  return complete(fft_cc(), request);
}

std::string random_options(Dice& dice) {
  static const std::vector<std::string> transforms{"own", "cufft", "whole"}, strides{"phases", "dense"},
      tiles{"best", "16", "20", "32"};
  return "transform=" + dice.pick(transforms) + ",stride=" + dice.pick(strides) + ",tile=" + dice.pick(tiles);
}

using Pairs = std::set<std::pair<std::int64_t, std::int64_t>>;  // (input element, tap)

// What output number `kept` of a tile adds up: at position kept·keep of the correlation of every phase.
Pairs correlated(const SpectrumAxis& axis, int tile, int kept) {
  Pairs pairs;
  for (int phase = 0; phase < axis.phases(); ++phase)
    for (int r = 0; r < axis.points; ++r)
      if (const int tap = axis.tap(phase, r); tap >= 0) {
        const int q = kept * axis.keep() + r;
        REQUIRE(q < axis.points);  // else it would wrap around
        REQUIRE(axis.reads(tile, phase, q));
        pairs.emplace(axis.input(tile, phase, q), tap);
      }
  return pairs;
}

}  // namespace

TEST_CASE("fft.cc: the correlations of a tile's phases add up to the layer's windows, on 300 random problems") {
  Dice dice{21};
  for (int k = 0; k < 300; ++k) {
    const ConvProblem p = random_problem(dice);
    const SpectrumAxis axis = spectra_of(asked(p, random_options(dice))).rows;
    const WindowAxis window = WindowAxis::rows(p);
    CAPTURE(k, axis.points, axis.step);
    std::int64_t next = 0;
    for (int tile = 0; tile < axis.tiles(); ++tile)
      for (int kept = 0; kept < axis.outputs_of(tile); ++kept, ++next) {
        Pairs read;
        for (std::int64_t tap = 0; tap < window.taps; ++tap) read.emplace(window.input(next, tap), tap);
        REQUIRE(correlated(axis, tile, kept) == read);
      }
    REQUIRE(next == p.ho());
  }
}

TEST_CASE("fft.cc: a tile reads exactly what its outputs read, on 300 random problems") {
  Dice dice{22};
  for (int k = 0; k < 300; ++k) {
    const ConvProblem p = random_problem(dice);
    const SpectrumAxis axis = spectra_of(asked(p, random_options(dice))).columns;
    CAPTURE(k);
    for (int tile = 0; tile < axis.tiles(); ++tile) {
      std::set<std::int64_t> wanted, read;
      for (int kept = 0; kept < axis.outputs_of(tile); ++kept)
        for (const auto& [element, tap] : correlated(axis, tile, kept)) wanted.insert(element);
      for (int phase = 0; phase < axis.phases(); ++phase) {
        const auto [first, end] = axis.inside(tile, phase);
        for (int q = 0; q < axis.points; ++q) {
          const int element = axis.input(tile, phase, q);
          const bool reads = axis.reads(tile, phase, q), in_image = element >= 0 && element < axis.size;
          if (reads) read.insert(element);
          const bool inside = q >= first && q < end;
          REQUIRE((inside && (!axis.has_gaps() || reads)) == (in_image && reads));
        }
      }
      REQUIRE(read == wanted);
    }
  }
}

TEST_CASE("fft.cc: a cell has a source exactly when the source has the cell, on 300 random problems") {
  Dice dice{23};
  for (int k = 0; k < 300; ++k) {
    const ConvProblem p = random_problem(dice);
    const Request request = asked(p, random_options(dice));
    const std::vector<Stage> stages = fft_stages(request, spectra_of(request), p.n());
    CAPTURE(k);
    for (const Stage& stage : stages)
      for (int sample = 0; sample < 20; ++sample) {
        const Coord cell = random_cell(dice, stage);
        const Source source = stage.map->source(cell);
        REQUIRE((source.kind == SourceKind::zero_padding) == source.terms.empty());
        for (const Term& term : source.terms) {
          Coord inside = term.at.first;
          for (std::size_t axis = 0; axis < inside.size(); ++axis) inside[axis] += dice(0, term.at.extent[axis] - 1);
          REQUIRE(any_contains(stage.map->cells(term.from, inside), cell));
        }
        for (const Operand operand : stage.made_from) {
          const Coord element = random_element(dice, operand, p, stages);
          const bool listed = std::ranges::any_of(
              source.terms, [&](const Term& t) { return t.from == operand && t.at.contains(element); });
          REQUIRE(listed == any_contains(stage.map->cells(operand, element), cell));
        }
      }
  }
}

TEST_CASE("fft.cc: bins that are not conjugates of others are kept, and no more") {
  const ConvProblem p({.n = 1, .ci = 1, .hi = 60, .wi = 60, .co = 1, .hf = 3, .wf = 3});
  for (const int length : kTileLengths) {
    std::set<std::pair<int, int>> kept;
    for (int k = 0; k < length; ++k)
      for (int l = 0; l < length; ++l)
        kept.insert(std::min(std::pair(k, l), std::pair((length - k) % length, (length - l) % length)));
    const Spectra s = spectra_of(asked(p, "tile=" + std::to_string(length)));
    CHECK(s.bins == static_cast<std::int64_t>(kept.size()));
  }
}

TEST_CASE("fft.cc: the best tile is no longer than it need be, and wastes little") {
  const auto tile_of = [](const ConvSpec& spec) {
    const Spectra s = spectra_of(asked(ConvProblem(spec)));
    return std::pair(s.rows.points, s.columns.points);
  };
  CHECK(tile_of({.n = 256, .ci = 512, .hi = 7, .wi = 7, .co = 512, .hf = 3, .wf = 3}) == std::pair(8, 8));
  CHECK(tile_of({.n = 256, .ci = 96, .hi = 24, .wi = 24, .co = 256, .hf = 5, .wf = 5}) == std::pair(24, 24));
  CHECK(tile_of({.n = 256, .ci = 128, .hi = 28, .wi = 28, .co = 128, .hf = 3, .wf = 3}) == std::pair(28, 28));
}

TEST_CASE("fft.cc: images are taken in chunks, as told or as memory allows") {
  const ConvProblem p({.n = 10, .ci = 3, .hi = 20, .wi = 20, .co = 4, .hf = 3, .wf = 3});
  const auto whole = fft_cc().plan(asked(p)), threes = fft_cc().plan(asked(p, "chunk=3"));
  CHECK(whole->stages()[0].passes() == 1);
  CHECK(threes->stages()[0].passes() == 4);
  CHECK(whole->program()->steps.size() == 4);
  CHECK(threes->program()->steps.size() == 1 + 4 * 3);

  Request tight = asked(p);
  tight.memory_limit = tight.tensor_bytes() + threes->workspace_bytes();
  const auto fitted = fft_cc().plan(tight);
  CHECK(fitted->stages()[0].axes[0].resident == 3);
  tight.memory_limit = tight.tensor_bytes() + 100;
  CHECK_THAT(fft_cc().supports(tight).reason, Contains("must be ≤ the memory limit"));
}

TEST_CASE("fft.cc: a filter that no tile holds is refused, naming the whole image as what would run") {
  const ConvProblem p({.n = 1, .ci = 1, .hi = 90, .wi = 90, .co = 1, .hf = 40, .wf = 3});
  const Support support = fft_cc().supports(asked(p));
  CHECK(support.reason == "fft: tile 32, must be ≥ the extent of the dilated filter's phases 40x3");
  REQUIRE(support.nearest);
  CHECK(support.nearest->options.is("transform", "whole"));
  CHECK(fft_cc().supports(*support.nearest));

  const ConvProblem small({.n = 1, .ci = 1, .hi = 90, .wi = 90, .co = 1, .hf = 11, .wf = 3});
  const Support other = fft_cc().supports(asked(small, "tile=8"));
  REQUIRE(other.nearest);
  CHECK(other.nearest->options.is("tile", "best"));
  CHECK(
      fft_cc().supports(asked(ConvProblem({.ci = 1, .hi = 90, .wi = 90, .co = 1, .hf = 60, .wf = 3, .stride_h = 2}))));
}
