// `convlens bench`: records and table, output files, locales, Ctrl-C.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/support/csv.h"
#include "tests/support/json_lines.h"
#include "tests/support/rows.h"

using namespace convlens;
using Catch::Matchers::Contains;
using convlens::testing::json_lines;
using nlohmann::json;

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::size_t files_in(const std::string& folder) {
  const std::filesystem::directory_iterator files(folder);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

const std::string kSmall = "'1x4x8x8 --filter 4x3x3 --pad 1'";

// How many rows compute it.
std::size_t rows_on_small() {
  const ConvProblem small({.ci = 4,
                           .hi = 8,
                           .wi = 8,
                           .co = 4,
                           .hf = 3,
                           .wf = 3,
                           .pad_top = 1,
                           .pad_bottom = 1,
                           .pad_left = 1,
                           .pad_right = 1});
  return testing::rows_that_compute(small).size();
}

}  // namespace

TEST_CASE("the table tells median, least and quartiles of the samples, in that order of size") {
  const CommandResult result = convlens_command(shell_words("bench " + kSmall + " --algorithm direct.ref --repeats 9"));
  REQUIRE(result.exit == 0);
  const std::vector<std::string> lines = result.out_lines();
  CHECK_THAT(lines[0], Contains("median ms") && Contains("min ms") && Contains("quartiles ms"));
  const std::string row = lines[2].substr(lines[2].find("NCHW,OIHW,NCHW") + std::string("NCHW,OIHW,NCHW").size());
  std::istringstream numbers(row);
  double median = 0, least = 0, first = 0, third = 0;
  std::string dash;
  numbers >> median >> least >> first >> dash >> third;
  CHECK(dash == "–");
  CHECK((least <= 1.01 * first && first <= 1.01 * median && median <= 1.01 * third));  // three digits are shown
  CHECK_THAT(result.out, Contains("half of the samples lie between them"));
}

TEST_CASE("bench gives one record a run, with the samples that were asked for") {
  const CommandResult result = convlens_command(shell_words("bench " + kSmall + " --repeats 3 --seed 9 --json"));
  CHECK(result.exit == 0);
  const std::vector<json> records = json_lines(result.out);
  CHECK(records.size() == rows_on_small());
  for (const json& record : records) {
    CHECK(record["samples_ms"].size() == 3);
    CHECK(record["data"]["seed"] == 9);
    CHECK(record["l2"] == "warm");
    CHECK(record["median_ms"].get<double>() > 0);
    CHECK(record["floor_fraction"].get<double>() > 0);
  }
}

TEST_CASE("bench --cold says so in its records, and times all types and layouts that are named") {
  const auto records = json_lines(
      convlens_command(
          shell_words(
              "bench " + kSmall +
              " --algorithm direct --repeats 1 --cold --dtype f16 --dtype f64 --layout NHWC --layout CHWN --json"))
          .out);
  REQUIRE(records.size() == 4);
  CHECK(records[0]["l2"] == "cold");
  CHECK(records[0]["dtype"] == "f16");
  CHECK(records[1]["layout"]["x"] == "CHWN");
  CHECK(records[3]["dtype"] == "f64");
}

