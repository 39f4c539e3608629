// A session is one JSON file: what is written is read back, and what cannot be understood is refused in one line.
#include "viewer/logic/state.h"
#include "viewer/logic/tour.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/problem/layers.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/support/draw.h"
#include "tests/support/random_problems.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;
using Json = nlohmann::ordered_json;

template <class List>
auto one_of(testing::Draw& draw, const List& list) {
  return list[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(std::size(list)) - 1))];
}

// Any state, sensible or not: layers may break rules, cursors may point at nothing.
State some_state(std::uint64_t seed) {
  testing::Draw draw{seed};
  State s = first_state();
  s.layer = draw.coin() ? "" : one_of(draw, named_layers()).name;
  s.spec = testing::random_problem(seed, 0).spec();
  if (draw.coin()) s.spec.stride_w = draw(-3, 0), s.spec.ci = draw(-9, 1000000);
  s.dtype = one_of(draw, kDTypes);
  s.layouts = {one_of(draw, kLayouts), one_of(draw, kFilterLayouts), one_of(draw, kLayouts)};
  s.runs.clear();
  for (const Algorithm* row : algorithms())
    if (draw(0, 3) == 0) s.runs.push_back(row->id);
  s.panel = one_of(draw, panel_names());
  s.arrangement = one_of(draw, arrangement_names());
  s.cursor = {one_of(draw, std::vector<std::string>{"x", "w", "y", "im2win.ref/im2win", "ünd \"quoted\"\n"}), {}};
  for (std::int64_t& index : s.cursor.at) index = draw(-2, 1000);
  if (draw.coin()) s.hidden = {"x", "winograd.ref/v"};
  s.step = draw(0, 48), s.block = draw(0, 1000);
  s.picture = one_of(draw, std::vector<std::string>{"", "random", "/tmp/a picture.png", "Übung.png"});
  s.seed = random_bits(seed, 7);
  s.memory_limit = draw(0, std::int64_t{1} << 40);
  s.numerics = {.run = draw.coin() ? "" : "fft.ref",
                .dtype = one_of(draw, kDTypes),
                .channel = draw(0, 99),
                .exponent = draw(-kLargestExponent, kLargestExponent),
                .injection = one_of(draw, injection_names()),
                .down = draw(0, 100),
                .across = draw(0, 100)};
  if (draw.coin()) s.numerics.element = {0, draw(0, 9), draw(0, 9), draw(0, 9)};
  s.kernel = {.run = draw.coin() ? "" : "im2win.cc:double_buffer=off",
              .step = draw(0, 3),
              .file = "common/tile.cuh",
              .architecture = "sm_80",
              .texts = {}};
  if (draw.coin()) s.kernel.texts = {{"direct/direct_cc.cu", "// Ünd\n\t\"quoted\"\n"}};
  s.tour = draw(0, static_cast<std::int64_t>(tour().size()));
  s.dark = draw.coin();
  s.scale = draw.coin() ? 0 : static_cast<double>(draw(500, 4000)) / 1000;
  return s;
}

