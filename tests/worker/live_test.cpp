// `convlens live` with keys from a pipe, and the worker as programs use it.
#include <fstream>
#include <nlohmann/json.hpp>

#include "algorithms/measure/device.h"
#include "algorithms/worker/line.h"
#include "tests/catch.h"
#include "tests/support/command.h"

using namespace convlens;

namespace {

const std::string kConvlens = std::string(CONVLENS_BINARY_DIR) + "/convlens";

// The command with `keys` on its stdin.
CommandResult piped(const std::string& keys, const std::string& arguments) {
  return run_command(
      {.arguments = {"-c", "printf '" + keys + "' | \"" + kConvlens + "\" " + arguments}, .program = "/bin/sh"});
}
const std::string kLive = "live direct.cpu 1x8x20x20 --filter 8x3x3 --seconds 0.05 ";

}  // namespace

TEST_CASE("keys from a pipe flip options, and each set of them has one line") {
  const CommandResult result = piped("1\\n2 21zq", kLive);
  INFO(result.err);
  REQUIRE(result.exit == 0);
  const std::vector<std::string> lines = result.out_lines();
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].starts_with("direct.cpu  "));
  CHECK(lines[1].starts_with("direct.cpu:simd=off  "));
  CHECK(lines[2].starts_with("direct.cpu:simd=off,threads=one  "));
  CHECK(lines[3].starts_with("direct.cpu:simd=off  "));
  CHECK(lines[4].starts_with("direct.cpu  "));
  for (const std::string& line : lines) CHECK(line.find("FLOPS") != std::string::npos);
  CHECK(result.err.find("1 simd") != std::string::npos);
}

TEST_CASE("the end of the keys is the end, and a flipped option is a record for programs") {
  CHECK(piped("", kLive).out_lines().size() == 1);
  const CommandResult result = piped("1", kLive + "--json");
  REQUIRE(result.out_lines().size() == 2);
  CHECK(nlohmann::json::parse(result.out_lines()[0]).at("run") == "direct.cpu");
  CHECK(nlohmann::json::parse(result.out_lines()[1]).at("run") == "direct.cpu:simd=off");
}

TEST_CASE("live says what is wrong") {
  CHECK(piped("", "live direct.cpu").exit == 2);
  CHECK(piped("", "live --layer cv9").err.find("ROW") != std::string::npos);
  CHECK(piped("", kLive + "--timed nothing").err.find("--timed: nothing") != std::string::npos);
  CHECK(piped("", "live direct.cpu --layer cv9 --dtype f64").exit == 3);
  const CommandResult gone = piped("", kLive + "--worker 'echo no such host >&2; exit 255'");
  CHECK(gone.exit == 4);
  CHECK(gone.err.find("exit code 255: no such host") != std::string::npos);
  const CommandResult other =
      piped("", kLive + "--worker 'echo \"{\\\"is\\\":\\\"hello\\\",\\\"protocol\\\":9}\"; sleep 3'");
  CHECK(other.err.find("protocol 9") != std::string::npos);
}

TEST_CASE("live says that a worker is silent, and what it has measured is not lost") {
  const std::string hello =
      R"(echo "{\"is\":\"hello\",\"protocol\":2,\"revision\":\"r\",\"host\":\"h\",\"cpu\":\"c\",\"gpu\":\"\"}";)";
  const std::string samples = R"(read line; echo "{\"is\":\"samples\",\"id\":1,\"ms\":[2.5]}"; sleep 9)";
  const CommandResult hangs =
      piped("1", "live direct.cpu 1x8x20x20 --filter 8x3x3 --seconds 8 --worker '" + hello + samples + "'");
  INFO(hangs.err << hangs.out);
  CHECK(hangs.err.find("live: the worker has not answered") != std::string::npos);
  REQUIRE_FALSE(hangs.out_lines().empty());
  CHECK(hangs.out_lines()[0].find("2.5 ms") != std::string::npos);
}

