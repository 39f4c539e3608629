// What `convlens run` says when something is wrong: one line, the right exit code, and no file created or changed.
#include <filesystem>
#include <map>

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/catch.h"
#include "tests/cli/image_files.h"
#include "tests/cli/numpy_files.h"
#include "tests/support/command.h"
#include "tests/support/npy_bytes.h"

using namespace convlens;
using namespace convlens::testing;

namespace fs = std::filesystem;

namespace {

// A folder with good and bad inputs, and results of an earlier run.
struct Workshop {
  TemporaryFolder folder;

  Workshop() {
    const std::string grey = from_hex(image_files::kGrey), jpeg = from_hex(image_files::kJpeg),
                      x = from_hex(numpy_files::kF4);
    std::string flipped = grey;
    flipped[45] = static_cast<char>(flipped[45] ^ 4);  // in the compressed pixels
    std::string no_magic = x, version9 = x;
    std::string tables = jpeg, two_lines = x;
    tables[tables.find("\xff\xc4") + 5] = 1,
                                     tables[tables.find("\xff\xc4") + 20] = '\xff';  // codes of lengths 1 and 16
    two_lines[two_lines.find("<f4")] = '\n';
    no_magic[1] = 'X';
    version9[6] = 9;
    const std::map<std::string, std::string> files{
        {"good.png", grey},
        {"short.png", grey.substr(0, grey.size() - 20)},
        {"flipped.png", flipped},
        {"huge.png", from_hex(image_files::kHuge)},
        {"good.jpg", jpeg},
        {"short.jpg", jpeg.substr(0, jpeg.size() - 60)},
        {"text.png", "no picture at all"},
        {"empty.png", ""},
        {"tables.jpg", tables},
        {"two_lines.npy", two_lines},
        {"x.npy", x},
        {"no_magic.npy", no_magic},
        {"version9.npy", version9},
        {"short.npy", x.substr(0, x.size() - 1)},
        {"long.npy", x + "!"},
        {"short_header.npy", x.substr(0, 60)},
        {"tiny.npy", x.substr(0, 3)},
        {"big_endian.npy", from_hex(numpy_files::kBigEndian)},
        {"objects.npy", from_hex(numpy_files::kObjects)},
        {"complex.npy", from_hex(numpy_files::kComplex)},
        {"records.npy", from_hex(numpy_files::kRecords)},
        {"scalar.npy", from_hex(numpy_files::kScalar)},
        {"vector.npy", from_hex(numpy_files::kVector)},
        {"rank5.npy", from_hex(numpy_files::kRank5)},
        {"vast.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000, 4000000000), }", "")},
        {"odd.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 2), }", "")},
        {"keyless.npy", npy("{'descr': '<f4', 'shape': (1, 2), }", "12345678")},
        {"w.npy", npy_f32("(3, 3)", std::vector<float>(9, 1))},
        {"two.npy", npy_f32("(2, 2)", std::vector<float>(4, 1))},
        {"w5.npy", npy_f32("(1, 1, 5, 5)", std::vector<float>(25, 1))},
        {"w_ci2.npy", npy_f32("(1, 2, 1, 1)", {1, 1})},
        {"w_none.npy", npy_f32("(0, 3)", {})},
        {"old.npy", "an earlier result"},
        {"old.png", "an earlier picture"}};
    for (const auto& [name, bytes] : files) write_bytes(path(name), bytes);
    fs::create_directory(path("folder"));
    fs::create_directory(path("folder.png"));
    fs::create_symlink("/dev/full", path("full.png"));
  }
  std::string path(const std::string& name) const { return folder.path() + "/" + name; }

  // Every name in the folder, with what is in it and when that was written.
  std::map<std::string, std::pair<std::string, fs::file_time_type>> everything() const {
    std::map<std::string, std::pair<std::string, fs::file_time_type>> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
      const bool file = entry.is_regular_file();
      all[entry.path().string()] = {file ? read_bytes(entry.path().string()) : "",
                                    file ? entry.last_write_time() : fs::file_time_type{}};
    }
    return all;
  }

  // `lines`: one a broken rule.
  void refuses(const std::string& words, int exit, const std::string& says) const {
    const auto before = everything();
    const CommandResult result = run_command({.arguments = shell_words("run " + words), .folder = folder.path()});
    INFO(words);
    CAPTURE(result.err);
    CHECK(result.exit == exit);
    CHECK(result.out == "");
    CHECK(result.err_lines().size() == 1);
    CHECK(result.err.find(says) != std::string::npos);
    CHECK(everything() == before);
  }
};

}  // namespace

