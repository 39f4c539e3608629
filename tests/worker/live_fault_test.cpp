// `convlens live` with a worker that is false: it talks on, talks nonsense, hangs or ends. What is wrong is said once,
// what was measured is not lost, and the command ends.
#include "tests/catch.h"
#include "tests/support/command.h"

using namespace convlens;

namespace {

const std::string kConvlens = std::string(CONVLENS_BINARY_DIR) + "/convlens";
const std::string kLayer = " live direct.cpu 1x8x20x20 --filter 8x3x3 ";

// `live` with these keys, a pause of a tenth of a second after each, and this shell script as its worker.
CommandResult live(const std::string& keys, const std::string& script, const std::string& options = "") {
  const TemporaryFolder folder;
  const std::string text = "cat > " + folder.path() + "/worker <<'END'\n" +
                           R"(echo '{"is":"hello","protocol":2,"revision":"r","host":"h","cpu":"c","gpu":""}')" + "\n" +
                           script + "\nEND\n" + "printf '" + keys + "' | '" + kConvlens + "'" + kLayer +
                           "--seconds 0.2 " + options + " --worker 'exec sh " + folder.path() + "/worker'";
  return run_command({.arguments = {"-c", text}, .program = "/bin/sh"});
}
std::string started(const std::string& run, const std::string& id = "1") {
  return R"(read line; echo '{"is":"started","id":)" + id + R"(,"run":")" + run +
         R"(","unit":"cpu","flops":1000000,"executed_flops":1000000,"tensor_bytes":1,"workspace_bytes":0}')" + "\n";
}
std::string samples(const std::string& ms, const std::string& id = "1") {
  return R"(echo '{"is":"samples","id":)" + id + R"(,"ms":[)" + ms + "]}'\n";
}
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a worker that goes on with what was cancelled is gone wrong, and the keys do not wait for it") {
  const CommandResult result = live("11", started("direct.cpu") + R"(exec yes '{"is":"samples","id":1,"ms":[1,2,3]}')");
  INFO(result.out << result.err);
  CHECK(result.exit == 4);
  REQUIRE_FALSE(result.out_lines().empty());
  CHECK(result.out_lines()[0].find("samples: 2 ms") != std::string::npos);
  CHECK(result.err.find("gone wrong: it goes on with what was cancelled") != std::string::npos);
}

TEST_CASE("a worker that answers what nobody asked is gone wrong") {
  const CommandResult result = live("1", R"(exec yes '{"is":"samples","id":77,"ms":[1]}')");
  INFO(result.out << result.err);
  CHECK(result.exit == 4);
  CHECK(result.err.find("id: 77, must be of a measurement that it owes") != std::string::npos);
}

TEST_CASE("samples that no clock makes, and another run's name, are not taken") {
  for (const std::string ms : {"-5", "0", "1e-300", "1e300", "2,-1"}) {
    INFO(ms);
    const CommandResult result = live("", started("direct.cpu") + samples(ms) + samples("2.5") + "sleep 1");
    INFO(result.out << result.err);
    CHECK(result.err.find("must be a list of times") != std::string::npos);
    REQUIRE(result.out_lines().size() == 1);
    CHECK(result.out_lines()[0].find("of 1 samples: 2.5") != std::string::npos);
  }
  const CommandResult other = live("", started("im2win.cpu") + samples("2.5") + "sleep 1");
  INFO(other.out << other.err);
  CHECK(other.err.find("answer: run: \"im2win.cpu\", must be direct.cpu") != std::string::npos);
  CHECK(other.out.find("n/a") != std::string::npos);  // its FLOPs are not those of this run
}

TEST_CASE("one bad line is said once, whatever follows") {
  const CommandResult result =
      live("11", started("direct.cpu") + "echo nonsense\n" + samples("2.5") + "read line; read line\n" +
                     samples("2", "2") + "read line; read line\n" + samples("3", "3") + "sleep 3");
  INFO(result.out << result.err);
  CHECK(result.out_lines().size() == 3);
  CHECK(count(result.out + result.err, "none of its language") == 1);
  CHECK(result.out.find("none of its language") == std::string::npos);
}

TEST_CASE("a worker that hangs midway is exit code 4, and what it measured before is there") {
  const CommandResult result = live("11", started("direct.cpu") + samples("2.5") + "sleep 60");
  INFO(result.out << result.err);
  CHECK(result.exit == 4);
  CHECK(result.out.find("2.5") != std::string::npos);
  CHECK(count(result.err, "live: the worker has not answered") == 1);
}

TEST_CASE("the last words of what ends are told, from stdout and stderr, with a newline or without") {
  const std::pair<std::string, std::string> all[] = {
      {"echo hello", "ended with exit code 0; it has said \"hello\""},
      {"printf hello; exit 3", "ended with exit code 3, in the middle of a line: \"hello\""},
      {"printf pass >&2; sleep 0.3; printf word: >&2; exit 3", "ended with exit code 3: password:"},
      {"echo first >&2; echo last >&2; exit 3", "ended with exit code 3: last"}};
  for (const auto& [script, says] : all) {
    const std::string command = "'" + kConvlens + "'" + kLayer + "--worker '" + script + "' < /dev/null";
    const CommandResult result = run_command({.arguments = {"-c", command}, .program = "/bin/sh"});
    INFO(script << "\n" << result.err);
    CHECK(result.exit == 4);
    CHECK(result.err.find(says) != std::string::npos);
  }
}

TEST_CASE("a worker of another protocol is as good as none") {
  const CommandResult result = convlens_command({"live", "direct.cpu", "1x8x20x20 --filter 8x3x3", "--worker",
                                                 R"(echo '{"is":"hello","protocol":97531}'; sleep 5)"});
  INFO(result.out << result.err);
  CHECK(result.exit == 4);
  REQUIRE_FALSE(result.err_lines().empty());
  CHECK(result.err_lines().back().find("--worker: is of another version: it speaks protocol 97531") !=
        std::string::npos);
}