std::string complaint(const Json& json) {
  try {
    state_from_json(json);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

std::string complaint_about_file(const std::string& text) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/state.json";
  std::ofstream(file) << text;
  try {
    read_state(file);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

Json with(const std::string& field, const Json& value) {
  Json json = to_json(first_state());
  json[field] = value;
  return json;
}

}  // namespace

TEST_CASE("any state comes back from its JSON, and from its file") {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const State state = some_state(seed);
    INFO(to_json(state).dump());
    CHECK(state_from_json(to_json(state)) == state);
    CHECK(state_from_json(Json::parse(to_json(state).dump(2))) == state);
  }
  const std::string file = folder.path() + "/state.json", astray = folder.path() + "/missing/state.json";
  write_state(some_state(3), file);
  CHECK_THROWS_WITH(write_state(some_state(3), astray),
                    Catch::Matchers::Contains("state: " + astray + ", cannot be written"));
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/missing"));
  CHECK(read_state(file) == some_state(3));
  CHECK_FALSE(std::filesystem::exists(file + ".part"));
}

TEST_CASE("fields that a state file leaves out keep their first value") {
  CHECK(state_from_json({{"convlens_state", 1}}) == first_state());
  State light = first_state();
  light.dark = false;
  CHECK(state_from_json({{"convlens_state", 1}, {"dark", false}}) == light);
}

TEST_CASE("every wrong field of a state file is refused in one line that names it") {
  const std::vector<std::pair<std::string, Json>> wrong{
      {"layer", 9},
      {"layer", "cv99"},
      {"problem", 5},
      {"problem", Json::array({1, 2})},
      {"problem", {{"hi", "nine"}}},
      {"problem", {{"hi", 1.5}}},
      {"problem", {{"height", 9}}},
      {"problem", {{"hi", 18446744073709551615u}}},
      {"problem", {{"bias", 1}}},
      {"dtype", "f8"},
      {"dtype", 32},
      {"layout", "NCHW"},
      {"layout", {{"x", "NCHW"}}},
      {"layout", {{"x", "WHCN"}, {"w", "OIHW"}, {"y", "NCHW"}}},
      {"runs", "im2win.ref"},
      {"runs", {1, 2}},
      {"panel", "layout"},
      {"panel", "two\nlines"},
      {"arrangement", nullptr},
      {"cursor", {{"tensor", "y"}}},
      {"cursor", {{"tensor", "y"}, {"at", {0, 1, 2, 3, 4, 5, 6}}}},
      {"cursor", {{"tensor", "y"}, {"at", {0, "1"}}}},
      {"cursor", {{"tensor", "y"}, {"at", {0, 1.5}}}},
      {"hidden", "x"},
      {"step", -1},
      {"step", 49},
      {"step", 1.5},
      {"block", -1},
      {"picture", false},
      {"seed", "one"},
      {"seed", -1},
      {"memory_limit", -1},
      {"memory_limit", 1e300},
      {"memory_limit", 18446744073709551615u},
      {"numerics", 5},
      {"numerics", {{"dtype", "f8"}}},
      {"numerics", {{"exponent", 41}}},
      {"numerics", {{"injection", "Nan"}}},
      {"numerics", {{"down", 101}}},
      {"numerics", {{"element", {1, 2}}}},
      {"numerics", {{"element", {1, 2, 3, -4}}}},
      {"numerics", {{"rows", 1}}},
      {"kernel", "im2win.cc"},
      {"kernel", {{"step", -1}}},
      {"kernel", {{"texts", {1, 2}}}},
      {"kernel", {{"text", "int"}}},
      {"kernel", {{"texts", nullptr}}},
      {"kernel", {{"texts", {{"a.cu", 1}}}}},
      {"kernel", {{"file", 1}}},
      {"numerics", {{"run", 1}}},
      {"performance", {{"run", nullptr}}},
      {"performance", {{"chart", 5}}},
      {"performance", {{"speed", 5}}},
      {"cursor", {{"tensor", 5}, {"at", {0}}}},
      {"cursor", {{"tensor", "y"}, {"at", {0}}, {"from", "x"}}},
      {"layout", {{"x", "NCHW"}, {"w", "OIHW"}, {"y", "NCHW"}, {"z", "NCHW"}}},
      {"tour", 9},
      {"tour", -1},
      {"dark", "yes"},
      {"scale", 0.1},
      {"scale", -1},
      {"scale", 100},
      {"scale", "1"},
      {"colour", "blue"},
      {"convlens_state", 2},
      {"convlens_state", "1"},
  };
  for (const auto& [field, value] : wrong) {
    const std::string says = complaint(with(field, value));
    INFO(field << ": " << value.dump() << " → " << says);
    CHECK(says.starts_with("state: " + field));
    CHECK(std::ranges::count(says, '\n') == 0);
  }
}

TEST_CASE("no field of a state is null or an empty list where it is something else, and none is of another type") {
  const Json first = to_json(first_state());
  for (const auto& [field, now] : first.items())
    for (const Json& value : {Json(nullptr), Json::array(), Json::object(), Json("text"), Json(7.5), Json(true)}) {
      if (value.type() == now.type() && !value.is_string()) continue;
      if (value.is_string() && field == "picture") continue;
      if (now.is_number_float() && value.is_number()) continue;
      const std::string says = complaint(with(field, value));
      INFO(field << ": " << value.dump() << " → " << says);
      CHECK(says.starts_with("state: " + field));
      CHECK(std::ranges::count(says, '\n') == 0);
    }
}

TEST_CASE("a value of any length is refused in a line that can be read") {
  const std::string says = complaint(with("kernel", Json(std::string(1'000'000, 'x'))));
  CHECK(says.starts_with("state: kernel: "));
  CHECK(says.size() < 400);
}

TEST_CASE("a state file that is no state is refused in one line") {
  for (const std::string text : {"", " ", "{", "null", "[]", "[1]", "5", "\"state\"", "{}", "{\"layer\":\"cv9\"}",
                                 "\x01\x02", "{\"convlens_state\":1,}", "{\"convlens_state\":1} trailing",
                                 "{\"convlens_state\":1e999}", "\xff\xfe{\"convlens_state\":1}"}) {
    const std::string says = complaint_about_file(text);
    INFO(text << " → " << says);
    CHECK(says.starts_with("state: "));
    CHECK(std::ranges::count(says, '\n') == 0);
  }
  CHECK_THROWS_AS(read_state("/nowhere/state.json"), BadInput);
  CHECK_THROWS_AS(read_state("/"), BadInput);
}

TEST_CASE("a state file spoilt at any one byte is read or refused, never more") {
  const std::string good = to_json(some_state(5)).dump();
  for (std::uint64_t k = 0; k < 400; ++k) {
    std::string text = good;
    const auto at = static_cast<std::size_t>(random_integer(91, 2 * k, 0, static_cast<std::int64_t>(text.size()) - 1));
    if (k % 4 == 0)
      text.resize(at);
    else
      text[at] = static_cast<char>(random_integer(91, 2 * k + 1, 0, 255));
    INFO(text);
    CHECK(std::ranges::count(complaint_about_file(text), '\n') == 0);
  }
}

TEST_CASE("the state of the last session is kept, and a damaged one put aside") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/state.json";
  CHECK(read_kept_state("").file.empty());
  CHECK(read_kept_state(file).state == first_state());
  CHECK(read_kept_state(file).notice.empty());

  write_state(some_state(8), file);
  CHECK(read_kept_state(file).state == some_state(8));
  CHECK(read_kept_state(file).file == file);

  std::ofstream(file) << "not JSON";
  const KeptState damaged = read_kept_state(file);
  CHECK(damaged.state == first_state());
  CHECK(damaged.file == file);
  CHECK(damaged.notice.find(file + ".damaged") != std::string::npos);
  CHECK(std::ranges::count(damaged.notice, '\n') == 0);
  CHECK(std::filesystem::exists(file + ".damaged"));
  CHECK_FALSE(std::filesystem::exists(file));

  for (const std::string number : {"2", "3"}) {
    std::ofstream(file) << "nothing better";
    CHECK(read_kept_state(file).notice.find(file + ".damaged." + number) != std::string::npos);
    CHECK(std::filesystem::exists(file + ".damaged." + number));
  }
  CHECK(std::filesystem::file_size(file + ".damaged") == std::string("not JSON").size());
}

