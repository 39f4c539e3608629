// Options and option sets, and the suggestions for misspelt names.
#include "algorithms/interface/option.h"
#include "algorithms/error.h"
#include "algorithms/suggest.h"
#include "tests/catch.h"

namespace {

using namespace convlens;

const std::vector<Option> kOptions{{"batching", "Batching", "", {"image", "chunk", "full"}, "image"},
                                   {"images", "Images", "", {}, "8", false, integer_between(1, 64)}};

std::string message(const std::function<void()>& act) {
  try {
    act();
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return "";
}
std::string parse_message(std::string_view text) {
  return message([&] { OptionSet::parse(text, kOptions); });
}

}  // namespace

TEST_CASE("an option set takes defaults for what is not named") {
  const OptionSet set = OptionSet::parse("batching=full", kOptions);
  CHECK(set.is("batching", "full"));
  CHECK(set.integer("images") == 8);
  CHECK(OptionSet::parse("", kOptions).is("batching", "image"));
  CHECK_THROWS_AS(OptionSet::parse("batching=full,batching=image", kOptions), BadInput);
}

TEST_CASE("an option set's text leaves out defaults and reads back") {
  CHECK(OptionSet::parse("", kOptions).text(kOptions) == "");
  CHECK(OptionSet::parse("images=8,batching=image", kOptions).text(kOptions) == "");
  const OptionSet set = OptionSet::parse("images=2,batching=chunk", kOptions);
  CHECK(set.text(kOptions) == "batching=chunk,images=2");
  CHECK(OptionSet::parse(set.text(kOptions), kOptions) == set);
}

TEST_CASE("what is wrong with an option is said in one line") {
  CHECK(parse_message("batch=full") == "option: batch, must be one of batching | images");
  CHECK(parse_message("batchin=full") ==
        "option: batchin, must be one of batching | images; did you mean \"batching\"?");
  CHECK(parse_message("batching=imagee") ==
        "option batching: imagee, must be one of image | chunk | full; did you mean \"image\"?");
  CHECK(parse_message("batching=whatever") == "option batching: whatever, must be one of image | chunk | full");
  CHECK(parse_message("batching") == "option: batching, must be written id=value");
  CHECK(parse_message("images=0") == "option images: 0, must be an integer from 1 to 64");
  CHECK(parse_message("images=65") == "option images: 65, must be an integer from 1 to 64");
  CHECK(parse_message("images=2x") == "option images: 2x, must be an integer from 1 to 64");
  CHECK(parse_message("batching=") == "option batching: \"\", must be one of image | chunk | full");
  for (const char* empty : {",", "batching=full,", ",batching=full", "batching=full,,images=2"})
    CHECK(parse_message(empty) == "option: \"\", must be written id=value");
  CHECK(parse_message("=full") == "option: \"\", must be one of batching | images");
  CHECK(parse_message("images=") == "option images: \"\", must be an integer from 1 to 64");
  CHECK(message([] { OptionSet::parse("x=1", {}); }) == "option: x, this algorithm has no options");
  CHECK(message([] { (void)OptionSet()["tile"]; }) == "option: tile, not an option of this algorithm");
}

TEST_CASE("suggestions allow one letter in three to differ") {
  const std::vector<std::string> names{"im2win", "im2col", "winograd", "fft"};
  CHECK(closest("im2wni", names) == "im2win");  // neighbours swapped
  CHECK(closest("im2win", names) == "im2win");
  CHECK(closest("winogard", names) == "winograd");
  CHECK(closest("winogrande", names) == "winograd");
  CHECK(closest("ff", names) == "fft");
  CHECK(closest("direct", names) == "");
  CHECK(closest("", names) == "");
  CHECK(closest("im2win", {}) == "");
  CHECK(suggestion("direct", names) == ", must be one of im2win | im2col | winograd | fft");
  CHECK(suggestion("fftt", names) == ", must be one of im2win | im2col | winograd | fft; did you mean \"fft\"?");
  CHECK(suggestion("fftt", names, "a family") == ", must be a family; did you mean \"fft\"?");
  CHECK(suggestion("x", std::vector<std::string>{"fft"}) == ", must be fft");
  CHECK(closest("3", std::vector<std::string>{"8", "16"}) == "");  // no letter is left
}
