// What is wrong on the command line: one line on stderr that names it, nothing on stdout, the right exit code.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "algorithms/interface/module.h"
#include "tests/catch.h"
#include "tests/support/command.h"

using namespace convlens;
using Catch::Matchers::Contains;

namespace {

struct Mistake {
  int exit;
  std::string call;  // what follows "convlens "
  std::string line;  // what the one line says
};

const std::vector<Mistake> kMistakes{
    {2, "", "command: none given, must be one of list"},
    {2, "explian", "command: explian, must be one of list | run | explain"},
    {2, "frobnicate", "command: frobnicate, must be one of list"},
    {2, "''", "argument: \"\", must not be empty"},
    {2, "check ''", "argument: \"\", must not be empty"},
    {2, "check cv9 --dtype ''", "--dtype: \"\", must not be empty"},
    {2, "check cv9 --threads=", "--threads: \"\", must not be empty"},
    {2, "run --filter box --image ''", "--image: \"\", must not be empty"},
    {2, "run --filter box --image=", "--image: \"\", must not be empty"},
    {2, "run --filter box --pad ''", "--pad: \"\", must not be empty"},
    {2, "run --filter box -o ''", "-o: \"\", must not be empty"},
    {2, "explain cv9 --algorithm im2col --at ''", "--at: \"\", must not be empty"},
    {2, "check cv9 --algoritm direct",
     "option: --algoritm, must be an option of check, see --help; did you mean \"--algorithm\"?"},
    {2, "check cv9 --qqq", "option: --qqq, must be an option of check, see --help"},
    {2, "--threds 2 list layers",
     "option: --threds, must be an option of list, see --help; did you mean \"--threads\"?"},
    {2, "list algorithms layers", "argument: layers, not expected by list"},
    {2, "list", "list: nothing named, must be one of algorithms | layers"},
    {2, "list layer", "list: layer, must be one of algorithms | layers"},
    {2, "list layers --json --csv", "--csv: given with --json, must be one of them"},
    {2, "list layers --measure", "--measure: given for layers, must go with devices"},
    {2, "list layers --markdown --json", "--markdown: given with --json or --csv"},
    {2, "list layers --threads 0", "--threads: 0, must be an integer from 1 to 1024"},
    {2, "list layers --threads -3", "--threads: -3, must be an integer from 1 to 1024"},
    {2, "list layers --threads 1000000", "--threads: 1000000, must be an integer from 1 to 1024"},
    {2, "list layers --threads two", "--threads: two, must be an integer from 1 to 1024"},
    {2, "list layers --memory-limit 8Gib", "--memory-limit: 8Gib, must be a positive size in B, KB, KiB"},
    {2, "list layers --memory-limit=-1GiB", "--memory-limit: -1GiB, must be a positive size"},
    {2, "list layers --memory-limit 99999999999GiB", "--memory-limit: 99999999999GiB, overflows 64 bits"},
    {2, "list layers --memory-limit inf", "--memory-limit: inf, must be a positive size"},
    {2, "list layers --threads 2 --threads 3", "--threads: given 2 times, must be given once"},
    {2, "--threads 2 --threads 3 --threads 4 list layers", "--threads: given 3 times, must be given once"},
    {2, "run --image a.png --image b.png --filter box", "--image: given 2 times, must be given once"},
    {2, "windows", "output: missing, must be given"},
    {2, "list layers --memory-limit nan", "--memory-limit: nan, must be a positive size"},
    {2, "explain --layer", "--layer: nothing follows, must have a value"},
    {2, "explain cv9", "--algorithm: none given"},
    {2, "explain --algorithm direct", "layer: 0 given, must be exactly one"},
    {2, "explain cv8 cv9 --algorithm direct", "layer: 2 given, must be exactly one"},
    {2, "explain cv9 --algorithm direct cv8", "layer: 2 given, must be exactly one"},
    {2, "explain cv8 --layer cv9 --algorithm direct", "layer: 2 given, must be exactly one"},
    {2, "explain cv9 --algorithm direct --algorithm im2col", "--algorithm: given 2 times, must be given once"},
    {2, "explain cv9 --algorithm drect",
     "algorithm: drect, must be a row of `convlens list algorithms`, or a family: direct | "},
    {2, "explain cv99 --algorithm direct",
     "layer: cv99, must be a layer or suite of `convlens list layers`, or a problem"},
    {2, "explain qwertyuiop --algorithm direct", "layer: qwertyuiop, must be a layer or suite"},
    {2, "check --suite vc --algorithm direct", "did you mean \"cv\"?"},
    {2, "explain --suite cv --algorithm direct", "option: --suite"},
    {2, "explain cv9 --algorithm direct --options all", "option: --options"},
    {2, "windows -o w.png --json", "--json: windows draws a picture, must be left out"},
    {2, "--csv windows -o w.png", "--csv: windows draws a picture, must be left out"},
    {2, "explain cv9 --algorithm im2col:batchin=full",
     "option: batchin, must be one of batching | chunk_images | gemm; did you mean \"batching\"?"},
    {2, "explain cv9 --algorithm im2col:batching=ful", "option batching: ful, must be one of "},
    {2, "explain cv9 --algorithm im2col:batching", "option: batching, must be written id=value"},
    {2, "explain cv9 --algorithm direct --dtype f23",
     "dtype: f23, must be one of f16 | bf16 | f32 | f64; did you mean \"f32\"?"},
    {2, "explain cv9 --algorithm direct --layout NCWH",
     "layout: NCWH, must be one of NCHW | NHWC | CHWN; did you mean \"NCHW\"?"},
    {2, "explain cv9 --algorithm direct --layout NCHW,OHIW,NCHW",
     "layout: OHIW, must be one of OIHW | OHWI; did you mean"},
    {2, "explain cv9 --algorithm direct --layout NCHW,OIHW", "layout: NCHW,OIHW, must be one of NCHW"},
    {2, "explain cv9 --algorithm direct --batch -1", "--batch: -1, must be an integer from 0"},
    {2, "explain cv9 --algorithm direct --csv", "--csv: explain has no table"},
    {2, "explain cv9 --algorithm direct --stage input", "--stage: input, must go with --at"},
    {2, "explain cv9 --algorithm im2col --at 0,3,0,0,0,0,0",
     "--at: 7 coordinates, must be 1 to 6 for stage im2col: n, p, q, c, u, v"},
    {2, "explain cv9 --algorithm im2col --at 0,3,17,5,1,3",
     "--at: v = 3, must be from 0 to W_f − 1 = 2 in stage im2col"},
    {2, "explain cv9 --algorithm im2col --at 0,3,x,5,1,2", "--at: x, must be an integer from 0"},
    {2, "explain cv9 --algorithm im2col --at -1,3,1,5,1,2", "--at: -1, must be an integer from 0"},
    {2, "explain cv9 --algorithm im2col --at 0,3,17,5 --stage inptu", "--stage: inptu, must be one of "},
    {2, "check cv9 cv8 --filter 2x2x2", "--filter 2x2x2, must go with exactly one layer"},
    {2, "check cv --stride 2", "--stride 2, must go with exactly one layer"},
    {2, "check 1x2x8x8 1x2x9x9 --filter 2x3x3", "--filter 2x3x3, must go with exactly one layer"},
    {2, "bench cv9 --stride 0", "stride_h: 0, must be ≥ 1"},
    {2, "explain '1x1x2x2 --filter 1x5x3 --pad 0x0x1x1' --algorithm direct", "hf: 5, with dilation 1 reaches over 5"},
    {2, "explain 1x2x3x3 --filter 2x3x3 --stride 1x0 --algorithm direct", "stride_w: 0, must be ≥ 1"},
    {2, "check 1x2x8x8 --filter 2x3x3 --bias 3", "--bias: 3, must have no value"},
    {2, "check 1x2x8x8 --filter 2x3x3 --bias=3", "--bias: must have no value"},
    {2, "list layers --json=maybe", "--json: must have no value"},
    {2, "check '1x2x8x8 --filter 2x3x3 --bias 3'", "--bias: 3, must have no value"},
    {2, "check mb1ic4ih8oc4kh3 --stride 2", "a benchdnn string takes no further options"},
    {3, "check 1x2x8x8 --filter 2x3x3 --pad 9223372036854775807", "hi + pad_top + pad_bottom"},
    {2, "explain 'cv9\n' --algorithm direct", "layer: cv9\\n, must be a layer or suite"},
    {2, "explain cv9 --algorithm 'dir\nect\t\x1b'", "algorithm: dir\\nect\\t\\x1b, must be a row"},
    {2, "list 'lay\ners'", "list: lay\\ners, must be one of algorithms"},
    {2, "explain '1x2x3x3\n--filter 2x5x5' --algorithm direct", "hf: 5"},
    {2, "explain cv9 --algorithm direct --device tpu",
     "device: tpu, must be one of cpu | auto | gpu, or gpu and its number"},
    {2, "explain cv9 --algorithm direct --device gpu-1",
     "device: gpu-1, must be one of cpu | auto | gpu, or gpu and its"},
    {2, "check cv9 --device gpu0x", "device: gpu0x, must be one of"},
    {2, "explain cv9 --algorithm direct.cc --device cpu", "device: cpu, must be gpu for direct.cc"},
    {3, "explain '1x32x2800x2800 --filter 4x3x3 --pad 1' --algorithm im2col --memory-limit 8GiB", "im2col 9031680000"},
    {3, "check '1x32x2800x2800 --filter 4x3x3 --pad 1' --algorithm im2col --dtype f32 --memory-limit 8GiB",
     "im2col 9031680000"},
    {3, "bench '1x32x2800x2800 --filter 4x3x3 --pad 1' --algorithm im2col --memory-limit 8GiB", "im2col 9031680000"},
    {3, "explain '1x4194304x4194304x4194304 --filter 1x1x1' --algorithm direct", "overflows 64 bits"},
    {2, "check", "layer: none given, must be a layer, a suite, a problem in quotes, or --fuzz"},
    {2, "check cv9 --fuzz", "--fuzz: given with a layer"},
    {2, "check --fuzz --stride 2", "--fuzz: given with a layer"},
    {2, "check cv12 --seconds 3", "--seconds: must go with --fuzz"},
    {2, "check --fuzz --seconds 0", "--seconds: 0, must be a number from 0.01"},
    {2, "check --fuzz --seconds 1,5", "--seconds: 1,5, must be a number"},
    {2, "check cv12 --seed x", "--seed: x, must be an integer from 0"},
    {2, "check cv12 --options some", "--options: some, must be one of default | all"},
    {2, "bench", "layer: none given"},
    {2, "bench cv12 --repeats 0", "--repeats: 0, must be an integer from 1"},
    {2, "bench cv12 --seconds -1", "--seconds: -1, must be a number from 0"},
    {2, "bench cv12 -o /nowhere/at/all.jsonl",
     "output: /nowhere/at/all.jsonl, cannot be written (No such file or directory)"},
    {2, "bench cv12 -o /tmp", "output: /tmp, is a folder, must be a file"},
};

}  // namespace

