// `convlens run` on pictures: every kind of PNG and JPEG comes in right, and what comes out is what was computed.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/cli/image_files.h"
#include "tests/support/command.h"
#include "tests/support/npy_bytes.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

// A folder with one picture in it, and runs of `convlens run` there.
struct Studio {
  TemporaryFolder folder;

  explicit Studio(std::string_view hex = "") {
    if (!hex.empty()) write_bytes(folder.path() + "/in.image", from_hex(hex));
  }
  void run(const std::string& words) const {
    const CommandResult result = run_command({.arguments = shell_words("run " + words), .folder = folder.path()});
    INFO(words + "\n" + result.err);
    REQUIRE(result.exit == 0);
  }
  NpyArray array(const std::string& name) const { return read_npy_file(folder.path() + "/" + name); }

  // The values of a picture, times 255, rounded; channel by channel.
  std::vector<int> levels(const std::string& picture) const {
    run("--image " + picture + " --filter identity --algorithm direct -o levels.npy");
    std::vector<int> levels;
    for (float value : array("levels.npy").f32()) levels.push_back(static_cast<int>(value * 255 + 0.5f));
    return levels;
  }
};

using Levels = std::vector<int>;

}  // namespace

TEST_CASE("Every kind of PNG is read: grey, alpha, RGB, RGBA, 16 bits, 1 bit, a palette, a transparent colour") {
  using namespace image_files;
  CHECK(Studio(kGrey).levels("in.image") == Levels{0, 51, 102, 255});
  CHECK(Studio(kGreyAlpha).levels("in.image") == Levels{0, 51, 102, 255});
  CHECK(Studio(kRgb).levels("in.image") == Levels{255, 0, 0, 102, 51, 153});
  CHECK(Studio(kRgba).levels("in.image") == Levels{255, 0, 0, 102, 51, 153});
  CHECK(Studio(kGrey16).levels("in.image") == Levels{51, 255});
  CHECK(Studio(kOneBit).levels("in.image") == Levels{255, 0, 255, 255, 0, 0, 0, 255});
  CHECK(Studio(kPalette).levels("in.image") == Levels{0, 255, 0, 0, 255, 0});
  CHECK(Studio(kColourKey).levels("in.image") == Levels{51, 102});
}

TEST_CASE("Sixteen bits are kept on the way in") {
  const Studio studio(image_files::kGrey16);
  studio.run("--image in.image --filter identity --dtype f64 --algorithm direct -o y.npy");
  CHECK(studio.array("y.npy").elements.size() == 16);
  studio.run("--image in.image --filter identity --algorithm direct -o y.npy");
  CHECK(studio.array("y.npy").f32() == std::vector<float>{0.2f, 1.0f});
}

TEST_CASE("A JPEG is read, and turned upright when the camera was held otherwise") {
  const Studio as_it_is(image_files::kJpeg), turned(image_files::kJpegTurned);
  const Levels wide = as_it_is.levels("in.image"), high = turned.levels("in.image");
  CHECK(as_it_is.array("levels.npy").header.find("(1, 3, 8, 16)") != std::string::npos);
  CHECK(turned.array("levels.npy").header.find("(1, 3, 16, 8)") != std::string::npos);
  for (std::size_t row = 0; row < 8; ++row)
    for (std::size_t column = 0; column < 16; ++column) {
      const int expected = column < 8 ? 255 : 0;
      CHECK(std::abs(wide[row * 16 + column] - expected) < 8);
      CHECK(std::abs(high[column * 8 + row] - expected) < 8);
    }
}

TEST_CASE("The identity gives a picture back, alpha included, whatever the layout and the element type") {
  using namespace image_files;
  for (const std::string_view file : {kGrey, kGreyAlpha, kRgb, kRgba, kPalette, kColourKey})
    for (const char* how : {"", " --layout NHWC", " --dtype f16", " --dtype f64 --layout CHWN"}) {
      const Studio studio(file);
      studio.run("--image in.image --filter identity --algorithm all -o once.png" + std::string(how));
      studio.run("--image once.png --filter identity --algorithm direct -o twice.png");
      CHECK(studio.levels("once.png") == studio.levels("in.image"));
      CHECK(read_bytes(studio.folder.path() + "/once.png") == read_bytes(studio.folder.path() + "/twice.png"));
    }
}

