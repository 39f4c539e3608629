// The one list of algorithms: names, suggestions, and that every row is fully described.
#include <set>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "tests/catch.h"

namespace {

using namespace convlens;

std::string message(const std::function<void()>& act) {
  try {
    act();
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return "";
}

}  // namespace

TEST_CASE("rows are found by id, and the first of a family by the family's name") {
  CHECK(find_algorithm("im2win.ref").id == "im2win.ref");
  CHECK(find_algorithm("im2win").family == "im2win");
  for (const Algorithm* row : algorithms()) CHECK(&find_algorithm(row->id) == row);
}

TEST_CASE("a misspelt algorithm is answered with the closest one") {
  const auto contains = [](const std::string& text, const std::string& part) { return text.find(part) != text.npos; };
  const std::string rule = "must be a row of `convlens list algorithms`, or a family: direct | im2col | ";
  const std::string close = message([] { find_algorithm("im2winn"); });
  CHECK(close.starts_with("algorithm: im2winn, " + rule));
  CHECK(close.ends_with("; did you mean \"im2win\"?"));
  CHECK(message([] { find_algorithm("im2win.rfe"); }).ends_with("; did you mean \"im2win.ref\"?"));
  CHECK(message([] { find_algorithm("quantum"); }).starts_with("algorithm: quantum, " + rule));
  CHECK_FALSE(contains(message([] { find_algorithm("quantum"); }), "did you mean"));
  CHECK(message([] { find_algorithm(""); }).starts_with("algorithm: \"\", " + rule));
}

TEST_CASE("a run's name gives the run, and the run its name") {
  const Run run = parse_run("im2col.ref:gemm=loops,batching=tile");
  CHECK(run.algorithm->id == "im2col.ref");
  CHECK(run.options.is("batching", "tile"));
  CHECK(run_name(*run.algorithm, run.options) == "im2col.ref:batching=tile,gemm=loops");
  CHECK(run_name(*parse_run("im2col").algorithm, parse_run("im2col").options) == "im2col.ref");
  CHECK(message([] { parse_run("im2win.ref:window=NHCW"); }) ==
        "option window: NHCW, must be one of NHWC | NCHW; did you mean \"NHWC\"?");
  CHECK(message([] { parse_run("direct.cpu:"); }) ==
        "options of direct.cpu: \"\", must be written id=value after the colon");
  CHECK(message([] { parse_run("direct.ref:window=NHWC"); }) == "option: window, this algorithm has no options");
}

TEST_CASE("every row is described in full, and families stand together") {
  std::set<std::string> ids, finished;
  std::string family;
  for (const Algorithm* row : algorithms()) {
    INFO(row->id);
    CHECK(ids.insert(row->id).second);
    CHECK(row->id.starts_with(row->family + "."));
    CHECK_FALSE(row->title.empty());
    CHECK(row->sentence.ends_with("."));
    CHECK_FALSE(row->source.empty());
    CHECK(row->decide != nullptr);
    if (row->family != family) {
      CHECK(finished.insert(row->family).second);
      family = row->family;
    }
    for (const Option& option : row->options) {
      CHECK_FALSE(option.title.empty());
      CHECK(option.sentence.ends_with("."));
      CHECK(OptionSet::parse(option.id + "=" + option.default_value, row->options).is(option.id, option.default_value));
    }
    for (const Rule& rule : row->rules) CHECK_FALSE(rule.says.empty());
  }
}