TEST_CASE("live ends with the fault that is the real one, by the exit code of its kind") {
  const CommandResult row = piped("", "live nope");
  CHECK(row.exit == 2);
  CHECK(row.err.find("nope") != std::string::npos);
  CHECK(row.err.find("layer") == std::string::npos);
  CHECK(piped("", "live direct.cup --layer cv9").err.find("did you mean \"direct.cpu\"") != std::string::npos);
  CHECK(piped("", "trace nope").err.find("nope") != std::string::npos);
  for (const std::string worker : {"false", "", "/no/such/program", "echo garbage"}) {
    INFO(worker);
    const CommandResult result = piped("", kLive + "--worker '" + worker + "'");
    CHECK(result.exit == (worker.empty() ? 2 : 4));
    CHECK(result.err.find("--worker") != std::string::npos);
    CHECK(result.err.find("json.exception") == std::string::npos);
  }
  if (why_no_device().empty()) return;
  for (const std::string command : {"live", "trace"}) {
    INFO(command);
    const CommandResult none = piped("1", command + " im2win.cc --layer cv9");
    CHECK(none.exit == 4);
    CHECK(none.out == "");
    CHECK(none.err == "convlens: im2win.cc: " + why_no_device() + "\n");
    CHECK(piped("", command + " im2win.tc --layer cv9 --layout NHWC").exit == 4);
    CHECK(piped("", command + " im2win.cc").exit == 2);
    CHECK(piped("", command + " im2win.cc --layer cv9 --layout nope").exit == 2);
  }
  for (const std::string command : {"live", "trace"})
    CHECK(piped("", command + " im2win.tc --layer cv9 --dtype f64").exit == 3);
  CHECK(piped("", "trace im2win.cc --layer cv9 -o /no/such/folder/file").exit == 2);
}

TEST_CASE("the time of a set counts from its first sample, not from when it was asked for") {
  // The worker starts so late that all the time would be over.
  const CommandResult late =
      piped("1", "live direct.cpu 1x8x20x20 --filter 8x3x3 --seconds 0.3 --json --worker 'sleep 1; exec \"" +
                     kConvlens + "\" worker'");
  INFO(late.err);
  REQUIRE(late.out_lines().size() == 2);
  for (const std::string& line : late.out_lines()) CHECK(nlohmann::json::parse(line).at("samples_ms").size() > 20);
}

TEST_CASE("a closed stdin is an empty one") {
  for (const std::string input : {"<&-", "</dev/null"}) {
    INFO(input);
    const CommandResult result =
        run_command({.arguments = {"-c", "'" + kConvlens + "' " + kLive + input}, .program = "/bin/sh"});
    CHECK(result.exit == 0);
    CHECK(result.out_lines().size() == 1);
  }
}

TEST_CASE("live leaves its line, or record, when it is ended by a signal") {
  const std::string start = "exec 3< <(sleep 30 2>/dev/null); '" + kConvlens + "' " + kLive;
  const auto ended_by = [&](const std::string& signal, const std::string& options) {
    const std::string script = start + options + " <&3 & live=$!; sleep 3; kill -" + signal + " $live; wait $live";
    return run_command({.arguments = {"-c", script}, .program = "/bin/bash"});
  };
  // What a shell has put into the background ignores SIGINT.
  const std::string in_its_place = "exec 3< <(sleep 30 2>/dev/null); exec '" + kConvlens + "' " + kLive + "<&3";
  const CommandResult interrupted =
      run_command({.arguments = {"-c", in_its_place}, .interrupt_after = 3, .program = "/bin/bash"});
  CHECK(interrupted.exit == 130);
  CHECK(interrupted.out.find("samples") != std::string::npos);
  for (const std::string signal : {"TERM", "HUP"}) {
    INFO(signal);
    const CommandResult result = ended_by(signal, "");
    INFO(result.out << result.err);
    CHECK(result.exit == 128 + (signal == "TERM" ? 15 : 1));
    REQUIRE(result.out_lines().size() == 1);
    CHECK(result.out_lines()[0].find("samples") != std::string::npos);
  }
  CHECK(nlohmann::json::parse(ended_by("TERM", "--json").out).at("run") == "direct.cpu");
}