TEST_CASE("A mistake on the command line is one line on stderr, nothing on stdout, and its exit code") {
  for (const Mistake& mistake : kMistakes) {
    INFO("convlens " << mistake.call);
    const CommandResult result = convlens_command(shell_words(mistake.call));
    CHECK(result.exit == mistake.exit);
    CHECK(result.out == "");
    REQUIRE(result.err_lines().size() == 1);
    CHECK_THAT(result.err, Contains(mistake.line));
    CHECK(result.err.starts_with("convlens: "));
  }
}

TEST_CASE("All rules that a problem breaks are in the one line") {
  const CommandResult result =
      convlens_command({"explain", "1x2x3x3 --filter 2x5x5 --groups 3", "--algorithm", "direct"});
  CHECK(result.exit == 2);
  CHECK(result.out == "");
  CHECK(result.err_lines().size() == 1);
  for (const std::string rule : {"groups: 3, must divide ci = 2", "groups: 3, must divide co = 2", "hf: 5", "wf: 5"})
    CHECK_THAT(result.err, Contains(rule));
}

TEST_CASE(
    "A size that is too small is one line with its rule, for every parameter and command, however it is written") {
  const std::map<std::string, std::string> rules{{"1x2x8x8 --filter 2x3x3 --stride 0", "stride_w: 0, must be ≥ 1"},
                                                 {"1x2x8x8 --filter 2x3x3 --stride -1", "stride_h: -1, must be ≥ 1"},
                                                 {"1x2x8x8 --filter 2x3x3 --pad -1", "pad_left: -1, must be ≥ 0"},
                                                 {"1x2x8x8 --filter 2x3x3 --dilation 0", "dilation_h: 0, must be ≥ 1"},
                                                 {"1x2x8x8 --filter 2x3x3 --groups 0", "groups: 0, must be ≥ 1"},
                                                 {"1x2x8x8 --filter 0x3x3", "co: 0, must be ≥ 1"},
                                                 {"1x2x8x8 --filter 2x0x0", "hf: 0, must be ≥ 1"},
                                                 {"1x0x8x8 --filter 2x3x3", "ci: 0, must be ≥ 1"},
                                                 {"1x2x0x0 --filter 2x3x3", "wi: 0, must be ≥ 1"},
                                                 {"-1x2x8x8 --filter 2x3x3", "n: -1, must be ≥ 0"},
                                                 {"mb-1ic2ih8oc2kh3", "n: -1, must be ≥ 0"},
                                                 {"mb1ic2ih8oc2kh3sh0", "stride_h: 0, must be ≥ 1"}};
  for (const std::string command : {"explain", "check", "bench", "choose", "live"})
    for (const auto& [layer, rule] : rules) {
      std::vector<std::string> words{command, layer, "--algorithm", "direct.cpu"};
      if (command == "live") words = {command, "direct.cpu", "--layer", layer};
      const CommandResult result = convlens_command(words);
      INFO(command << " " << layer);
      CHECK(result.exit == 2);
      CHECK(result.out == "");
      CHECK(result.err_lines().size() == 1);
      CHECK_THAT(result.err, Contains(rule));
    }
}