TEST_CASE("A picture that cannot be read is one line and exit 2") {
  const Workshop w;
  w.refuses("--image none.png --filter box -o old.png", 2, "--image: none.png, no such file");
  w.refuses("--image folder --filter box -o old.png", 2, "--image: folder, must be a regular file");
  w.refuses("--image /dev/zero --filter box -o old.png", 2, "--image: /dev/zero, must be a regular file");
  w.refuses("--image text.png --filter box -o old.png", 2, "--image: text.png, not a PNG or JPEG file");
  w.refuses("--image two.npy --filter box -o old.png", 2,
            "two.npy, must be a PNG or JPEG file; an .npy array goes with --input");
  w.refuses("--input good.png --filter box -o old.npy", 2,
            "good.png, must be an .npy array; a picture goes with --image");
  w.refuses("--image empty.png --filter box -o old.png", 2, "--image: empty.png, not a PNG or JPEG file");
  w.refuses("--image short.png --filter box -o old.png", 2, "--image: short.png, truncated");
  w.refuses("--image flipped.png --filter box -o old.png", 2,
            "--image: flipped.png, corrupt: wrong checksum of its IDAT chunk");
  w.refuses("--image tables.jpg --filter box -o old.png", 2,
            "--image: tables.jpg, corrupt: a Huffman table of wrong size");
  w.refuses("--image short.jpg --filter box -o old.png", 2, "--image: short.jpg, truncated");
  w.refuses("--image huge.png --filter box -o old.png", 2, "--image: huge.png, 65536x65536x1 samples, must be ≤ 2^28");
}

TEST_CASE("An array that cannot be read is one line and exit 2") {
  const Workshop w;
  const auto refuses = [&](const std::string& file, const std::string& says) {
    w.refuses("--input " + file + " --filter two.npy -o old.npy", 2, "--input: " + file + ", " + says);
  };
  refuses("none.npy", "no such file");
  refuses("folder", "must be a regular file");
  refuses("no_magic.npy", "does not begin with \\x93NUMPY");
  refuses("tiny.npy", "does not begin with \\x93NUMPY");
  refuses("version9.npy", ".npy version 9, must be 1, 2 or 3");
  refuses("short_header.npy", "truncated in its header");
  refuses("short.npy", "23 bytes of elements, must be 24");
  refuses("long.npy", "25 bytes of elements, must be 24");
  refuses("two_lines.npy", "header of the .npy file, has a text that is not plain ASCII");
  refuses("big_endian.npy", "element type >f4, is big-endian");
  refuses("objects.npy", "element type |O, holds Python objects");
  refuses("complex.npy", "element type <c8, must be one of");
  refuses("records.npy", "element type, is a record");
  refuses("scalar.npy", "an array of 0 axes");
  refuses("vector.npy", "an array of 1 axes");
  refuses("rank5.npy", "an array of 5 axes");
  refuses("vast.npy", "bytes of the array");
  refuses("odd.npy", "header of the .npy file, has a shape");
  refuses("keyless.npy", "header of the .npy file, must have the keys descr, fortran_order and shape");
}

TEST_CASE("A filter that is unknown or does not fit is one line and exit 2") {
  const Workshop w;
  w.refuses("--image good.png -o old.png", 2, "--filter: none given");
  w.refuses("--image good.png --filter soble-x -o old.png", 2,
            "filter: soble-x, must be one of identity | sobel-x | sobel-y");
  w.refuses("--image good.png --filter none.npy -o old.png", 2, "--filter: none.npy, no such file");
  w.refuses("--image good.png --filter vector.npy -o old.png", 2, "--filter: vector.npy, a filter of 1 axes");
  w.refuses("--image good.png --filter w_none.npy -o old.png", 2, "must have no axis of length 0");
  w.refuses("--image good.png --filter w_ci2.npy -o old.png", 2, "its second axis must divide the input's 1 channels");
}

