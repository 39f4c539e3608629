// im2win.tc without a GPU: the alignment of its tensor, that its windows and its filter give the convolution, how its
// blocks share out y, its named options, and what it refuses.
#include <numeric>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/problem/layers.h"
#include "kernels/im2win/aligned_tensor.h"
#include "kernels/im2win/im2win.h"
#include "kernels/text.h"
#include "tests/catch.h"
#include "tests/support/boxes.h"
#include "tests/support/random_problems.h"

namespace {

using namespace convlens;
using namespace convlens::gpu;
using namespace convlens::testing;
using Catch::Matchers::Contains;

Request request(const ConvProblem& problem, const std::string& options = "", Layout layout = Layout::NHWC,
                DType dtype = DType::f16) {
  return complete(im2win_tc(),
                  {problem, dtype, {layout, FilterLayout::OHWI, layout}, parse_options(im2win_tc(), options)});
}
std::shared_ptr<const Plan> plan(const ConvProblem& problem, const std::string& options = "") {
  return im2win_tc().plan(request(problem, options));
}
const Launch& product(const Plan& plan) { return std::get<Launch>(plan.program()->steps.back()); }

// A whole number that tells elements apart.
std::int64_t value(const Coord& at) {
  return static_cast<std::int64_t>(
      random_integer(5, static_cast<std::uint64_t>(flat(at, {9, 99, 99, 99, 1, 1})), -9, 9));
}

// A stage's contents in the order of memory, filled through its map.
std::vector<std::int64_t> contents(const Stage& stage) {
  const Coord extent = extents(stage);
  std::vector<std::int64_t> cells(static_cast<std::size_t>(stage.cells()));
  for_each(Box{{}, extent}, [&](const Coord& at) {
    const Source source = stage.map->source(at);
    cells[static_cast<std::size_t>(stage.offset(at))] =
        source.kind == SourceKind::element ? value(source.terms[0].at.first) : 0;
  });
  return cells;
}

ConvProblem layer(const std::string& name, std::int64_t n) { return ConvProblem(find_layer(name).spec).with_batch(n); }

}  // namespace

TEST_CASE("every window of im2win.tc begins at a multiple of eight elements, with the fewest zeros") {
  for (std::uint64_t index = 0; index < 500; ++index) {
    const ConvProblem p = random_problem(81, index);
    const AlignedTensor t(p);
    INFO("layer " << index);
    REQUIRE(t.columns * t.column % 8 == 0);
    for (std::int64_t j = 0; j < p.wo(); ++j) REQUIRE(j * p.spec().stride_w * t.column % 8 == 0);
    if (!t.contiguous) REQUIRE(t.column % 8 == 0);
    REQUIRE(t.column - p.hf() * p.ci_per_group() < 8);
  }
  CHECK(AlignedTensor(layer("cv1", 1)).column == 34);  // 11·3 and stride 4: every second column is aligned
  CHECK(AlignedTensor(layer("cv3", 1)).column == 24);
  CHECK(AlignedTensor(layer("cv7", 1)).column == 16);
  CHECK(AlignedTensor(layer("cv9", 1)).zeros(layer("cv9", 1)) == 0);
}