TEST_CASE("An algorithm's options are written id=value, with nothing left empty") {
  for (const std::string run :
       {"direct.cpu:", "direct.cpu:,", "direct.cpu:a", "direct.cpu:pack=", "direct.cpu:pack=on,", "direct.cpu:,pack=on",
        "direct.cpu:pack=on,,simd=on", "direct.cpu::", "direct.cpu:=on", "direct.ref:", "im2win.tc:",
        "im2win.tc:paper,", "im2win.tc:,paper", "fft.cpu:tile=", "winograd.cpu:points=0,1,-1,2,", "winograd.cpu:m="}) {
    const CommandResult result = convlens_command({"explain", "cv9", "--algorithm", run});
    INFO(run);
    CHECK(result.exit == 2);
    CHECK(result.err_lines().size() == 1);
    CHECK_THAT(result.err, Contains("must be "));
  }
}

TEST_CASE("Whatever may have been meant, the rule is said first") {
  for (const std::string call :
       {"explain cv99 --algorithm direct", "explain cv9 --algorithm drect", "explian", "list layer", "bench --suite vc",
        "explain cv9 --algorithm im2col:batching=ful", "explain cv9 --algorithm im2win.ref:windw=NCHW",
        "explain cv9 --algorithm direct --stage inptu --at 0", "run --filter soble-x", "bench cv9 --timed kernle",
        "kernel im2win.cc --layer cv9 --emit ptxx", "check cv9 --algoritm direct"}) {
    const CommandResult result = convlens_command(shell_words(call));
    INFO(call);
    CHECK(result.exit == 2);
    CHECK(result.err_lines().size() == 1);
    const std::size_t rule = result.err.find(", must be "), meant = result.err.find("; did you mean \"");
    CHECK(rule != std::string::npos);
    CHECK(meant != std::string::npos);
    CHECK(rule < meant);
  }
  // Of a word of one letter nothing can have been meant.
  CHECK_THAT(convlens_command({"explain", "cv9", "--algorithm", "fft.cpu:tile=3"}).err,
             Contains("option tile: 3, must be one of auto | 8 | 16 | 32\n"));
}

