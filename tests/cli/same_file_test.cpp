// An output that names an input: refused in one line, whatever the two are called, and the input is as it was.
#include <filesystem>

#include "kernels/text.h"
#include "tests/catch.h"
#include "tests/cli/image_files.h"
#include "tests/cli/state_folder.h"
#include "tests/support/npy_bytes.h"

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;

namespace fs = std::filesystem;

namespace {

// A folder with a state, a picture, an array, a filter, and texts of kernels.
struct Inputs : StateFolder {
  Inputs() {
    write_bytes(path() + "/pic.png", from_hex(image_files::kGrey));
    write_bytes(path() + "/x.npy", npy_f32("(3, 3)", std::vector<float>(9, 1)));
    write_bytes(path() + "/d.npy", npy_f32("(2, 2)", std::vector<float>(4, 1)));
    fs::create_directories(path() + "/texts/direct");
    const fs::path kernels = fs::path(CONVLENS_SOURCE_DIR) / "kernels";
    fs::copy(kernels / "direct", path() + "/texts/direct", fs::copy_options::recursive);
    fs::create_directory_symlink(path(), path() + "/again");
    fs::create_symlink("s.json", path() + "/link.json");
  }

  void refuses(const std::string& call, const std::string& line) const { refused(call, run(call), line); }
  void refused(const std::string& call, const CommandResult& result, const std::string& line) const {
    INFO(call << "\n" << result.err);
    CHECK(result.exit == 2);
    CHECK(result.out == "");
    CHECK(result.err_lines().size() == 1);
    CHECK_THAT(result.err, Contains(line));
    CHECK(contents("s.json") == kState);
    CHECK(contents("pic.png") == from_hex(image_files::kGrey));
    CHECK(contents("x.npy") == npy_f32("(3, 3)", std::vector<float>(9, 1)));
    CHECK(contents("d.npy") == npy_f32("(2, 2)", std::vector<float>(4, 1)));
  }
};

}  // namespace

TEST_CASE("records, traces and kernels are not written over the state that they are of, however it is spelled") {
  const Inputs inputs;
  for (const std::string state : {"s.json", "./s.json", "again/s.json", "link.json"})
    for (const std::string call :
         {"bench --state s.json --repeats 1 -o ", "kernel direct.cc --state s.json --emit cu -o ",
          "trace direct.cc --state s.json --dtype f32 -o ", "paper --state s.json -o ", "paper --state s.json --html "})
      inputs.refuses(call + state, ": " + state + ", must be another file than that of --state");
  inputs.refuses("bench --state link.json --repeats 1 -o s.json",
                 "--output: s.json, must be another file than that of --state");
  const std::string piped = "bench --state - --repeats 1 -o s.json";
  inputs.refused(piped, inputs.shell("\"$CONVLENS\" " + piped + " < s.json"),
                 "--output: s.json, must be another file than that of --state");
}

TEST_CASE("run does not write over what it reads: picture, array, filter or state") {
  const Inputs inputs;
  inputs.refuses("run --image pic.png --filter box --algorithm direct.ref -o again/pic.png",
                 "--output: again/pic.png, must be another file than that of --image");
  inputs.refuses("run --input x.npy --filter d.npy --algorithm direct.ref -o x.npy",
                 "--output: x.npy, must be another file than that of --input");
  inputs.refuses("run --input x.npy --filter d.npy --algorithm direct.ref -o d.npy",
                 "--output: d.npy, must be another file than that of --filter");
  inputs.refuses("run --input x.npy --filter d.npy --algorithm direct.ref -o ./",
                 "--output: ./d.npy, must be another file than that of --filter");
  fs::copy_file(inputs.path() + "/s.json", inputs.path() + "/s.npy");
  inputs.refuses(
      "run --input x.npy --filter d.npy --algorithm direct.ref --state s.npy --dtype f32 --layout NCHW -o s.npy",
      "--output: s.npy, must be another file than that of --state");
  // One array may be both, and a name that has a filter is no file.
  inputs.good("run --input d.npy --filter d.npy --algorithm direct.ref -o y.npy");
  inputs.good("run --image pic.png --filter identity --algorithm direct.ref -o identity.png");
}

TEST_CASE("a picture or numbers of the viewer are not written over its picture or its state, which it may save over") {
  const Inputs inputs;
  inputs.refuses("view --image pic.png --screenshot ./pic.png",
                 "--screenshot: ./pic.png, must be another file than that of --image");
  inputs.refuses("view --set picture=pic.png --screenshot pic.png",
                 "--screenshot: pic.png, must be another file than that of picture");
  inputs.refuses("view --image pic.png --save pic.png", "--save: pic.png, must be another file than that of --image");
  inputs.refuses("view --state s.json --export s.json", "--export: s.json, must be another file than that of --state");
  const std::string piped = "view --state - --export s.json";
  inputs.refused(piped, inputs.shell("\"$CONVLENS\" " + piped + " < s.json"),
                 "--export: s.json, must be another file than that of --state");
  inputs.good("view --state s.json --batch 3 --save s.json");
  CHECK(ordered_json::parse(inputs.contents("s.json"))["problem"]["n"] == 3);
}

TEST_CASE("a kernel's text is not written over one of those that it may be made of") {
  const Inputs inputs;
  const auto emit = [&](const std::string& output) {
    return run_command({.arguments = shell_words("kernel direct.cc --layer cv9 --emit cu -o " + output),
                        .environment = {{"CONVLENS_KERNELS", "texts"}},
                        .folder = inputs.path()});
  };
  for (const fs::directory_entry& text : fs::directory_iterator(inputs.path() + "/texts/direct")) {
    if (text.path().extension() != ".cu") continue;
    const std::string name = "texts/direct/" + text.path().filename().string(), before = inputs.contents(name);
    inputs.refused(name, emit(name), "--output: " + name + ", must be another file than that of CONVLENS_KERNELS");
    CHECK(before != "");
    CHECK(inputs.contents(name) == before);
  }
  // Another file there is none of them.
  CHECK(emit("texts/emitted.cu").exit == 0);
  CHECK(emit("texts/emitted.cu").exit == 0);
}

// Only asked for: to try it would risk the source.
TEST_CASE("the texts of the source tree are among those that a kernel may not be written over") {
  const auto places =
      gpu::places_of_texts({.file = "direct/direct_cc.cu", .entry = "direct_cc", .constants = {}, .sizes = {}});
  const fs::path text = fs::path(CONVLENS_SOURCE_DIR) / "kernels" / "direct" / "direct_cc.cu";
  CHECK_THROWS_WITH(refuse_same_file({{"--output", text}}, places),
                    Contains("must be another file than that of the kernels' texts"));
  CHECK_NOTHROW(refuse_same_file({{"--output", text.parent_path() / "mine.cu"}}, places));
}
