// Runs, lines and sectors against a count of every byte; the copies of pixels against a count of every cell.
#include "viewer/logic/traffic.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "algorithms/error.h"
#include "algorithms/measure/ledger.h"
#include "tests/catch.h"
#include "tests/support/draw.h"
#include "tests/viewer/states.h"
#include "viewer/logic/copies.h"
#include "viewer/logic/links.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

struct Counted {
  std::set<std::int64_t> bytes, lines, sectors;
  std::int64_t runs = 0;
};

Counted count(const std::vector<Box>& boxes, const Shape& shape, Layout layout, std::int64_t size) {
  const Strides strides = dense_strides(layout, shape);
  Counted counted;
  for (const Box& box : boxes)
    testing::for_each(box, [&](const Coord& at) {
      std::int64_t offset = 0;
      for (std::size_t axis = 0; axis < 4; ++axis) offset += at[axis] * strides[axis];
      for (std::int64_t byte = offset * size; byte < (offset + 1) * size; ++byte) {
        counted.bytes.insert(byte);
        counted.lines.insert(byte / 64);
        counted.sectors.insert(byte / 32);
      }
    });
  for (const std::int64_t byte : counted.bytes) counted.runs += !counted.bytes.contains(byte - 1);
  return counted;
}

void check(const std::vector<Box>& boxes, const Shape& shape, std::int64_t size) {
  for (const Layout layout : kLayouts) {
    const Traffic traffic = traffic_of(boxes, shape, layout, size);
    const Counted counted = count(boxes, shape, layout, size);
    INFO(name(layout));
    CHECK(traffic.bytes == static_cast<std::int64_t>(counted.bytes.size()));
    CHECK(traffic.lines == static_cast<std::int64_t>(counted.lines.size()));
    CHECK(traffic.sectors == static_cast<std::int64_t>(counted.sectors.size()));
    CHECK(static_cast<std::int64_t>(traffic.runs.size()) == counted.runs);
  }
}

}  // namespace

TEST_CASE("what a window and a warp touch is counted byte by byte in every layout") {
  for (std::uint64_t k = 0; k < 60; ++k) {
    const ConvProblem p = testing::random_problem(61, k, 12, 20000);
    if (p.n() == 0) continue;
    const Model model(testing::state_of(p.spec(), {}));
    const Coord y = testing::some_cell(*model.find("y"), 62, k);
    INFO("problem " << k << ", y" << testing::text(y));
    const std::int64_t size = size_of(kDTypes[k % std::size(kDTypes)]);
    check(window_of_output(p, y), p.x_shape(), size);
    check(warp_boxes(p, y), p.x_shape(), size);
  }
}

TEST_CASE("boxes that overlap or touch count each byte once") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    testing::Draw draw{seed};
    const Shape shape{draw(1, 3), draw(1, 20), draw(1, 6), draw(1, 20)};
    std::vector<Box> boxes;
    for (std::int64_t k = draw(0, 6); k > 0; --k) {
      Box box;
      for (std::size_t axis = 0; axis < 4; ++axis) {
        box.first[axis] = draw(0, shape[axis] - 1);
        box.extent[axis] = draw(1, shape[axis] - box.first[axis]);
      }
      boxes.push_back(box);
    }
    check(boxes, shape, draw.coin() ? 4 : 2);
  }
}

TEST_CASE("a warp is 32 outputs in a row, or as many as are left") {
  const ConvProblem p({.n = 1, .ci = 1, .hi = 8, .wi = 8, .hf = 1, .wf = 1});
  CHECK(warp_boxes(p, {0, 0, 0, 0}).size() == 32);
  CHECK(warp_boxes(p, {0, 0, 7, 0}).size() == 8);
  CHECK(outputs_of_warp(p, {0, 0, 0, 0}) == 32);
  CHECK(outputs_of_warp(p, {0, 0, 7, 0}) == 8);
  CHECK(outputs_of_warp(p, {0, 0, 7, 7}) == 1);
  CHECK(warp_boxes(p, {0, 0, 1, 3}).front() == Box::cell({0, 0, 1, 3}));
}