TEST_CASE("a key that there is none of is answered with those that there are") {
  const CommandResult result = piped("z!\\001", kLive);
  INFO(result.err);
  CHECK(result.out_lines().size() == 1);
  CHECK(result.err.find("key: z, must be of: 1 simd  2 threads") != std::string::npos);
  CHECK(result.err.find("key: !, must be of: 1 simd") != std::string::npos);
  CHECK(result.err.find("key: one that no letter is, must be of: 1 simd") != std::string::npos);
}

TEST_CASE("live says that a worker hangs before it has measured anything, and q ends it") {
  const std::string hello =
      R"(echo "{\"is\":\"hello\",\"protocol\":2,\"revision\":\"r\",\"host\":\"h\",\"cpu\":\"c\",\"gpu\":\"\"}";)";
  const CommandResult hangs = piped("q", kLive + "--worker '" + hello + " sleep 3600'");
  INFO(hangs.err << hangs.out);
  CHECK(hangs.exit == 4);
  CHECK(hangs.err.find("live: the worker has not answered for 5 s") != std::string::npos);
}

TEST_CASE("live says that a worker answers and measures nothing, and goes on waiting for it") {
  const TemporaryFolder folder;
  const std::string worker = folder.path() + "/worker.sh";
  std::ofstream(worker) << R"(echo '{"is":"hello","protocol":2,"revision":"r","host":"h","cpu":"c","gpu":""}'
    while read line; do
      case $line in *ping*) echo '{"is":"pong","id":999}';; esac
    done)";
  const std::string line = "'" + kConvlens + "' " + kLive + "--worker 'sh " + worker + "' < /dev/null";
  const CommandResult waits =
      run_command({.arguments = {"-c", "exec " + line}, .interrupt_after = 18, .program = "/bin/sh"});
  INFO(waits.err << waits.out);
  CHECK(waits.exit == 130);
  const std::string said = "live: the worker has measured nothing for 15 s, though it answers";
  CHECK(waits.err.find(said) != std::string::npos);
  CHECK(waits.err.find(said) == waits.err.rfind("live: the worker"));  // once
}

TEST_CASE("a worker answers what it does not understand, goes on, and ends with its input") {
  const CommandResult result = piped("nonsense\\n{\"is\":\"ping\",\"id\":4}\\n", "worker");
  CHECK(result.exit == 0);
  REQUIRE(result.out_lines().size() == 3);
  CHECK(nlohmann::json::parse(result.out_lines()[0]).at("is") == "hello");
  CHECK(nlohmann::json::parse(result.out_lines()[1]).at("is") == "not understood");
  CHECK(nlohmann::json::parse(result.out_lines()[2]).at("is") == "pong");
}

TEST_CASE("the rolling median is of the last samples, and rates have their unit") {
  worker::Line line;
  CHECK(worker::rate_text(line.tflops()) == "n/a");
  line.flops = 1'000'000'000;
  line.ms = std::vector<double>(500, 100.0);
  line.ms.insert(line.ms.end(), worker::Line::kWindow, 2.0);
  CHECK(line.median_ms() == 2.0);
  CHECK(line.median_ms(0) == 100.0);
  CHECK(worker::rate_text(line.tflops()) == "500 GFLOPS");
  CHECK(worker::rate_text(41.123) == "41.1 TFLOPS");
  CHECK(worker::rate_text(0.0012) == "1.20 GFLOPS");
  CHECK(worker::rate_text(4.12e-7) == "412 kFLOPS");
  CHECK(worker::rate_text(0.00099996) == "1.00 GFLOPS");
  CHECK(worker::rate_text(9.996e-5) == "100 MFLOPS");
  CHECK(worker::rate_text(2e-12) == "2.00 FLOPS");
  CHECK(worker::rate_text(0) == "0.00 TFLOPS");
  CHECK(worker::rate_text(1e300) == "1.00e+300 TFLOPS");
}