TEST_CASE("bench --timed kernel measures rows that have a kernel, names it in the record, and says which have none") {
  const CommandResult result = convlens_command(shell_words(
      "bench " + kSmall + " --algorithm direct.cpu --algorithm direct.ref --timed kernel --repeats 2 --json"));
  CHECK(result.exit == 0);
  const std::vector<json> records = json_lines(result.out);
  REQUIRE(records.size() == 1);
  CHECK(records[0]["algorithm"] == "direct.cpu");
  CHECK(records[0]["timed"] == "kernel");
  CHECK_THAT(result.err, Contains("timed: kernel, must be call for direct.ref"));

  const CommandResult none =
      convlens_command(shell_words("bench " + kSmall + " --algorithm direct.ref --timed kernel --repeats 2"));
  CHECK(none.exit == 3);
  const CommandResult both = convlens_command(
      shell_words("bench " + kSmall + " --algorithm direct.cpu --algorithm direct.ref --timed all --repeats 2 --json"));
  const std::vector<json> all = json_lines(both.out);
  REQUIRE(all.size() == 3);
  CHECK(all[0]["timed"] == "call");
  CHECK(all[1]["timed"] == "kernel");
  CHECK(all[2]["algorithm"] == "direct.ref");
  CHECK_THAT(both.err, !Contains("timed: kernel"));  // where the machine is busy, how far it is stands there
  CHECK(convlens_command(shell_words("bench " + kSmall + " --timed kernle")).err ==
        "convlens: --timed: kernle, must be one of call | kernel | all; did you mean \"kernel\"?\n");
}

TEST_CASE("bench's table labels what is no plain utilisation") {
  const CommandResult result = convlens_command(shell_words("bench " + kSmall + " --repeats 1"));
  CHECK(result.exit == 0);
  for (const std::string& line : result.out_lines()) {
    if (line.find("winograd.ref") != std::string::npos) CHECK_THAT(line, Contains(" effective"));
    if (line.find("direct.ref") != std::string::npos) CHECK_THAT(line, !Contains("effective"));
  }
  CHECK_THAT(result.out, Contains("direct-equivalent") && Contains("no utilisation"));
}

TEST_CASE("bench of an empty batch ends well, without a rate") {
  const CommandResult table = convlens_command(shell_words("bench '0x3x5x7 --filter 4x3x3 --pad 1' --repeats 2"));
  CHECK(table.exit == 0);
  CHECK_THAT(table.out, Contains("n/a") && !Contains("inf") && !Contains("nan"));
  for (const json& record :
       json_lines(convlens_command(shell_words("bench '0x3x5x7 --filter 4x3x3 --pad 1' --repeats 2 --json")).out))
    CHECK(record["tflops"].is_null());
}

TEST_CASE("the environment's limits of threads are kept, and noted") {
  // One that BLAS shares out among threads, by a library that waits for each of them.
  const std::string command =
      "bench '1x64x28x28 --filter 64x3x3' --algorithm im2col.ref --algorithm direct.cpu --repeats 1 --json";
  const auto threads = [&](const std::string& more, const std::map<std::string, std::string>& environment) {
    const CommandResult result = run_command({.arguments = shell_words(command + more), .environment = environment});
    INFO(result.err);
    REQUIRE(result.exit == 0);
    std::string noted;
    const std::vector<json> records = json_lines(result.out);
    REQUIRE(records.size() == 2);
    for (const json& note : records[1]["engine_notes"])
      if (const auto text = note.get<std::string>(); text.starts_with("threads: ")) noted = text;
    return noted;
  };
  CHECK(threads("", {{"OMP_THREAD_LIMIT", "1"}}) == "threads: 1");
  CHECK(threads(" --threads 3", {{"OMP_THREAD_LIMIT", "2"}}) == "threads: 2");
  CHECK(threads(" --threads 8", {{"OMP_DYNAMIC", "true"}}) == "threads: 8");
}

