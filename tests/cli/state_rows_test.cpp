// --state FILE: which of a state's rows a command takes, and how the command line has the last word on each part.
#include "algorithms/measure/device.h"
#include "tests/catch.h"
#include "tests/cli/state_folder.h"

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

// What a command that works on one row says, in a line and with exit 2, of a state that leaves it open which.
std::string refusal(const StateFolder& folder, const std::string& call) {
  const CommandResult result = folder.run(call);
  INFO(call << "\n" << result.err);
  CHECK(result.exit == 2);
  CHECK(result.out == "");
  REQUIRE(result.err_lines().size() == 1);
  return result.err_lines().front().substr(std::string("convlens: ").size());
}

// A state with these rows and no others in its panels.
void write_rows(const StateFolder& folder, const std::vector<std::string>& rows) {
  ordered_json state = ordered_json::parse(kState);
  state["runs"] = rows;
  state["dtype"] = "f32";
  state.erase("performance");
  state.erase("kernel");
  state["cursor"]["tensor"] = "y";
  folder.write(state.dump());
}

const std::vector<std::string> kOfOneRow{"explain", "live", "kernel", "trace"};

}  // namespace

TEST_CASE("A command that works on one row takes a state's only one, and of several none that nobody has named") {
  const StateFolder folder;
  write_rows(folder, {"im2win.cc:double_buffer=off"});
  CHECK_THAT(folder.good("explain --state s.json"), Contains("im2win.cc:double_buffer=off on " + kLayer));
  CHECK_THAT(folder.good("kernel --state s.json --emit cu"), Contains("double_buffer = false"));

  write_rows(folder, {"fft.cc", "direct.cc", "im2win.cc"});
  for (const std::string& command : kOfOneRow) {
    const std::string parameter = command == "explain" ? "--algorithm" : "ROW";
    CHECK(refusal(folder, command + " --state s.json") ==
          parameter + ": none given, must be one of those that the state names: fft.cc | direct.cc | im2win.cc");
  }
  CHECK_THAT(folder.good("kernel direct.cc --state s.json --emit cu"), Contains("int wi = 8;"));
}

TEST_CASE("explain and live take the state's one row that computes the layer in its type") {
  const StateFolder folder;
  write_rows(folder, {"im2win.ref", "direct.tc"});  // in f32, which tensor cores have not
  CHECK_THAT(folder.good("explain --state s.json"), Contains("im2win.ref on " + kLayer));
  CHECK(folder.live("--state s.json")["run"] == "im2win.ref");
  CHECK_THAT(refusal(folder, "explain --state s.json --dtype f16"), Contains("im2win.ref | direct.tc"));
  write_rows(folder, {"direct.ref", "winograd.ref"});  // which has no strides
  CHECK_THAT(folder.good("explain --state s.json --stride 2"), Contains("direct.ref on "));
  CHECK_THAT(refusal(folder, "explain --state s.json"), Contains("direct.ref | winograd.ref"));
  write_rows(folder, {"im2win.ref", "direct.tc", "direct.ref"});
  CHECK_THAT(refusal(folder, "explain --state s.json"), Contains("names: im2win.ref | direct.ref"));
  write_rows(folder, {"direct.tc", "im2win.tc"});  // where none does, that is said of the one that is named
  CHECK_THAT(refusal(folder, "explain --state s.json"), Contains("direct.tc | im2win.tc"));
}

TEST_CASE("Of a state's rows kernel and trace take the one that has a kernel, and say when none has") {
  const StateFolder folder;
  write_rows(folder, {"im2win.ref", "cudnn.best", "im2win.cc:double_buffer=off", "direct.cpu"});
  CHECK_THAT(folder.good("kernel --state s.json --emit cu"), Contains("double_buffer = false"));
  CHECK(folder.run("trace --state s.json").exit == (why_no_device().empty() ? 0 : 4));
  write_rows(folder, {"im2win.ref", "direct.cpu"});
  for (const std::string command : {"kernel", "trace"})
    CHECK(refusal(folder, command + " --state s.json") ==
          "ROW: none given, must be a row with a kernel on a GPU; the state names im2win.ref, direct.cpu, and none has "
          "a kernel");
  write_rows(folder, {});
  for (const std::string& command : kOfOneRow)
    CHECK_THAT(refusal(folder, command + " --state s.json"), Contains("none given") && Contains("names none either"));
}

TEST_CASE("explain takes the state's one row on the device that is asked for") {
  const StateFolder folder;
  write_rows(folder, {"im2win.ref", "direct.ref", "im2win.cc"});
  CHECK_THAT(refusal(folder, "explain --state s.json --device cpu"), Contains("im2win.ref | direct.ref"));
  write_rows(folder, {"im2win.ref", "im2win.cc"});
  CHECK_THAT(folder.good("explain --state s.json --device cpu"), Contains("im2win.ref on " + kLayer));
  write_rows(folder, {"im2win.cc"});
  CHECK_THAT(refusal(folder, "explain --state s.json --device cpu"),
             Contains("must be a row of this --device; the state names im2win.cc, and none runs there"));
}

TEST_CASE("A row that a panel was told to show is one of the state's for what that panel does") {
  const StateFolder folder;  // its Performance panel shows direct.ref, its Kernel panel a row of im2win.cc
  CHECK_THAT(refusal(folder, "live --state s.json"), Contains("im2win.ref | im2col.ref:batching=full | direct.ref"));
  CHECK_THAT(folder.good("kernel --state s.json --emit cu"), Contains("double_buffer = false"));
  folder.write_with("/runs", {"direct.cc"});
  CHECK_THAT(refusal(folder, "kernel --state s.json"), Contains("direct.cc | im2win.cc:double_buffer=off"));
  CHECK_THAT(folder.good("explain --state s.json --dtype f32"), Contains("direct.cc on "));
}