TEST_CASE("B60, B58: a filter larger than the padded input is exit 2 and one line") {
  const Workshop w;
  w.refuses("--input two.npy --filter w.npy -o old.npy", 2, "hf: 3");
  w.refuses("--input two.npy --filter w.npy --pad 1x0 -o old.npy", 2, "wf: 3");
  w.refuses("--input two.npy --filter w5.npy --pad 1 -o old.npy", 2, "hf: 5");
  w.refuses("--input w5.npy --filter w.npy --pad 1 --dilation 4 -o old.npy", 2,
            "hf: 3, with dilation 4 reaches over 9");
}

TEST_CASE("Wrong sizes and choices are one line and exit 2") {
  const Workshop w;
  w.refuses("--input x.npy --filter two.npy --stride 0 -o old.npy", 2,
            "stride_h: 0, must be ≥ 1; stride_w: 0, must be ≥ 1");
  w.refuses("--input x.npy --filter two.npy --stride -1 -o old.npy", 2,
            "stride_h: -1, must be ≥ 1; stride_w: -1, must be ≥ 1");
  w.refuses("--input x.npy --filter two.npy --pad -1x0 -o old.npy", 2, "pad_top: -1, must be ≥ 0");
  w.refuses("--input x.npy --filter two.npy --stride '1 --groups 2' -o old.npy", 2, "--stride");
  w.refuses("--input x.npy --filter two.npy --pad some -o old.npy", 2, "--pad: some, must be same, valid");
  w.refuses("--input x.npy --filter two.npy --pad 1x2x3 -o old.npy", 2, "--pad");
  w.refuses("--input x.npy --filter two.npy --dilation 1x0 -o old.npy", 2, "dilation_w: 0, must be ≥ 1");
  w.refuses("--input x.npy --filter two.npy --dtype f8 -o old.npy", 2, "dtype: f8");
  w.refuses("--input x.npy --filter two.npy --dtype all -o old.npy", 2, "--dtype: 4 given, must be exactly one");
  w.refuses("--input x.npy --filter two.npy --layout NWHC -o old.npy", 2, "layout: NWHC");
  w.refuses("--input x.npy --filter two.npy --algorithm im2wim -o old.npy", 2,
            "algorithm: im2wim, must be a row of `convlens list algorithms`, or a family: direct | ");
  w.refuses("--image good.png --filter box --show loud -o old.png", 2, "--show: loud");
  w.refuses("--image good.png --input x.npy --filter box -o old.png", 2, "--input: given with --image");
}

TEST_CASE("An output that cannot be written is one line and exit 2") {
  const Workshop w;
  w.refuses("--image good.png --filter box -o none/new.png", 2,
            "output: none/new.png, cannot be written (No such file or directory)");
  w.refuses("--image good.png --filter box -o old.png/new.png", 2,
            "output: old.png/new.png, cannot be written (Not a directory)");
  w.refuses("--image good.png --filter box -o old.png/", 2, "output: old.png");
  w.refuses("--image good.png --filter box -o folder", 2, "output: folder, is a folder");
  w.refuses("--image good.png --filter box -o folder.png", 2, "output: folder.png, is a folder");
  w.refuses("--image good.png --filter box -o new.bmp", 2, "output: new.bmp, must end in .png, .npy or /");
  w.refuses("--image good.png --filter box -o /dev/full", 2, "output: /dev/full, must end in .png, .npy or /");
  w.refuses("--image good.png --filter box -o " + std::string(300, 'a') + ".png", 2, ".png, cannot be");  // too long
  w.refuses("--image good.png --filter box -o full.png", 2, "output: full.png, must be a regular file");
  w.refuses("--image good.png --filter box -o /proc/new.png", 2, "output: /proc/new.png, cannot be written");
  w.refuses("--image good.png --filter box --filter gaussian -o old.png", 2,
            "output: old.png, must be a folder and end in / for 2 filters");
  w.refuses("--image good.png --filter box --filter box -o folder/", 2, "would be written twice");
  w.refuses("--input x.npy --filter two.npy -o old.png", 2, "output: old.png, must end in .npy");
  w.refuses("--image good.png --filter w_ci2.npy -o old.png", 2, "channels");
}

