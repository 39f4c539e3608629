// `convlens run` on arrays: what NumPy writes comes in right, and what goes out NumPy can read.
#include <algorithm>

#include "tests/catch.h"
#include "tests/cli/numpy_files.h"
#include "tests/support/command.h"
#include "tests/support/npy_bytes.h"

using namespace convlens;
using namespace convlens::testing;

namespace {

using Values = std::vector<float>;

Values counting(std::size_t count, float first) {
  Values values(count);
  for (float& value : values) value = first++;
  return values;
}

// Convolves the file x with the file w in a folder of its own.
struct NpyRun {
  TemporaryFolder folder;
  CommandResult result;
  NpyArray y;

  NpyRun(const std::string& x, const std::string& w, const std::vector<std::string>& more) {
    write_bytes(folder.path() + "/x.npy", x);
    write_bytes(folder.path() + "/w.npy", w);
    std::vector<std::string> arguments{"run", "--input", "x.npy", "--filter", "w.npy", "-o", "y.npy"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    result = run_command({.arguments = arguments, .folder = folder.path()});
    INFO(result.err);
    REQUIRE(result.exit == 0);
    y = read_npy_file(folder.path() + "/y.npy");
  }
};

const std::string kOne = npy_f32("(1, 1)", {1});

std::string header(const std::string& type, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

}  // namespace

TEST_CASE("Every element type that NumPy writes is read, and comes out as float32 when that is asked for") {
  const Values with_signs{0, 1, -2, 3, 100, -7}, without{0, 1, 2, 3, 100, 7}, truth{0, 1, 1, 1, 0, 1};
  const std::vector<std::pair<std::string_view, Values>> files{
      {numpy_files::kF2, with_signs}, {numpy_files::kF4, with_signs}, {numpy_files::kF8, with_signs},
      {numpy_files::kB1, truth},      {numpy_files::kI1, with_signs}, {numpy_files::kI2, with_signs},
      {numpy_files::kI4, with_signs}, {numpy_files::kI8, with_signs}, {numpy_files::kU1, without},
      {numpy_files::kU2, without},    {numpy_files::kU4, without},    {numpy_files::kU8, without}};
  for (const auto& [file, values] : files) {
    const NpyRun run(from_hex(file), kOne, {"--dtype", "f32", "--algorithm", "direct"});
    CHECK(run.y.header == header("<f4", "(1, 1, 2, 3)"));
    CHECK(run.y.f32() == values);
  }
}

TEST_CASE("Without --dtype an array keeps its type, short integers become float32 and long ones float64") {
  const auto type_of = [](std::string_view file) {
    return NpyRun(from_hex(file), kOne, {"--algorithm", "direct"}).y.header.substr(11, 3);
  };
  CHECK(type_of(numpy_files::kF2) == "<f2");
  CHECK(type_of(numpy_files::kF4) == "<f4");
  CHECK(type_of(numpy_files::kF8) == "<f8");
  CHECK(type_of(numpy_files::kU1) == "<f4");
  CHECK(type_of(numpy_files::kI2) == "<f4");
  CHECK(type_of(numpy_files::kU4) == "<f8");
  CHECK(type_of(numpy_files::kI8) == "<f8");
}

TEST_CASE("float16 and float64 arrays go through the identity byte for byte, in every layout") {
  for (const std::string_view file : {numpy_files::kF2, numpy_files::kF8})
    for (const char* layout : {"NCHW", "NHWC", "CHWN"}) {
      const std::string bytes = from_hex(file);
      const NpyRun run(bytes, kOne, {"--algorithm", "direct", "--layout", layout});
      CHECK(run.y.elements == bytes.substr(128));
    }
}

TEST_CASE("bf16, which NumPy does not have, is written as the same numbers in float32") {
  const NpyRun run(npy_f32("(1, 3)", {1.0f, 1.00390625f, -2.0f}), kOne, {"--dtype", "bf16", "--algorithm", "direct"});
  CHECK(run.y.f32() == Values{1.0f, 1.0f, -2.0f});  // 1 + 2⁻⁸ is a tie, and rounds to even
}

TEST_CASE("Versions 2 and 3 and Fortran order mean the same numbers") {
  for (const std::string_view file : {numpy_files::kVersion2, numpy_files::kVersion3, numpy_files::kFortran}) {
    const NpyRun run(from_hex(file), kOne, {"--algorithm", "direct"});
    CHECK(run.y.f32() == Values{0, 1, 2, 3, 4, 5});
  }
}

TEST_CASE("A header may have its keys in any order and Python 2's long integers") {
  const Values values{1, 2, 3, 4};
  const NpyRun run(npy("{ \"shape\": (2L, 2L,), 'fortran_order' : True,'descr': '<f4'}",
                       {reinterpret_cast<const char*>(values.data()), 16}),
                   kOne, {"--algorithm", "direct"});
  CHECK(run.y.f32() == Values{1, 3, 2, 4});
}

TEST_CASE("B14: reversed and transposed arrays are convolved as what they mean, not as they lie in memory") {
  const std::string w = npy_f32("(1, 1, 1, 2)", {1, -2});
  const NpyRun reversed(from_hex(numpy_files::kReversed), w, {"--algorithm", "all"});
  CHECK(reversed.y.header == header("<f4", "(1, 1, 4, 3)"));
  CHECK(reversed.y.f32() == Values{-1, 0, 1, -5, -4, -3, -9, -8, -7, -13, -12, -11});
  const NpyRun transposed(from_hex(numpy_files::kTransposed), w, {"--algorithm", "all"});
  CHECK(transposed.y.f32() == Values{-8, -12, -16, -9, -13, -17, -10, -14, -18, -11, -15, -19});
}

TEST_CASE("B17: an empty batch gives an empty array of the right shape") {
  const NpyRun run(from_hex(numpy_files::kEmptyBatch), npy_f32("(4, 3, 3, 3)", counting(108, 0)),
                   {"--pad", "1", "--algorithm", "all"});
  CHECK(run.y.header == header("<f4", "(0, 4, 5, 7)"));
  CHECK(run.y.elements.empty());
}

TEST_CASE("B58: a dilated filter wider than the image hits it with its middle tap alone") {
  const NpyRun run(npy_f32("(1, 1, 5, 5)", counting(25, 0)), npy_f32("(1, 1, 3, 3)", counting(9, 1)),
                   {"--pad", "2", "--dilation", "4"});
  CHECK(run.y.header == header("<f4", "(1, 1, 1, 1)"));
  CHECK(run.y.f32() == Values{60});
}

TEST_CASE("B59: an even filter has its extra padding at the bottom and the right") {
  const std::string x = npy_f32("(3, 4)", counting(12, 0)), w = npy_f32("(2, 2)", counting(4, 1));
  const Values upper{34, 44, 54, 24, 74, 84, 94, 40, 26, 29, 32, 11};
  CHECK(NpyRun(x, w, {"--pad", "same"}).y.f32() == upper);
  CHECK(NpyRun(x, w, {"--pad", "0x1x0x1"}).y.f32() == upper);
  CHECK(NpyRun(x, w, {"--pad", "1x0x1x0"}).y.f32() == Values{0, 4, 11, 18, 16, 34, 44, 54, 40, 74, 84, 94});
}

TEST_CASE("B60: padding decides whether a filter larger than the image is legal") {
  const NpyRun run(npy_f32("(2, 2)", Values(4, 1)), npy_f32("(3, 3)", Values(9, 1)), {"--pad", "1"});
  CHECK(run.y.f32() == Values{4, 4, 4, 4});
}

TEST_CASE("B61: the filter is not flipped") {
  const NpyRun run(npy_f32("(5, 2)", counting(10, 0)), npy_f32("(2, 1)", {1, 2}), {"--algorithm", "all"});
  CHECK(run.y.f32() == Values{4, 7, 10, 13, 16, 19, 22, 25});
}

TEST_CASE("The axes of a filter say what it means") {
  const std::string x = npy_f32("(2, 1, 3)", {1, 2, 3, 10, 20, 30});  // two channels of 1×3
  SECTION("two: every channel on its own") {
    const NpyRun run(x, npy_f32("(1, 2)", {1, 1}), {});
    CHECK(run.y.header == header("<f4", "(1, 2, 1, 2)"));
    CHECK(run.y.f32() == Values{3, 5, 30, 50});
  }
  SECTION("three: depthwise, two filters a channel") {
    const NpyRun run(x, npy_f32("(4, 1, 1)", {1, 2, 3, 4}), {});
    CHECK(run.y.f32() == Values{1, 2, 3, 2, 4, 6, 30, 60, 90, 40, 80, 120});
  }
  SECTION("four, over all channels") {
    const NpyRun run(x, npy_f32("(1, 2, 1, 1)", {1, 2}), {});
    CHECK(run.y.f32() == Values{21, 42, 63});
  }
  SECTION("four, over one channel a group") {
    const NpyRun run(x, npy_f32("(2, 1, 1, 1)", {1, 2}), {});
    CHECK(run.y.f32() == Values{1, 2, 3, 20, 40, 60});
  }
}

TEST_CASE("Stride and dilation take one number or height×width") {
  const std::string x = npy_f32("(3, 5)", counting(15, 0));
  CHECK(NpyRun(x, kOne, {"--stride", "2"}).y.f32() == Values{0, 2, 4, 10, 12, 14});
  CHECK(NpyRun(x, kOne, {"--stride", "2x3"}).y.f32() == Values{0, 3, 10, 13});
  CHECK(NpyRun(x, npy_f32("(2, 2)", Values(4, 1)), {"--dilation", "2x4"}).y.f32() == Values{28});
}

TEST_CASE("A NaN in an array stays where it belongs, and all algorithms still agree") {
  Values values(64, 1);
  values[27] = std::bit_cast<float>(0x7fc00000u);
  const NpyRun run(npy_f32("(8, 8)", values), npy_f32("(3, 3)", Values(9, 1)), {"--pad", "1", "--algorithm", "all"});
  const Values y = run.y.f32();
  CHECK(std::count_if(y.begin(), y.end(), [](float v) { return v != v; }) == 9);
}

TEST_CASE("A named filter works on arrays, one file a filter") {
  const TemporaryFolder folder;
  write_bytes(folder.path() + "/x.npy", npy_f32("(1, 3)", {1, 2, 4}));
  const CommandResult result = run_command({.arguments = {"run", "--input", "x.npy", "--filter", "identity", "--filter",
                                                          "box", "--pad", "same", "-o", "new/out/"},
                                            .folder = folder.path()});
  CHECK(result.exit == 0);
  CHECK(read_npy_file(folder.path() + "/new/out/identity.npy").f32() == Values{1, 2, 4});
  CHECK(read_npy_file(folder.path() + "/new/out/box.npy").f32().size() == 3);
}