TEST_CASE("im2win.tc's filter times its windows is the convolution") {
  for (std::uint64_t index = 0; index < 150; ++index) {
    const ConvProblem p = random_problem(82, index, 9, 8000);
    const auto planned = plan(p);
    const AlignedTensor t(p);
    const std::vector<std::int64_t> windows = contents(planned->stages()[0]), filter = contents(planned->stages()[1]);
    const std::int64_t pitch = planned->stages()[1].axes[2].extent, rows = planned->stages()[1].axes[1].extent;
    INFO("layer " << index);
    for_each(Box{{}, extents(p.y_shape())}, [&](const Coord& at) {
      const auto [n, o, m, j, unused4, unused5] = at;
      const std::int64_t g = p.group_of_output(o), row = g * rows + o % p.co_per_group();
      const std::int64_t start =
          ((n * p.groups() + g) * p.ho() + m) * t.columns * t.column + j * p.spec().stride_w * t.column;
      std::int64_t product = 0, expected = 0;
      for (std::int64_t k = 0; k < t.window(p); ++k) {
        const std::int64_t where = start + 8 * t.place(p, k / 8) + k % 8;
        product += filter[static_cast<std::size_t>(row * pitch + k)] * windows[static_cast<std::size_t>(where)];
      }
      for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
        for (std::int64_t u = 0; u < p.hf(); ++u)
          for (std::int64_t v = 0; v < p.wf(); ++v) {
            const std::int64_t h = p.input_row(m, u), w = p.input_column(j, v);
            if (h < 0 || h >= p.hi() || w < 0 || w >= p.wi()) continue;
            expected += value({n, g * p.ci_per_group() + c, h, w}) * value({o, c, u, v});
          }
      REQUIRE(product == expected);
    });
  }
}

TEST_CASE("the tiles of im2win.tc cover y, each cell once, forwards and in zig-zag") {
  for (const char* options : {"", "tile=32x128", "tile=64x128,zigzag=off", "tile=128x128,warps=8"})
    for (std::uint64_t index = 0; index < 60; ++index) {
      const ConvProblem p = random_problem(83, index, 40, 200000);
      const auto planned = plan(p, options);
      const Coord extent = extents(p.y_shape());
      std::vector<int> times(static_cast<std::size_t>(elements(p.y_shape())));
      for (std::int64_t block = 0; block < product(*planned).grid.x; ++block)
        for (const Box& box : product(*planned).tiles({block})) {
          REQUIRE(within(box, extent));
          for_each(box, [&](const Coord& at) { ++times[static_cast<std::size_t>(flat(at, extent))]; });
        }
      INFO(options << " layer " << index);
      REQUIRE(std::ranges::all_of(times, [](int count) { return count == 1; }));
    }
}

TEST_CASE("with zigzag every second row of im2win.tc's tiles runs backwards, down to the first column") {
  const auto first_channels = [](const std::string& options) {
    const auto planned = plan(layer("cv12", 20), options);
    std::vector<std::int64_t> channels;
    for (std::int64_t block = 0; block < 16; ++block)
      channels.push_back(product(*planned).tiles({block}).front().first[1]);
    return channels;
  };
  std::vector<std::int64_t> row(8), to_and_fro, to_and_to;
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = 64 * static_cast<std::int64_t>(k);
  to_and_fro = to_and_to = row;
  to_and_to.insert(to_and_to.end(), row.begin(), row.end());
  to_and_fro.insert(to_and_fro.end(), row.rbegin(), row.rend());
  CHECK(first_channels("tile=64x128,zigzag=on") == to_and_fro);
  CHECK(first_channels("tile=64x128,zigzag=off") == to_and_to);
}

TEST_CASE("im2win.tc:paper names the paper's baseline, and what follows has the last word") {
  const Run paper = parse_run("im2win.tc:paper"), without = parse_run("im2win.tc:paper,zigzag=off");
  for (const char* option : {"zigzag", "async_copy", "double_buffer", "vector_io"})
    CHECK(paper.options.is(option, "on"));
  CHECK(paper.options.is("index_precompute", "off"));
  CHECK(paper.options.is("tile", "64x128"));
  CHECK(without.options.is("zigzag", "off"));
  CHECK(without.options.is("tile", "64x128"));
  CHECK(parse_run(run_name(*paper.algorithm, paper.options)).options == paper.options);
  CHECK_THROWS_WITH(parse_run("im2win.tc:papper"), Contains("papper") && Contains("\"paper\""));
  CHECK_THROWS_WITH(parse_run("im2win.tc:paper,zigzag=maybe"), Contains("zigzag"));
  CHECK_THROWS_AS(parse_run("im2win.cc:paper"), BadInput);
}