namespace {
// A call that sees no GPU, whatever this machine has.
CommandResult without_gpu(const std::string& call) {
  return run_command({.arguments = shell_words(call), .environment = {{"CUDA_VISIBLE_DEVICES", ""}}});
}
}  // namespace

TEST_CASE("a GPU, or a row that needs one, is exit 4 and one line that says why there is none") {
  for (const auto& [call, device] : std::map<std::string, std::string>{
           {"explain cv9 --algorithm direct --device gpu", "gpu0"},
           {"check cv9 --device cuda:1", "gpu1"},
           {"bench cv9 --device gpu2", "gpu2"},
           {"check cv9 --algorithm direct.cc", "gpu0"},
           {"bench cv9 --algorithm direct.cc:sizes=runtime --algorithm direct.ref", "gpu0"},
           {"run --filter sobel-x --algorithm direct.cc", "gpu0"}}) {
    INFO("convlens " << call);
    const CommandResult result = without_gpu(call);
    CHECK(result.exit == 4);
    CHECK(result.out == "");
    REQUIRE(result.err_lines().size() == 1);
    CHECK(result.err.starts_with("convlens: device: " + device + ", "));
    CHECK((result.err.find(", built without the CUDA toolkit: ") != std::string::npos || module("cuda").found));
  }
}

