// --state FILE: one file of the viewer says what every command works on, and the command line has the last word.
#include "algorithms/measure/device.h"
#include "tests/catch.h"
#include "tests/cli/state_folder.h"

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

TEST_CASE("bench measures a state's rows on its layer, in its type and layouts, on data of its seed") {
  const StateFolder folder;
  const auto records = json_lines(folder.good("bench --state s.json --repeats 1 --json"));
  REQUIRE(records.size() == 2);
  CHECK(records[0]["run"] == "im2win.ref");
  CHECK(records[1]["run"] == "im2col.ref:batching=full");
  for (const auto& record : records) {
    CHECK(record["problem"]["n"] == 2);
    CHECK(record["problem"]["wf"] == 2);
    CHECK(record["problem"]["pad"] == nlohmann::json({1, 0, 0, 0}));
    CHECK(record["dtype"] == "f16");
    CHECK(record["layout"]["w"] == "OHWI");
    CHECK(record["data"]["seed"] == 7);
  }
}

TEST_CASE("What is said on the command line is meant, whatever a state names") {
  const StateFolder folder;
  const auto one = [&](const std::string& more) {
    const auto records =
        json_lines(folder.good("bench --state s.json --repeats 1 --json --algorithm direct.ref " + more));
    REQUIRE(records.size() == 1);
    CHECK(records[0]["run"] == "direct.ref");
    return records[0];
  };
  CHECK(one("--dtype f32")["dtype"] == "f32");
  CHECK(one("--layout CHWN")["layout"]["x"] == "CHWN");
  CHECK(one("--seed 3")["data"]["seed"] == 3);
  CHECK(one("--batch 5")["problem"]["n"] == 5);
  CHECK(one("--batch 5")["problem"]["wf"] == 2);
  const auto other = one("--layer '1x2x5x5 --filter 3x3x3'");
  CHECK(other["problem"]["co"] == 3);
  CHECK(other["dtype"] == "f16");
}

TEST_CASE("A named layer of a state keeps its name and its batch size") {
  const StateFolder folder(R"({"convlens_state": 1, "layer": "cv12", "problem": {"n": 3, "ci": 512, "hi": 7, "wi": 7,
    "co": 512, "hf": 3, "wf": 3}, "runs": ["direct.cpu"]})");
  const auto record = json_lines(folder.good("bench --state s.json --repeats 1 --json")).front();
  CHECK(record["layer"] == "cv12");
  CHECK(record["problem"]["n"] == 3);
  // A layer that is named on the command line comes with its own.
  CHECK(json_lines(folder.good("bench cv11 --state s.json --repeats 1 --json")).front()["problem"]["n"] == 1);
}

TEST_CASE("check, choose and explain work on a state's layer") {
  const StateFolder folder;
  const auto checks = json_lines(folder.good("check --state s.json --json"));
  REQUIRE(checks.size() == 2);
  CHECK(checks[1]["run"] == "im2col.ref:batching=full");
  CHECK_THAT(folder.good("choose --state s.json"),
             Contains(kLayer + ", f16, NHWC,OHWI,NHWC") && Contains("im2win.ref") && Contains("batching=full"));
  CHECK_THAT(folder.good("explain --state s.json --algorithm im2win"),
             Contains("im2win.ref on " + kLayer + ", f16, NHWC,OHWI,NHWC"));
  CHECK_THAT(folder.good("explain --state s.json --algorithm fft.ref"), Contains("fft.ref on " + kLayer));
}

TEST_CASE("Random problems are checked with a state's rows and type, not on its layer") {
  const StateFolder folder;
  const auto checks = json_lines(folder.good("check --state s.json --fuzz --seconds 0.2 --json"));
  REQUIRE(!checks.empty());
  for (const auto& check : checks) CHECK(check["dtype"] == "f16");
}

