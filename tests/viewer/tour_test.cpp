// The guided tour: eight steps, each a state that means something.
#include "viewer/logic/tour.h"

#include <nlohmann/json.hpp>
#include <set>

#include "tests/catch.h"
#include "viewer/logic/model.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

}  // namespace

TEST_CASE("the tour has eight steps, each with a legal layer, rows that there are, and a text") {
  REQUIRE(tour().size() == 8);
  State before = first_state();
  before.dark = false, before.scale = 1.5;
  before.spec.stride_w = 0;  // whatever a user has done before
  std::set<std::string> titles;
  for (std::int64_t step = 1; step <= 8; ++step) {
    const State state = at_tour_step(before, step);
    INFO(step);
    CHECK(state.tour == step);
    CHECK_FALSE(state.dark);
    CHECK(state.scale == 1.5);
    CHECK(state_from_json(to_json(state)) == state);
    const Model model(state);
    REQUIRE(model.problem());
    CHECK(model.unknown_runs().empty());
    CHECK_FALSE(model.rows().empty());
    for (const ChosenRow& row : model.rows()) CHECK(row.plan);
    const TourStep& text = tour()[static_cast<std::size_t>(step - 1)];
    CHECK(titles.insert(text.title).second);
    CHECK(std::string(text.text).size() > 100);
  }
}

TEST_CASE("the tour begins at the photograph and ends at the ablation, and its end changes nothing else") {
  CHECK(at_tour_step(first_state(), 1).panel == "layouts");
  CHECK(std::string(tour().back().text).find("ablation") != std::string::npos);
  State shown = at_tour_step(first_state(), 6);
  const State ended = at_tour_step(shown, 0);
  shown.tour = 0;
  CHECK(ended == shown);
}
