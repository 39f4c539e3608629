// What is wrong whatever the machine is exit 2 and is said before a device is looked for; what is legal, and needs one
// that is not there, is exit 4.
#include <filesystem>

#include "tests/catch.h"
#include "tests/cli/state_folder.h"

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;

namespace {

void refused(const StateFolder& folder, const std::string& call, int exit, const std::string& line) {
  const CommandResult result = folder.without_gpu(call);
  INFO(call << "\n" << result.err);
  CHECK(result.exit == exit);
  CHECK(result.out == "");
  CHECK(result.err_lines().size() == 1);
  CHECK_THAT(result.err, Contains(line));
}

const std::vector<std::pair<std::string, std::string>> kWrong{
    {"--layout foo", "layout: foo, must be one of"},
    {"--layout NCHW,NCHW,NCHW", "layout: NCHW, must be one of OIHW | OHWI"},
    {"--dtype f128", "dtype: f128, must be one of"},
    {"--options x", "--options: x, must be one of default | all"},
    {"--algorithm nope", "algorithm: nope, must be a row"}};

}  // namespace

TEST_CASE("values that are wrong are exit 2 for a row on a GPU, and for any GPU, where there is none") {
  const StateFolder folder;
  for (const std::string command : {"bench", "check", "choose"})
    for (const std::string gpu : {"--algorithm direct.cc", "--device gpu", "--device auto --algorithm direct.cc"}) {
      const std::string call = command + " cv9 " + gpu;
      for (const auto& [wrong, line] : kWrong) refused(folder, call + " " + wrong, 2, line);
      refused(folder, command + " cv99 " + gpu, 2, "layer: cv99, must be");
      refused(folder, command + " " + gpu, 2, "layer: none given");
      refused(folder, call, 4, "device: ");
    }
  refused(folder, "bench cv9 --algorithm direct.cc --timed nope", 2, "--timed: nope");
  refused(folder, "check cv9 --algorithm direct.cc --seconds 2", 2, "--seconds: must go with --fuzz");
  refused(folder, "choose cv9 --algorithm direct.cc --repeats 2", 2, "--repeats: must go with --measure");
  refused(folder, "bench cv9 --device gpu --algorithm im2win.ref", 2, "device: gpu, must be cpu for im2win.ref");
  for (const std::string wrong : {"--layout foo", "--dtype f128", "--at x", "--algorithm nope"})
    refused(folder,
            "explain cv9 --device gpu " + std::string(wrong == "--algorithm nope" ? "" : "--algorithm direct ") + wrong,
            2, wrong.substr(2, wrong.find(' ') - 2) + ": ");
}

TEST_CASE("run looks at filter, output and sizes before it looks for a GPU") {
  const StateFolder folder;
  const std::string run = "run --algorithm direct.cc ";
  refused(folder, run + "--filter nope -o x.png", 2, "filter: nope, must be one of");
  refused(folder, run + "--filter box -o x.xyz", 2, "output: x.xyz, must end in .png, .npy or /");
  refused(folder, run + "--filter box -o /nodir/x.png", 2, "output: /nodir/x.png, cannot be written");
  refused(folder, run + "--filter box --stride 0", 2, "stride_h: 0, must be");
  refused(folder, run + "--filter box --show loud", 2, "--show: loud");
  refused(folder, run + "--filter box --layout foo", 2, "layout: foo");
  refused(folder, run + "--filter box --dtype f128", 2, "dtype: f128");
  refused(folder, run + "--image none.png --filter box", 2, "--image: none.png, no such file");
  refused(folder, run + "--filter box -o made/", 4, "device: gpu0");
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/made"));
}

TEST_CASE(
    "an output that cannot be written is exit 2 before a GPU is looked for, and none is left where there is none") {
  const StateFolder folder;
  for (const std::string call : {"bench cv12 --algorithm direct.cc", "trace direct.cc cv12", "paper cv12"}) {
    refused(folder, call + " -o /nodir/z", 2, "--output: /nodir/z, cannot be written (No such file or directory)");
    const CommandResult result = folder.without_gpu(call + " -o z");
    INFO(call << "\n" << result.err);
    CHECK(result.exit == 4);
    CHECK(result.err_lines().size() == 1);
    CHECK_FALSE(std::filesystem::exists(folder.path() + "/z"));
  }
}