TEST_CASE("im2win.tc leaves registers for three blocks where its sums do, if need be without a second slice") {
  const auto constant = [](const ConvProblem& problem, const std::string& options, const std::string& name) {
    const auto planned = plan(problem, options);
    const std::vector<Constant>& all = product(*planned).kernel.constants;
    return std::ranges::find(all, name, &Constant::name)->value;
  };
  CHECK(constant(layer("cv9", 2), "", "blocks") == "3");
  CHECK(constant(layer("cv9", 2), "", "double_buffer") == "true");
  CHECK(constant(layer("cv1", 2), "", "blocks") == "3");
  CHECK(constant(layer("cv1", 2), "", "double_buffer") == "false");
  CHECK(constant(layer("cv1", 2), "double_buffer=on", "blocks") == "1");
  CHECK(constant(layer("cv1", 2), "async_copy=off", "double_buffer") == "true");
  CHECK(constant(layer("cv12", 2), "", "blocks") == "1");
  CHECK(constant(layer("cv12", 2), "blocks=2", "blocks") == "2");
}

TEST_CASE("im2win.tc says on which GPUs its instructions exist, and why") {
  const ConvProblem p = layer("cv9", 2);
  const auto needed = [&](const std::string& options, DType dtype) {
    return product(*im2win_tc().plan(request(p, options, Layout::NHWC, dtype))).kernel.architectures;
  };
  CHECK(needed("", DType::f16).least == 80);
  CHECK(std::string(needed("", DType::f16).why) == "async_copy=on: cp.async");
  CHECK(needed("async_copy=off", DType::f16).least == 75);
  CHECK(needed("async_copy=off", DType::bf16).least == 80);
}

TEST_CASE("im2win.tc refuses in words, with the nearest request that runs") {
  const Support f32 = im2win_tc().supports(request(layer("cv9", 1), "", Layout::NHWC, DType::f32));
  CHECK_THAT(f32.reason, Contains("f32, must be f16 or bf16"));
  REQUIRE(f32.nearest);
  CHECK(f32.nearest->dtype == DType::f16);
  const ConvProblem long_window({.n = 1, .ci = 16000, .hi = 3, .wi = 3, .co = 1, .hf = 3, .wf = 3});
  const Support places = im2win_tc().supports(request(long_window, "index_precompute=on"));
  CHECK_THAT(places.reason, Contains("a window of 144000 elements, must be ≤ 131072"));
  REQUIRE(places.nearest);
  CHECK(places.nearest->options.is("index_precompute", "off"));
  const ConvProblem tall({.n = 1, .ci = 512, .hi = 1, .wi = 1 << 20, .hf = 7, .wf = 1, .pad_top = 3, .pad_bottom = 3});
  CHECK_THAT(im2win_tc().supports(request(tall)).reason,
             Contains("a row of the im2win tensor: 3758096384 elements, must be ≤ 2147418112"));
}

TEST_CASE("im2win.tc takes an im2win tensor of more than 2^31 elements, as cv4's with 256 images") {
  const auto planned = plan(layer("cv4", 256));
  CHECK(planned->stages()[0].cells() > std::int64_t{1} << 31);
  CHECK(planned->workspace()[0].bytes == 2 * planned->stages()[0].cells());
}

TEST_CASE("the places of a dilated window are in constant memory with index_precompute only") {
  const ConvProblem p({.n = 1, .ci = 3, .hi = 9, .wi = 9, .co = 4, .hf = 3, .wf = 2, .dilation_w = 3});
  CHECK_THAT(source(product(*plan(p, "index_precompute=on,slice=16")).kernel),
             Contains("__constant__ int places[] = {0, 1, 6, 7};"));
  CHECK_THAT(source(product(*plan(p)).kernel), Contains("__constant__ int places[] = {0};"));
}