TEST_CASE("live measures a state's run as its Performance panel does") {
  const StateFolder folder;
  folder.write_with("/runs", {"direct.ref"});
  const auto record = folder.live("--state s.json");
  CHECK(record["run"] == "direct.ref");
  CHECK(record["l2"] == "cold");
  CHECK(record["data"]["seed"] == 7);
  CHECK(record["problem"]["n"] == 2);
  const auto other = folder.live("im2win.ref --state s.json --timed call");
  CHECK(other["run"] == "im2win.ref");
  CHECK(other["l2"] == "warm");
}

TEST_CASE("kernel takes the row of a state's Kernel panel, and a type that its unit computes in") {
  const StateFolder folder;
  CHECK_THAT(folder.good("kernel --state s.json --emit cu"),
             Contains("double_buffer = false") && Contains("int wi = 8;") && Contains("DType dtype = f32;"));
  CHECK_THAT(folder.good("kernel im2win.tc --state s.json --emit cu"), Contains("DType dtype = f16;"));
  const CommandResult trace = folder.run("trace direct.cc --state s.json");
  CHECK(trace.exit == (why_no_device().empty() ? 0 : 4));
}

TEST_CASE("run convolves a state's picture by its rows") {
  const StateFolder folder;
  folder.good("run --filter identity -o sample.png");
  folder.write_with("/picture", "sample.png");
  const auto records = json_lines(folder.good("run --state s.json --filter box --dtype f32 --json"));
  REQUIRE(records.size() == 2);
  CHECK_THAT(records[0]["data"]["pattern"].get<std::string>(), Contains("sample.png"));
  folder.write_with("/picture", "random");
  CHECK_THAT(folder.run("run --state s.json --filter box").err, Contains("the state's input is random"));
}

TEST_CASE(
    "Rows of a state that this machine cannot run are left out, which is said, and without any other it is an error") {
  const StateFolder folder;
  folder.write_with("/runs", {"direct.ref", "direct.cc"});
  const CommandResult some = folder.without_gpu("bench --state s.json --dtype f32 --repeats 1");
  CHECK(some.exit == 0);
  CHECK_THAT(some.err, Contains("left out direct.cc: "));
  folder.write_with("/runs", {"direct.cc"});
  const CommandResult none = folder.without_gpu("bench --state s.json --dtype f32");
  CHECK(none.exit == 4);
  CHECK(none.err_lines().size() == 1);
  CHECK_THAT(none.err, Contains("state: none of its rows can run; direct.cc: "));
}

TEST_CASE("A file that is no state is one line and exit 2, the line of the viewer, in every command that reads one") {
  const StateFolder folder;
  const std::vector<std::string> commands{"bench",  "check", "choose", "explain",         "live",
                                          "kernel", "trace", "paper",  "run --filter box"};
  for (const std::string& text : {std::string("{}"), std::string("no JSON"), std::string(R"({"convlens_state": 2})"),
                                  std::string(R"({"convlens_state": 1, "layers": "cv9"})"),
                                  std::string(R"({"convlens_state": 1, "dtype": "f23"})")}) {
    folder.write(text);
    const CommandResult view = folder.run("view --state s.json --export none.csv");
    CHECK(view.exit == 2);
    for (const std::string& command : commands) {
      INFO(command << ": " << text);
      const CommandResult result = folder.run(command + " --state s.json");
      CHECK(result.exit == 2);
      CHECK(result.out == "");
      CHECK(result.err == view.err);
    }
  }
  CHECK_THAT(folder.run("bench --state none.json").err, Contains("state: none.json, cannot be read"));
}