TEST_CASE("an offset's element has that offset") {
  const Shape shape{2, 3, 5, 4};
  for (const Layout layout : kLayouts) {
    const Strides strides = dense_strides(layout, shape);
    for (std::int64_t offset = 0; offset < elements(shape); ++offset) {
      const Coord at = coordinate_at(shape, layout, offset);
      CHECK(at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2] + at[3] * strides[3] == offset);
    }
  }
}

TEST_CASE("how often each pixel of a huge image is stored is known without counting them all") {
  const Model model(testing::state_of(testing::padded(1, {.hi = 1 << 20, .wi = 1 << 20, .hf = 3, .wf = 3}),
                                      {"im2col.ref", "im2win.ref", "winograd.ref"}));
  int counted = 0;
  for (const Exhibit& exhibit : model.exhibits()) {
    const std::optional<Copies> copies = copies_of(model, exhibit);
    if (!copies) continue;
    ++counted;
    if (copies->elements > 0) CHECK(copies->elements + copies->zeros == exhibit.cells());
  }
  CHECK(counted == 3);
}

TEST_CASE("how often each pixel is stored is counted cell by cell, and adds up to the ledger's bytes") {
  int in_ledger = 0;
  std::vector<ConvSpec> layers{testing::padded(3, {.n = 2, .ci = 2, .hi = 6, .wi = 6, .co = 2, .hf = 3, .wf = 3})};
  for (std::uint64_t k = 0; k < 10; ++k) layers.push_back(testing::random_problem(63, k, 8, 3000).spec());
  for (const ConvSpec& spec : layers) {
    const Model model(testing::state_of(spec, testing::all_runs()));
    for (const Exhibit& exhibit : model.exhibits()) {
      const std::optional<Copies> copies = copies_of(model, exhibit);
      if (!copies) continue;
      INFO(exhibit.id << " on " << testing::text({spec.ci, spec.hi, spec.wi, spec.hf, spec.wf, spec.pad_top}));
      const Stage& stage = model.stage(exhibit);
      std::vector<std::int64_t> counts(static_cast<std::size_t>(spec.hi * spec.wi), 0), told;
      std::int64_t zeros = 0;
      bool mixes = false;
      testing::for_each(testing::whole(exhibit), [&](const Coord& cell) {
        const Source source = stage.map->source(cell);
        mixes = mixes || source.kind == SourceKind::combination || source.kind == SourceKind::region;
        zeros += source.terms.empty();
        for (const Term& term : source.terms)
          testing::for_each(term.at, [&](const Coord& x) {
            if (x[0] == 0 && x[1] == 0) ++counts[static_cast<std::size_t>(x[2] * copies->width + x[3])];
          });
      });
      for (std::int64_t h = 0; h < spec.hi; ++h)
        for (std::int64_t w = 0; w < spec.wi; ++w) told.push_back(copies->at(h, w));
      CHECK(told == counts);
      CHECK(copies->most == std::ranges::max(counts));
      CHECK(copies->bytes == stage.cells() * stage.cell_bytes());
      CHECK(copies->bytes == exhibit.bytes);
      if (mixes) {
        CHECK(copies->elements == 0);
        CHECK(copies->zeros == 0);
        continue;
      }
      CHECK(copies->zeros == zeros);
      CHECK(copies->elements + copies->zeros == stage.cells());
      if (!stage.stored || stage.passes() != 1 || stage.copies != 1) continue;
      for (const Ledger::Line& line : planned_bytes(*model.rows()[static_cast<std::size_t>(exhibit.row)].plan))
        if (line.name == stage.id) {
          CHECK(line.bytes == copies->bytes);
          ++in_ledger;
        }
    }
  }
  CHECK(in_ledger > 10);
}