TEST_CASE("Of several files none is written when one cannot be") {
  const Workshop w;
  fs::create_directory(w.path("folder/gaussian.png"));
  w.refuses("--image good.png --filter box --filter gaussian -o folder/", 2,
            "output: folder/gaussian.png, is a folder, must be a file");
  w.refuses("--image good.png --filter box --filter gaussian -o folder/ --csv", 2, "folder/gaussian.png");
}

TEST_CASE("B25: what no row computes is one line and exit 3") {
  const Workshop w;
  w.refuses("--image good.png --filter sobel-x --algorithm winograd --stride 2 -o old.png", 3,
            "winograd needs stride 1, got 2x2");
  w.refuses("--image good.png --filter sobel-x --algorithm winograd --stride 1x2 -o new.png", 3,
            "winograd needs stride 1, got 1x2");
  w.refuses("--image good.png --filter sobel-x --algorithm winograd --dilation 2 -o new.png", 3,
            "winograd needs dilation 1");
  w.refuses("--image good.png --filter sobel-x --algorithm direct --algorithm winograd --stride 2 -o new.png", 3,
            "winograd");
}

TEST_CASE("More memory than the limit allows is one line and exit 3") {
  const Workshop w;
  w.refuses("--image good.png --filter box --algorithm im2col --memory-limit 100 -o old.png", 3,
            "must be ≤ the memory limit of 100 bytes");
  w.refuses("--image good.png --filter box --memory-limit 100 -o old.png", 3,
            "cross-check: tensors and float64 answer take");
}

TEST_CASE("A device that is not there is one line and exit 4") {
  const Workshop w;
  w.refuses("--image good.png --filter box --device gpu99 -o old.png", 4, "device: gpu99");
}

TEST_CASE("A disk that fills up leaves the old file and no temporary one") {
  const Workshop w;
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, SIG_IGN);  // the command inherits both; a write beyond the limit then fails
  const rlimit small{1000, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto before = w.everything();
  const CommandResult result = run_command(
      {.arguments = shell_words("run --filter sobel-x --algorithm direct -o old.png"), .folder = w.folder.path()});
  ::setrlimit(RLIMIT_FSIZE, &old);
  CAPTURE(result.err);
  CHECK(result.exit == 2);
  CHECK(result.err.find("output: old.png, cannot be written (File too large)") != std::string::npos);
  CHECK(w.everything() == before);
}

TEST_CASE("An extension in capitals is the same extension") {
  const Workshop w;
  for (const char* call : {"run --image good.png --filter identity -o New.PNG", "windows -o Windows.Png",
                           "run --input x.npy --filter two.npy -o new.NPY"}) {
    INFO(call);
    CHECK(run_command({.arguments = shell_words(call), .folder = w.folder.path()}).exit == 0);
  }
  CHECK(read_bytes(w.path("New.PNG")).substr(1, 3) == "PNG");
  CHECK(read_bytes(w.path("Windows.Png")).substr(1, 3) == "PNG");
  CHECK(read_bytes(w.path("new.NPY")).substr(1, 5) == "NUMPY");
  w.refuses("--image good.png --filter box -o new.JPG", 2, "output: new.JPG, must end in .png, .npy or /");
}

TEST_CASE("An old file is replaced whole, through a link, with its permissions") {
  const Workshop w;
  fs::create_symlink("old.png", w.path("link.png"));
  fs::permissions(w.path("old.png"), fs::perms::owner_read | fs::perms::owner_write);
  const CommandResult result = run_command(
      {.arguments = shell_words("run --image good.png --filter identity -o link.png"), .folder = w.folder.path()});
  CHECK(result.exit == 0);
  CHECK(fs::is_symlink(w.path("link.png")));
  CHECK(read_bytes(w.path("old.png")).substr(1, 3) == "PNG");
  CHECK(fs::status(w.path("old.png")).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}