TEST_CASE("all algorithms are those that this machine can run, and one line says which it can't") {
  const CommandResult result = without_gpu("check '1x2x5x5 --filter 2x3x3' --dtype f32 --layout NCHW --json");
  CHECK(result.exit == 0);
  CHECK(result.out.find(".cc\"") == std::string::npos);
  const auto told = result.err_lines();
  CHECK(std::ranges::count_if(told, [](const std::string& line) {
          return line.starts_with("left out ") && line.find("direct.cc") != std::string::npos;
        }) == 1);
}

TEST_CASE("asked for any device (--device auto), chooses the CPU and says why, cpu says nothing") {
  const CommandResult automatic = without_gpu("explain cv9 --algorithm direct --device auto");
  CHECK(automatic.exit == 0);
  CHECK(automatic.err.starts_with("device auto: chose the CPU, because there is no GPU: "));
  const CommandResult cpu = without_gpu("explain cv9 --algorithm direct --device cpu");
  CHECK(cpu.err == "");
  CHECK(cpu.out == automatic.out);
}

TEST_CASE("asked for any device, a row that needs a GPU lacks one: exit 4 and its reason, in one line") {
  for (const std::string call :
       {"bench cv9 --algorithm im2win.cc", "bench cv9 --algorithm direct.ref --algorithm fft.cc",
        "check cv9 --algorithm im2win.cc", "explain cv9 --algorithm im2win.cc"}) {
    INFO(call);
    const CommandResult result = without_gpu(call + " --device auto");
    CHECK(result.exit == 4);
    CHECK(result.out == "");
    REQUIRE(result.err_lines().size() == 1);
    CHECK_THAT(result.err, Catch::Matchers::StartsWith("convlens: device: auto, no GPU for "));
  }
  CHECK(without_gpu("explain cv9 --algorithm im2win --device auto").exit == 0);  // the family has rows on the CPU
}

TEST_CASE("the flag --version tells the revision and the libraries") {
  const CommandResult result = convlens_command({"--version"});
  CHECK(result.exit == 0);
  CHECK_THAT(result.out, Catch::Matchers::StartsWith("convlens "));
  CHECK_THAT(result.out, Contains("nlohmann-json") && Contains("CLI11"));
}

TEST_CASE("Parts of a layer stand in the place of a named one's own, and make another layer of it") {
  const auto explained = [](const std::string& layer) {
    const CommandResult result = convlens_command(shell_words("explain --algorithm direct.ref " + layer));
    CHECK(result.err == "");
    return result.out.substr(0, result.out.find(", f32"));
  };
  CHECK(explained("cv9") == "direct.ref on cv9: 1x64x56x56 --filter 64x3x3");
  CHECK(explained("cv9 --stride 1") == "direct.ref on cv9: 1x64x56x56 --filter 64x3x3");
  CHECK(explained("cv9 --stride 2x1 --bias") == "direct.ref on 1x64x56x56 --filter 64x3x3 --stride 2x1 --bias");
  CHECK(explained("--layer cv9 --batch 3 --filter 8x1x1") == "direct.ref on 3x64x56x56 --filter 8x1x1");
}

TEST_CASE("Sizes are read in all their units") {
  for (const char* size : {"8589934592", "8589934592B", "8388608KiB", "8192MiB", "8GiB", "8 GiB", "8589934.592KB",
                           "8589.934592MB", "8.589934592GB"}) {
    INFO(size);
    const CommandResult result = convlens_command(
        {"explain", "1x32x2800x2800 --filter 4x3x3 --pad 1", "--algorithm", "im2col", "--memory-limit", size});
    CHECK(result.exit == 3);
    CHECK_THAT(result.err, Contains("memory limit of 8589934592 bytes"));
  }
}

TEST_CASE("A reader that has seen enough ends the command quietly, a full disk does not") {
  const CommandResult head = run_command({.arguments = {"list", "layers", "--json"}, .close_stdout_early = true});
  CHECK(head.exit == 0);
  CHECK(head.err == "");
  const CommandResult bench =
      run_command({.arguments = shell_words(
                       "bench '1x4x8x8 --filter 4x3x3' --csv --repeats 1 --algorithm direct --algorithm im2col"),
                   .close_stdout_early = true});
  CHECK(bench.exit == 0);
  CHECK(bench.err == "");
  const CommandResult full = run_command({.arguments = {"list", "layers"}, .stdout_path = "/dev/full"});
  CHECK(full.exit == 2);
  CHECK(full.err == "convlens: stdout: cannot be written (No space left on device)\n");
}