TEST_CASE("the last session's state of a newer version is not damaged, and left as it is") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/state.json";
  std::ofstream(file) << R"({"convlens_state":2})";
  const KeptState newer = read_kept_state(file);
  CHECK(newer.state == first_state());
  CHECK(newer.file.empty());  // closing the window writes nothing over it
  CHECK(newer.notice.find("of a newer version") != std::string::npos);
  CHECK(newer.notice.find("damaged") == std::string::npos);
  CHECK(std::filesystem::exists(file));
}

TEST_CASE("a state is read from a regular file of some MiB, and from nothing that has no end") {
  CHECK_THROWS_WITH(read_state("/dev/zero"), "state: /dev/zero, must be a regular file");
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/state.json";
  std::ofstream(file) << "{";
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);  // with a hole, it takes no space
  CHECK_THROWS_WITH(read_state(file), Catch::Matchers::Contains("1099511627776 bytes, must be at most 8388608"));
}

TEST_CASE("a state that cannot be written says so in one line") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/file") << "in the way";
  CHECK_THROWS_WITH(write_state(first_state(), folder.path() + "/file/state.json"),
                    Catch::Matchers::Contains("cannot be written"));
  State unwritable = first_state();
  unwritable.picture = "\xff.png";  // a file's name that is no UTF-8
  write_state(unwritable, folder.path() + "/state.json");
  CHECK_NOTHROW(read_state(folder.path() + "/state.json"));
}

TEST_CASE("saving makes no folder, and keeping the last state makes its own") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/new/deep/state.json";
  CHECK_THROWS_WITH(write_state(first_state(), file), Catch::Matchers::Contains("cannot be written (No such file"));
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/new"));
  write_kept_state(first_state(), file);
  CHECK(read_kept_state(file).state == first_state());
}

TEST_CASE("a saved state goes where a link points, keeps the file's permissions, and replaces nothing but files") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const std::string target = folder.path() + "/target.json", link = folder.path() + "/link.json",
                    pipe = folder.path() + "/pipe.json";
  write_state(first_state(), target);
  fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(target, link);
  write_state(some_state(5), link);
  CHECK(fs::is_symlink(link));
  CHECK(read_state(target) == some_state(5));
  CHECK(fs::status(target).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(write_state(first_state(), pipe), "state: " + pipe + ", must be a regular file");
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("two changes of one state are made as one, field by field, and the later counts where both are of one") {
  const State before = first_state();
  State click = before, step = before;
  click.spec.groups = 2, click.layer = "", click.step = 3;
  step.step = 40, step.cursor.at[2] = 5;
  const State both = with_changes(click, before, step);
  CHECK(both.spec == click.spec);
  CHECK(both.layer.empty());
  CHECK(both.step == 40);
  CHECK(both.cursor == step.cursor);
  CHECK(with_changes(click, before, before) == click);
  for (std::uint64_t k = 0; k < 10; ++k) CHECK(with_changes(before, before, some_state(k)) == some_state(k));
}
