// A value of an option as it is typed: an option's only where the option takes it.
#include "viewer/logic/typed_option.h"

#include "algorithms/interface/registry.h"
#include "tests/catch.h"

using namespace convlens;
using viewer::TypedOption;

namespace {

const Option& option_of(const std::string& row, const std::string& id) {
  return *std::ranges::find(find_algorithm(row).options, id, &Option::id);
}

}  // namespace

TEST_CASE("what is typed for an option is its value where its rule allows that, and else is told with the rule") {
  const Option& m = option_of("winograd.ref", "m");
  TypedOption typed;
  typed.follow("2");
  CHECK(typed.text() == "2");
  CHECK(typed.wrong(m).empty());
  CHECK(typed.type("4", m) == "4");
  typed.begin();
  CHECK(typed.type("8", m) == "8");
  for (const char* text : {"", "9", "0", "-1", "4.5", "4 ", "x", "99999999999999999999"}) {
    INFO(text);
    CHECK(typed.type(text, m) == "4");  // as it was before anything was typed
    CHECK(typed.text() == text);
    const std::string shown = *text == '\0' ? "\"\"" : text;
    CHECK(typed.wrong(m) == "m: " + shown + ", must be an integer from 1 to 8; until then it is 4");
    typed.follow("4");  // the state still has it
    CHECK(typed.text() == text);
  }
  typed.follow("3");  // undone, or set elsewhere
  CHECK(typed.text() == "3");
  CHECK(typed.wrong(m).empty());
}

TEST_CASE("points that are typed make a run that is read as they are") {
  const Option& points = option_of("winograd.ref", "points");
  TypedOption typed;
  typed.follow("auto");
  for (const char* text : {"0,1,-1", "0, 1, -1", "0 1 -1", "0,1/2,-2"}) {
    INFO(text);
    REQUIRE(typed.type(text, points) == text);
    const Algorithm& row = find_algorithm("winograd.ref");
    OptionSet options = parse_run(row.id).options;
    options.set("points", text);
    options.set("stored", "tensor");
    CHECK(parse_run(run_name(row, options)).options == options);
  }
  CHECK(typed.type("0,0,1", points) == "auto");
  CHECK(typed.wrong(points).find("distinct fractions") != std::string::npos);
}
