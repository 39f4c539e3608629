// What is one is said as one: "1 channel and 1 tap".
#include "viewer/ui/words.h"

#include <memory>
#include <regex>

#include "tests/catch.h"
#include "tests/viewer/states.h"

using namespace convlens;
using namespace convlens::testing;
using viewer::counted;

TEST_CASE("one is one, and none and several are many") {
  CHECK(counted(1, "channel") == "1 channel");
  CHECK(counted(0, "channel") == "0 channels");
  CHECK(counted(21, "channel") == "21 channels");
  CHECK(counted(574164, "block") == "574 164 blocks");
  CHECK(counted(1, "pass", "passes") == "1 pass");
  CHECK(counted(2, "pass", "passes") == "2 passes");
}

TEST_CASE("of a layer of one channel and one tap nothing is said in the plural") {
  const std::regex plural("(^|[^0-9 ] ?)1 (channel|tap|output channel|output|window|cell|transform|point)s");
  CHECK(std::regex_search("Σ x·w over 1 channels and 9 taps", plural));
  CHECK_FALSE(std::regex_search("Σ x·w over 21 channels and 1 tap", plural));
  CHECK_FALSE(std::regex_search("over 2 001 channels", plural));
  int looked = 0;
  for (const ConvSpec& spec : {ConvSpec{}, ConvSpec{.hi = 3, .wi = 3, .hf = 3, .wf = 3},
                               ConvSpec{.ci = 2, .hi = 2, .wi = 4, .co = 2, .wf = 3, .groups = 2}}) {
    const auto model = std::make_shared<const viewer::Model>(state_of(spec, all_runs()));
    const viewer::Values values(model, viewer::random_sources(*model->problem(), 1));
    for (const viewer::Exhibit& exhibit : model->exhibits())
      for (std::uint64_t k = 0; k < 4; ++k) {
        const viewer::CellWords words = viewer::cell_words(*model, values, exhibit, some_cell(exhibit, 5, k));
        INFO(exhibit.id << ": " << words.meaning);
        CHECK_FALSE(std::regex_search(words.meaning, plural));
        CHECK_FALSE(std::regex_search(words.address, plural));
        ++looked;
      }
  }
  CHECK(looked > 100);
  const auto one = std::make_shared<const viewer::Model>(state_of(ConvSpec{}, {}));
  const viewer::Values values(one, viewer::random_sources(*one->problem(), 1));
  const auto meaning = [&](const char* id) { return viewer::cell_words(*one, values, *one->find(id), {}).meaning; };
  CHECK(meaning("y") == "Σ x·w over 1 channel and 1 tap");
  CHECK(meaning("x") == "read by 1 window (p 0, q 0), each for 1 output channel");
  CHECK(meaning("w") == "multiplied once, in the one output of channel 0");
}