TEST_CASE("Alpha follows the picture under a stride") {
  const Studio studio(image_files::kGreyAlpha);
  studio.run("--image in.image --filter identity --stride 2 -o small.png");
  const std::string png = read_bytes(studio.folder.path() + "/small.png");
  CHECK(png.substr(16, 10) == std::string("\0\0\0\1\0\0\0\1\x08\x04", 10));  // 1×1, 8 bits, grey and alpha
}

TEST_CASE("Colours are filtered each on its own, with padding that keeps the size") {
  const Studio studio(image_files::kRgb);
  studio.run("--image in.image --filter box --algorithm all -o y.npy");
  CHECK(studio.array("y.npy").header.find("(1, 3, 1, 2)") != std::string::npos);
  const std::vector<float> y = studio.array("y.npy").f32();
  CHECK(y[0] == Approx(255 / 255.0 / 9));
  CHECK(y[2] == Approx(102 / 255.0 / 9));
  CHECK(y[4] == Approx((51 + 153) / 255.0 / 9));
}

TEST_CASE("How a picture shows signed results can be chosen") {
  const Studio studio(image_files::kGrey);
  write_bytes(studio.folder.path() + "/minus.npy", npy_f32("(1, 1)", {-1}));
  const std::string run = "--image in.image --filter minus.npy --algorithm direct -o ";
  studio.run(run + "clip.png");
  CHECK(studio.levels("clip.png") == Levels{0, 0, 0, 0});
  studio.run(run + "magnitude.png --show magnitude");
  CHECK(studio.levels("magnitude.png") == Levels{0, 51, 102, 255});
  studio.run(run + "offset.png --show offset");
  const Levels shown = studio.levels("offset.png"), right{127, 76, 25, 0};  // (½ − x)·255 is a half, rounded either way
  for (std::size_t k = 0; k < right.size(); ++k) CHECK((shown[k] == right[k] || shown[k] == right[k] + (k < 3)));
}

TEST_CASE("All algorithms agree on the sample picture, and every filter's picture is written") {
  const Studio studio;
  const CommandResult result =
      run_command({.arguments = shell_words(
                       "run --algorithm all --filter=sobel-x --filter=gaussian --filter laplacian -o out/ --json"),
                   .folder = studio.folder.path()});
  INFO(result.err);
  CHECK(result.exit == 0);
  for (const char* name : {"sobel-x", "gaussian", "laplacian"})
    CHECK(std::filesystem::file_size(studio.folder.path() + "/out/" + name + ".png") > 10000);
  CHECK(std::distance(std::filesystem::directory_iterator(studio.folder.path() + "/out"), {}) == 3);

  CHECK(result.out_lines().size() >= 6);
  for (const std::string& line : result.out_lines()) {
    const auto record = nlohmann::json::parse(line);
    CHECK(record["error_over_bound"].get<double>() <= 1);
    CHECK(record["problem"]["groups"] == 3);
  }
}

TEST_CASE("The sample picture is the same every time") {
  const Studio studio;
  studio.run("--filter identity -o a.png --threads 1");
  studio.run("--filter identity -o b.png --threads 2");
  CHECK(read_bytes(studio.folder.path() + "/a.png") == read_bytes(studio.folder.path() + "/b.png"));
}

TEST_CASE("A row that does not support the request is named with its reason, and the others are checked") {
  const Studio studio;
  const CommandResult result = run_command(
      {.arguments = shell_words("run --algorithm all --filter sobel-y --stride 2"), .folder = studio.folder.path()});
  CHECK(result.exit == 0);
  CHECK(result.out.find("winograd needs stride 1, got 2x2") != std::string::npos);
}

TEST_CASE("windows draws a picture of a size that a page can load") {
  const Studio studio;
  const CommandResult result =
      run_command({.arguments = {"windows", "-o", "windows.png"}, .folder = studio.folder.path()});
  CHECK(result.exit == 0);
  const auto size = std::filesystem::file_size(studio.folder.path() + "/windows.png");
  CHECK(size > 50000);
  CHECK(size <= 200000);
}
