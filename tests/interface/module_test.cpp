// Modules: found and used, or not there for a reason that is said.
#include "algorithms/interface/module.h"

#include <fstream>
#include <future>

#include "algorithms/error.h"
#include "tests/catch.h"
#include "tests/support/command.h"

using namespace convlens;
using Catch::Matchers::Contains;

namespace {
const std::string kBuild = CONVLENS_BINARY_DIR;
}

TEST_CASE("a module beside the program gives its rows and its services") {
  const Module& rows = module("test_rows");
  CHECK(rows.missing == "");
  CHECK(rows.found);
  CHECK(rows.row("test.row").id == "test.row");
  CHECK(*static_cast<const int*>(rows.exports.services) == 42);
  CHECK_THROWS_WITH(rows.row("test.other"), "test.other: not a row of the module test_rows");
}

TEST_CASE("a module is loaded once, whoever asks") {
  std::vector<std::future<const Module*>> answers;
  for (int k = 0; k < 8; ++k) answers.push_back(std::async(std::launch::async, [] { return &module("test_rows"); }));
  for (auto& answer : answers) CHECK(answer.get() == &module("test_rows"));
}

TEST_CASE("a module that is not there says so, and its rows with it") {
  const Module& nothing = module("quantum");
  CHECK_FALSE(nothing.found);
  CHECK(nothing.missing == "convlens_quantum.so is neither beside the program nor in lib/convlens");
  CHECK(nothing.exports.rows.empty());
  CHECK_THROWS_AS(nothing.row("quantum.cpu"), Unsupported);
  CHECK_THROWS_WITH(nothing.row("quantum.cpu"), Contains("quantum.cpu: convlens_quantum.so is neither"));
}

TEST_CASE("a module of another build is not used") {
  const Module& other = module("test_other_build");
  CHECK(other.found);
  CHECK_THAT(other.missing, Contains("convlens_test_other_build.so is from another build"));
  CHECK(other.exports.services == nullptr);
}

TEST_CASE("a file that is no module, or no shared object, is not used") {
  const TemporaryFolder folder;
  const std::string text = folder.path() + "/convlens_text.so";
  std::ofstream(text) << "not a library\n";
  const Module broken = load_module("text", text);
  CHECK(broken.found);
  CHECK_THAT(broken.missing, Contains("convlens_text.so"));

  const Module library = load_module("m", "libm.so.6");
  CHECK_THAT(library.missing, Contains("is no module: it lacks convlens_module"));
}
