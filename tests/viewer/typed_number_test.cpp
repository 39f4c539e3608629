// What somebody types into a box for a number stays as it is typed, and is never another number.
#include "viewer/logic/typed_number.h"

#include <limits>

#include "tests/catch.h"

using namespace convlens::viewer;

TEST_CASE("a typed number is one of 64 bits, whole, and nothing else is any") {
  for (const std::int64_t value : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0},
                                   std::int64_t{17}, std::numeric_limits<std::int64_t>::max()})
    CHECK(typed_number(std::to_string(value)) == value);
  CHECK(typed_number("+4") == 4);
  for (const char* text : {"", "-", "+", "+-4", "4.0", "1e3", " 4", "4 ", "9223372036854775808", "-9223372036854775809",
                           "99999999999999999999", "0x10", "4*2"}) {
    INFO(text);
    CHECK_FALSE(typed_number(text));
  }
}

TEST_CASE("what is no number stays in its box with the rule, until it is mended or the number changes elsewhere") {
  TypedNumber box;
  box.follow(1);
  CHECK(box.text() == "1");
  box.begin();
  CHECK(box.type("007") == 7);
  box.follow(7);
  CHECK(box.text() == "007");
  box.begin();
  CHECK(box.type("9") == 9);
  box.follow(9);
  CHECK(box.type("99999999999999999999") == 7);  // as it was before anything was typed
  box.follow(7);
  CHECK(box.text() == "99999999999999999999");
  CHECK(box.wrong("groups") ==
        "groups: 99999999999999999999, must be a whole number from -9223372036854775808 to 9223372036854775807; "
        "until then it is 7");
  CHECK(box.type("1e3") == 7);
  CHECK(box.text() == "1e3");
  CHECK(box.wrong("groups").starts_with("groups: 1e3, must be a whole number"));
  box.follow(3);
  CHECK(box.text() == "3");
  CHECK(box.wrong("groups").empty());
}