TEST_CASE("view asks for a device as explain does") {
  const StateFolder folder;
  for (const std::string command : {"explain cv12 ", "view --save v.json --layer cv12 "}) {
    refused(folder, command + "--algorithm direct.cc --device gpu", 4, "device: gpu0, ");
    refused(folder, command + "--algorithm direct.cc --device auto", 4, "device: auto, no GPU for direct.cc");
    refused(folder, command + "--algorithm direct.cc --device cpu", 2, "device: cpu, must be gpu for direct.cc");
    refused(folder, command + "--algorithm direct.cc --device tpu", 2, "device: tpu, must be one of cpu | auto | gpu");
    CHECK(folder.contents("v.json") == "");
  }
  // Without it a row is looked at wherever it runs.
  CHECK(folder.without_gpu("view --layer cv12 --algorithm direct.cc --save v.json").exit == 0);
}

TEST_CASE("a message names the option and the value, and no value that is not taken") {
  const StateFolder folder;
  refused(folder, "bench cv9 --algorithm direct.cc --pad x", 2, "--pad x: \"\", must be a whole number");
  refused(folder, "bench cv9 --algorithm direct.cc --stride ax1", 2, "--stride ax1: a, must be a whole number");
  refused(folder, "run --filter box --pad x", 2, "--pad x: \"\", must be a whole number");
  refused(folder, "view --image none.png --save v.json", 2, "--image: none.png, no such file");
  refused(folder, "view --image none.npy --save v.json", 2, "--image: none.npy, no such file");
  refused(folder, "view --set picture=none.png --save v.json", 2, "picture: none.png, no such file");
  refused(folder, "view --save /nodir/v.json", 2, "--save: /nodir/v.json, cannot be written");
  for (const std::string command :
       {"explain cv9 --algorithm direct", "kernel direct.cc --layer cv9", "trace direct.cc cv9", "live direct.cpu cv9",
        "run --filter box", "view --save v.json"}) {
    refused(folder, command + " --layout foo", 2, "layout: foo, must be one of NCHW | NHWC | CHWN\n");
    refused(folder, command + " --layout a,b", 2, "layout: a,b, must be one of NCHW, NHWC, CHWN, or input");
    refused(folder, command + " --dtype foo", 2, "dtype: foo, must be one of f16 | bf16 | f32 | f64\n");
  }
  refused(folder, "check cv9 --layout foo", 2, "layout: foo, must be one of NCHW | NHWC | CHWN | all\n");
  refused(folder, "check cv9 --dtype foo", 2, "dtype: foo, must be one of f16 | bf16 | f32 | f64 | all\n");
}

TEST_CASE("an output of the viewer is called by its option in every refusal") {
  const StateFolder folder;
  for (const auto& [call, line] : std::vector<std::pair<std::string, std::string>>{
           {"--screenshot v.jpg", "--screenshot: v.jpg, must end in .png"},
           {"--screenshot /nodir/v.png", "--screenshot: /nodir/v.png, cannot be written"},
           {"--export v.txt", "--export: v.txt, must end in .csv or .json"},
           {"--export /nodir/v.csv", "--export: /nodir/v.csv, cannot be written"}}) {
    const CommandResult result = folder.run("view " + call);
    if (result.exit == 3) WARN("SKIP: " << result.err);
    if (result.exit == 3) return;
    INFO(call << "\n" << result.err);
    CHECK(result.exit == 2);
    CHECK_THAT(result.err, Contains(line));
  }
}

TEST_CASE("what --help says of --json is what comes") {
  const StateFolder folder;
  const auto says = [&](const std::string& command) {
    const std::string help = folder.good(command + " --help");
    const bool lines = help.find("JSON Lines on stdout") != std::string::npos;
    CHECK(lines == (help.find("one JSON document on stdout") == std::string::npos));
    return lines;
  };
  for (const std::string call :
       {"list layers", "explain cv9 --algorithm direct", "choose cv11 cv12", "run --filter box --algorithm direct.ref",
        "bench '1x2x5x5 --filter 3x3x3' --algorithm direct.ref --algorithm im2col.ref --repeats 1",
        "check '1x2x5x5 --filter 3x3x3' --algorithm direct.ref --dtype f32"}) {
    INFO(call);
    const std::string out = folder.good(call + " --json");
    const std::string first = out.substr(0, out.find('\n'));
    CHECK(says(call.substr(0, call.find(' '))) == ordered_json::accept(first));
    CHECK((ordered_json::accept(first) || ordered_json::accept(out)));
  }
  for (const std::string command : {"kernel", "paper"}) CHECK_FALSE(says(command));
  for (const std::string command : {"live", "trace"}) CHECK(says(command));
}