TEST_CASE("Commands that work on several rows take all of a state's, each once however often it is named") {
  const StateFolder folder;
  std::vector<std::string> rows(40, "im2win.ref");
  rows.insert(rows.end(), {"im2win", "direct.ref", "im2col.ref:batching=full", "im2col:batching=full"});
  write_rows(folder, rows);
  for (const std::string command : {"bench --repeats 1", "check"}) {
    const auto lines = json_lines(folder.good(command + " --state s.json --json"));
    REQUIRE(lines.size() == 3);
    CHECK(lines[0]["run"] == "im2win.ref");
    CHECK(lines[1]["run"] == "direct.ref");
    CHECK(lines[2]["run"] == "im2col.ref:batching=full");
  }
  folder.good("view --state s.json --save saved.json");
  CHECK(ordered_json::parse(folder.contents("saved.json"))["runs"] ==
        ordered_json({"im2win.ref", "direct.ref", "im2col.ref:batching=full"}));
  folder.good("view --algorithm im2win --algorithm im2win.ref --save saved.json");
  CHECK(ordered_json::parse(folder.contents("saved.json"))["runs"] == ordered_json({"im2win.ref"}));
}

TEST_CASE("A run of a state with a value that its option cannot have is refused by the option's own rule") {
  const StateFolder folder;
  for (const auto& [run, rule] : std::vector<std::pair<std::string, std::string>>{
           {"winograd.ref:m=99", "option m: 99, must be an integer from 1 to 8"},
           {"winograd.ref:n=2", "option: n, must be one of"},
           {"drect.ref", "must be a row of `convlens list algorithms`"}}) {
    write_rows(folder, {"direct.ref", run});
    for (const std::string command : {"bench", "explain", "view --save none.json"})
      CHECK_THAT(refusal(folder, command + " --state s.json"), Contains("state: runs: " + run + ", " + rule));
  }
}

TEST_CASE("Parts of a layer on the command line take the place of the state's, in every command that has both") {
  const StateFolder folder;
  const std::string strided = "2x4x9x8 --filter 6x3x2 --stride 2 --pad 1x0x0x0";
  const auto record =
      json_lines(folder.good("bench --state s.json --stride 2 --algorithm direct.ref --repeats 1 --json")).front();
  CHECK(record["problem"]["stride"] == nlohmann::json({2, 2}));
  CHECK(record["problem"]["pad"] == nlohmann::json({1, 0, 0, 0}));
  CHECK(record["problem"]["n"] == 2);
  CHECK_THAT(folder.good("explain --state s.json --algorithm direct --stride 2"), Contains("direct.ref on " + strided));
  CHECK_THAT(folder.good("choose --state s.json --stride 2"), Contains(strided));
  CHECK(json_lines(folder.good("check --state s.json --stride 2 --json")).front()["problem"] == strided);
  CHECK_THAT(folder.good("kernel --state s.json --emit cu --stride 2"), Contains("int stride_h = 2;"));
  CHECK(folder.live("direct.ref --state s.json --stride 2")["problem"]["stride"] == nlohmann::json({2, 2}));
  folder.good("view --state s.json --stride 2 --save saved.json");
  CHECK(ordered_json::parse(folder.contents("saved.json"))["problem"]["stride_w"] == 2);

  CHECK_THAT(folder.good("explain --state s.json --algorithm direct --filter 8x1x1 --pad 0 --batch 3 --bias"),
             Contains("direct.ref on 3x4x9x8 --filter 8x1x1 --bias"));
  folder.write_with("/problem/bias", true);
  const std::string biased = "direct.ref on 2x4x9x8 --filter 6x3x2 --pad 1x0x0x0 --bias",
                    call = "explain --state s.json --algorithm direct";
  CHECK_THAT(folder.good(call), Contains(biased));
  CHECK_THAT(folder.good(call + " --bias"), Contains(biased));
  CHECK_THAT(folder.good(call + " --no-bias"), Contains("--pad 1x0x0x0") && !Contains("--bias"));
  folder.good("view --state s.json --no-bias --save saved.json");
  CHECK(ordered_json::parse(folder.contents("saved.json"))["problem"]["bias"] == false);
  CHECK(refusal(folder, call + " --bias --no-bias") == "--no-bias: given with --bias, must be one of them");
  CHECK(refusal(folder, "explain cv9 --algorithm direct --no-bias") ==
        "--no-bias: given with a layer, must go with that of a state");
  CHECK_THAT(refusal(folder, "bench --state s.json --stride 0"), Contains("stride_h: 0, must be ≥ 1"));
}

TEST_CASE("A named layer of a state keeps its name as long as it is that layer") {
  const StateFolder folder(R"({"convlens_state": 1, "layer": "cv12", "problem": {"n": 3, "ci": 512, "hi": 7, "wi": 7,
    "co": 512, "hf": 3, "wf": 3}, "runs": ["direct.ref"]})");
  CHECK_THAT(folder.good("explain --state s.json --stride 1"), Contains("direct.ref on cv12: 3x512x7x7"));
  CHECK_THAT(folder.good("explain --state s.json --stride 2"),
             Contains("direct.ref on 3x512x7x7 --filter 512x3x3 --stride 2"));
}

TEST_CASE("paper draws records of any layers, and says that a state has no say in it") {
  const StateFolder folder;
  for (const auto& [call, given] : std::vector<std::pair<std::string, std::string>>{
           {"--state s.json", "--state"}, {"--stride 2", "layers"}, {"--state s.json --batch 4", "--state"}})
    CHECK(refusal(folder, "paper --from records.jsonl " + call) ==
          "--from: given with " + given + ", must be alone: nothing is measured");
}