TEST_CASE(
    "What a command would use of a state, and is wrong, is the line of the viewer, and the rest of it is not looked "
    "at") {
  const StateFolder folder;
  for (const auto& [pointer, value] : std::vector<std::pair<std::string, ordered_json>>{
           {"/problem/stride_w", 0}, {"/layer", "cv9"}, {"/runs", {"drect.ref"}}}) {
    folder.write_with(pointer, value);
    INFO(pointer);
    const CommandResult view = folder.run("view --state s.json --export none.csv"),
                        bench = folder.run("bench --state s.json");
    CHECK(view.exit == 2);
    CHECK(bench.exit == 2);
    CHECK(bench.err == view.err);
  }
  folder.good("bench --state s.json --algorithm direct.ref --repeats 1");  // whose runs are wrong
  folder.write_with("/problem/stride_w", 0);
  folder.good("bench '1x2x5x5 --filter 3x3x3' --state s.json --repeats 1");
  folder.write_with("/cursor/at", {0, 99, 0, 0});
  folder.good("bench --state s.json --repeats 1");
}

TEST_CASE("view --save writes the state without a display or a viewer, and every command reads what it wrote") {
  const StateFolder folder;
  folder.good("view '3x4x6x6 --filter 5x3x3' --algorithm direct.ref --layout CHWN --dtype f64 --save saved.json");
  const auto record = json_lines(folder.good("bench --state saved.json --repeats 1 --json")).front();
  CHECK(record["problem"]["co"] == 5);
  CHECK(record["layout"]["y"] == "CHWN");
  CHECK(record["dtype"] == "f64");
  // A state with one field changed, and nothing else.
  folder.good("view --state saved.json --batch 2 --save other.json");
  ordered_json saved = ordered_json::parse(folder.contents("saved.json"));
  saved["problem"]["n"] = 2;
  CHECK(saved == ordered_json::parse(folder.contents("other.json")));

  CHECK(folder.run("view --state saved.json --batch 2 --save -").out == folder.contents("other.json"));
  CHECK(folder.contents("-") == "");

  const CommandResult wrong = folder.run("view --state s.json --set cursor.tensor=z --save wrong.json");
  CHECK(wrong.exit == 2);
  CHECK(folder.contents("wrong.json") == "");
  CHECK_THAT(folder.run("view --save a.json --export ./a.json").err,
             Contains("--save: a.json, must be another file than that of --export"));
  CHECK_THAT(folder.run("view --save /nowhere/at/all.json").err,
             Contains("--save: /nowhere/at/all.json, cannot be written"));
}

TEST_CASE("what a state hides is a tensor that there is, or may be again") {
  const StateFolder folder;
  const auto hiding = [&](const std::string& tensor) {
    folder.write_with("/hidden", {"x", tensor});
    return folder.run("view --state s.json --algorithm im2win.ref --save hidden.json");
  };
  for (const std::string tensor :
       {"w", "w_blocks", "im2win.ref/im2win", "im2col.ref:batching=full/im2col", "mec.ref/padded"})
    CHECK(hiding(tensor).err == "");
  for (const std::string tensor : {"zzz", "", "/x", "zzz/x", "im2win.ref/", "im2win.ref:zzz/x"}) {
    const CommandResult wrong = hiding(tensor);
    INFO(wrong.err);
    CHECK(wrong.exit == 2);
    CHECK_THAT(wrong.err, Contains("hidden: " + tensor + ", must be x, w, w_blocks, y, or a row and its stage"));
  }
}

TEST_CASE("view takes a batch size without a layer for that of the state's layer") {
  const StateFolder folder;
  const auto bytes_of_x = [&](const std::string& call) {
    const CommandResult result = folder.run("view " + call + " --panel memory --export m.json");
    if (result.exit == 3) WARN("SKIP: " << result.err);
    if (result.exit == 3) return std::int64_t{0};
    REQUIRE(result.exit == 0);
    return ordered_json::parse(folder.contents("m.json")).at(0).at("bytes").get<std::int64_t>();
  };
  const std::int64_t of_state = bytes_of_x("--state s.json"), of_first = bytes_of_x("");
  CHECK(bytes_of_x("--state s.json --batch 6") == 3 * of_state);
  CHECK(bytes_of_x("--batch 6") == 6 * of_first);
}