TEST_CASE("bench -o writes the records, whole, and leaves nothing else behind") {
  const TemporaryFolder folder;
  const CommandResult result =
      run_command({.arguments = shell_words("bench " + kSmall + " --repeats 1 -o r.jsonl"), .folder = folder.path()});
  CHECK(result.exit == 0);
  CHECK(json_lines(contents(folder.path() + "/r.jsonl")).size() == rows_on_small());
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("bench -o leaves an old file as it was when nothing could be measured") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/r.jsonl") << "old\n";
  const CommandResult result = run_command(
      {.arguments = shell_words("bench '1x4x8x8 --filter 4x3x3 --stride 2' --algorithm winograd -o r.jsonl"),
       .folder = folder.path()});
  CHECK(result.exit == 3);
  CHECK(contents(folder.path() + "/r.jsonl") == "old\n");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("bench --verify says how far each row is from its bound before it is timed") {
  const auto records =
      json_lines(convlens_command(shell_words("bench " + kSmall +
                                              " --algorithm im2col --algorithm winograd --verify --repeats 1 --json"))
                     .out);
  REQUIRE(records.size() == 2);
  for (const json& record : records) {
    CHECK(record["error_over_bound"].get<double>() > 0);
    CHECK(record["error_over_bound"].get<double>() <= 1);
  }
}

TEST_CASE("bench takes several variants of a row in one call") {
  const auto records = json_lines(convlens_command(shell_words("bench " + kSmall +
                                                               " --algorithm im2col:batching=tile --algorithm im2col "
                                                               "--algorithm im2col:batching=full --repeats 1 --json"))
                                      .out);
  REQUIRE(records.size() == 3);
  CHECK(records[0]["run"] == "im2col.ref:batching=tile");
  CHECK(records[2]["run"] == "im2col.ref:batching=full");
}

TEST_CASE("bench says what was refused, on stderr") {
  const CommandResult result = convlens_command(shell_words(
      "bench '1x4x8x8 --filter 4x3x3 --stride 2' --algorithm winograd --algorithm direct --repeats 1 --json"));
  CHECK(result.exit == 0);
  CHECK(json_lines(result.out).size() == 1);
  CHECK_THAT(result.err, Contains("refused") && Contains("stride"));
}

TEST_CASE("Ctrl-C keeps the records that are done, in the table and in the file, and ends with 130") {
  const TemporaryFolder folder;
  const CommandResult result =
      run_command({.arguments = shell_words("bench " + kSmall + " --algorithm direct --seconds 3600 --csv -o r.jsonl"),
                   .folder = folder.path(),
                   .interrupt_after = 4});
  CHECK(result.exit == 130);
  CHECK(parse_csv(result.out).size() == 2);
  const auto records = json_lines(contents(folder.path() + "/r.jsonl"));
  REQUIRE(records.size() == 1);
  CHECK(records[0]["samples_ms"].size() >= 10);
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("A locale with a decimal comma changes nothing that is printed or read") {
  // The locale is compiled into a folder of our own where the system has its sources but not the locale itself.
  const TemporaryFolder folder;
  const std::string compile = "localedef -i de_DE -f UTF-8 '" + folder.path() + "/de_DE.UTF-8' >/dev/null 2>&1";
  if (std::system(compile.c_str()) != 0) {
    std::cout << "SKIP: localedef cannot make de_DE.UTF-8 here\n";
    return;
  }
  const std::map<std::string, std::string> german{{"LC_ALL", "de_DE.UTF-8"}, {"LOCPATH", folder.path()}};
  const auto in_german = [&](const std::string& call) {
    return run_command({.arguments = shell_words(call), .environment = german});
  };

  const auto rows = parse_csv(in_german("bench " + kSmall + " --repeats 2 --csv").out);
  REQUIRE(rows.size() == 1 + rows_on_small());
  for (const auto& row : rows) CHECK(row.size() == rows.front().size());
  for (const json& record : json_lines(in_german("bench " + kSmall + " --repeats 2 --json").out))
    CHECK(record["median_ms"].is_number_float());
  for (const std::string& call :
       std::vector<std::string>{"explain cv9 --algorithm im2col", "check " + kSmall + " --csv", "list layers",
                                "explain cv9 --algorithm direct --memory-limit 0.5GiB"}) {
    INFO(call);
    const CommandResult result = in_german(call);
    CHECK(result.exit == 0);
    CHECK(result.out == convlens_command(shell_words(call)).out);
  }
  CHECK(in_german("check --fuzz --seconds 0.5 --algorithm direct").exit == 0);
}