TEST_CASE("exported copies and zeros of every channel add up, run by run, to the bytes of the ledger") {
  int in_ledger = 0;
  for (std::uint64_t k = 0; k < 12; ++k) {
    const ConvSpec spec = testing::random_problem(64, k, 8, 3000).spec();
    const Model model(testing::state_of(spec, testing::all_runs()));
    struct Sum {
      std::int64_t cells = 0, bytes = 0, pixels = 0;
      bool mixed = false;
      nlohmann::ordered_json all;
    };
    std::map<std::string, std::map<std::string, Sum>> sums;  // by run and tensor
    for (const auto& row : copies_rows(model)) {
      Sum& sum = sums[row.at("run")][row.value("tensor", "")];
      if (row.at("holds") == "all") {
        sum.all = row;
        continue;
      }
      if (row.at("holds") != "zeros") {
        ++sum.pixels;
        CHECK(row.at("n_count") == spec.n);
        CHECK(row.at("c_count") == spec.ci);
      }
      if (row.at("holds") == "mixed") {
        sum.mixed = true;
        continue;
      }
      sum.cells += row.at("cells").get<std::int64_t>(), sum.bytes += row.at("bytes").get<std::int64_t>();
    }
    for (const ChosenRow& row : model.rows()) {
      INFO(row.run << ", layer " << k);
      CHECK(sums.contains(row.run) == (row.plan != nullptr && spec.n > 0));
      if (!sums.contains(row.run)) continue;
      std::map<std::string, std::int64_t> ledger;
      for (const Ledger::Line& line : planned_bytes(*row.plan)) ledger[line.name] = line.bytes;
      for (const auto& [tensor, sum] : sums.at(row.run)) {
        INFO(tensor);
        REQUIRE_FALSE(sum.all.is_null());
        CHECK(sum.pixels == (tensor.empty() ? 0 : spec.hi * spec.wi));
        if (!sum.mixed) {
          CHECK(sum.cells == sum.all.at("cells"));
          CHECK(sum.bytes == sum.all.at("bytes"));
        }
        const auto line = ledger.find(tensor.substr(tensor.rfind('/') + 1));
        const std::int64_t allocated = tensor.empty() || line == ledger.end() ? 0 : line->second;
        CHECK(sum.all.at("ledger_bytes") == allocated);
        if (allocated > 0 && !sum.mixed && sum.all.at("passes") == 1) {
          CHECK(sum.bytes <= allocated);  // which may be of several threads
          in_ledger += sum.bytes == allocated;
        }
      }
    }
  }
  CHECK(in_ledger > 10);
}

TEST_CASE("copies of more pixels than a table may have are refused in one line") {
  const Model model(testing::state_of({.hi = 1 << 11, .wi = 1 << 10, .hf = 3, .wf = 3}, {"im2col.ref"}));
  CHECK_THROWS_WITH(copies_rows(model),
                    "copies: 1 tensor of 2048 × 1024 pixels, must be at most 1048576 rows of a table");
}

TEST_CASE("every run is marked inside of the bar, the last bytes of a huge tensor included") {
  for (std::uint64_t k = 0; k < 400; ++k) {
    const std::int64_t bytes = std::int64_t{1} << random_integer(61, 4 * k, 2, 40);
    const std::int64_t first = k % 4 == 0 ? bytes - 1 : random_integer(61, 4 * k + 1, 0, bytes - 1);
    const viewer::Run run{first, random_integer(61, 4 * k + 2, 1, bytes - first)};
    const auto width = static_cast<float>(random_integer(61, 4 * k + 3, 1, 2000));
    INFO(run.first << " + " << run.bytes << " of " << bytes << " bytes on " << width << " pixels");
    const RunMark mark = mark_of(run, bytes, width, 2);
    CHECK(mark.begin >= 0);
    CHECK(mark.end <= width);
    CHECK(mark.end - mark.begin >= std::min(width, 2.0f) - 1e-3f);
    // It begins where the run does, or so near as it has room.
    const double begin = static_cast<double>(first) / static_cast<double>(bytes) * static_cast<double>(width);
    CHECK(std::abs(static_cast<double>(mark.begin) - begin) <= 2.001);
  }
}
