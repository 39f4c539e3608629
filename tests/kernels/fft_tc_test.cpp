// fft.tc without a GPU: real products that are complex ones, what is stored, what it promises and what it refuses.
#include <cmath>
#include <complex>

#include "algorithms/error.h"
#include "algorithms/tensor/random.h"
#include "kernels/fft/fft.h"
#include "kernels/fft/fft_parts.h"
#include "kernels/fft/fft_spectra.h"
#include "tests/catch.h"
#include "tests/kernels/host_products.h"

namespace {

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;
using Number = std::complex<double>;

std::shared_ptr<const Plan> plan(const ConvProblem& problem, const std::string& options, DType dtype = DType::f16) {
  return gpu::fft_tc().plan(
      complete(gpu::fft_tc(),
               {.problem = problem, .dtype = dtype, .options = OptionSet::parse(options, gpu::fft_tc().options)}));
}

double integer(std::uint64_t stream, std::int64_t k) {
  return static_cast<double>(random_integer(stream, static_cast<std::uint64_t>(k), -9, 9));
}

// Spectra of small integers as kernels/fft/fft_store.cuh lays them out, and what is read back.
struct Spectra {
  std::int64_t bins, groups, inputs, outputs, tiles;  // inputs and outputs of a group; inputs count phases

  Number x(std::int64_t b, std::int64_t g, std::int64_t c, std::int64_t t) const {
    const std::int64_t k = ((b * groups + g) * inputs + c) * tiles + t;
    return {integer(1, k), integer(2, k)};
  }
  Number w(std::int64_t b, std::int64_t g, std::int64_t c, std::int64_t o) const {
    const std::int64_t k = ((b * groups + g) * inputs + c) * outputs + o;
    return {integer(3, k), integer(4, k)};
  }

  template <class Visit>  // of the numbers that `along` tiles or output channels have
  void visit(std::int64_t channels, std::int64_t along, Visit&& visit) const {
    for (std::int64_t b = 0; b < bins; ++b)
      for (std::int64_t g = 0; g < groups; ++g)
        for (std::int64_t c = 0; c < channels; ++c)
          for (std::int64_t k = 0; k < along; ++k) visit(b, g, c, k);
  }

  HostMemory memory(bool three) const {
    HostMemory made;
    const auto of = [&](const char* name, std::int64_t numbers) -> std::vector<float>& {
      return made.buffers[name] = std::vector<float>(static_cast<std::size_t>(numbers), NAN);
    };
    const auto put = [](std::vector<float>& to, std::int64_t at, double value) {
      to[static_cast<std::size_t>(at)] = static_cast<float>(value);
    };
    const std::int64_t all = bins * groups * inputs;
    std::vector<float>& planes = of("input_spectra", 2 * all * tiles);
    std::vector<float>& sums = of("input_sums", all * tiles);
    std::vector<float>& filter = of("filter_spectra", (three ? 3 : 4) * all * outputs);
    of("product_spectra", (three ? 3 : 2) * bins * groups * outputs * tiles);
    visit(inputs, tiles, [&](auto b, auto g, auto c, auto t) {
      const std::int64_t at = ((b * groups + g) * 2 * inputs + c) * tiles + t;
      const Number number = x(b, g, c, t);
      put(planes, at, number.real()), put(planes, at + inputs * tiles, number.imag());
      put(sums, ((b * groups + g) * inputs + c) * tiles + t, number.real() + number.imag());
    });
    visit(inputs, outputs, [&](auto b, auto g, auto c, auto o) {
      const Number number = w(b, g, c, o);
      const std::int64_t co = groups * outputs;
      if (three) {
        const std::int64_t at = (b * inputs + c) * co + g * outputs + o, entry = bins * inputs * co;
        put(filter, at, number.real()), put(filter, at + entry, number.real() + number.imag());
        put(filter, at + 2 * entry, number.real() - number.imag());
      } else {
        const std::int64_t at = (b * 2 * inputs + c) * 2 * co + g * 2 * outputs + o, row = inputs * 2 * co;
        put(filter, at, number.real()), put(filter, at + outputs, -number.imag());
        put(filter, at + row, number.imag()), put(filter, at + row + outputs, number.real());
      }
    });
    return made;
  }

  Number product(const HostMemory& memory, bool three, std::int64_t b, std::int64_t g, std::int64_t o,
                 std::int64_t t) const {
    const std::vector<float>& from = memory.buffers.at("product_spectra");
    const auto get = [&](std::int64_t at) { return static_cast<double>(from[static_cast<std::size_t>(at)]); };
    if (!three) {
      const std::int64_t at = ((b * groups + g) * 2 * outputs + o) * tiles + t;
      return {get(at), get(at + outputs * tiles)};
    }
    const std::int64_t at = ((b * groups + g) * outputs + o) * tiles + t, entry = bins * groups * outputs * tiles;
    return {get(at) - get(at + 2 * entry), get(at) - get(at + entry)};
  }
};

}  // namespace

TEST_CASE("fft.tc: real products of planes are the complex products, with four multiplications and with three") {
  const bool three = GENERATE(false, true);
  const ConvProblem problem(
      {.n = 2, .ci = 6, .hi = 9, .wi = 13, .co = 4, .hf = 3, .wf = 3, .stride_w = 2, .groups = 2});
  const auto made = plan(problem, std::string("tile=8,gemm=cublas,multiplications=") + (three ? "3" : "4"));
  const std::int64_t phases = made->stages()[0].axes[2].extent;
  const Spectra spectra{made->stages()[0].axes[5].extent, 2, 3 * phases, 2,
                        2 * made->stages()[0].axes[3].extent * made->stages()[0].axes[4].extent};
  HostMemory memory = spectra.memory(three);
  for (const Stage& stage : made->stages())
    CHECK(memory.buffers[stage.id].size() * static_cast<std::size_t>(size_of(stage.dtype)) ==
          static_cast<std::size_t>(stage.bytes()));
  for (const gpu::Step& step : made->program()->steps)
    if (const auto* product = std::get_if<gpu::Gemm>(&step)) multiply(*product, memory);
  spectra.visit(spectra.outputs, spectra.tiles, [&](auto b, auto g, auto o, auto t) {
    Number sum = 0;
    for (std::int64_t c = 0; c < spectra.inputs; ++c) sum += spectra.x(b, g, c, t) * std::conj(spectra.w(b, g, c, o));
    REQUIRE(spectra.product(memory, three, b, g, o, t) == sum);
  });
}

TEST_CASE("fft.tc: every complex number is put together from the real ones that lie where it is said") {
  const bool three = GENERATE(false, true);
  const ConvProblem problem(
      {.n = 3, .ci = 6, .hi = 9, .wi = 13, .co = 4, .hf = 3, .wf = 3, .stride_w = 2, .groups = 2});
  const auto made = plan(problem, std::string("tile=8,multiplications=") + (three ? "3" : "4"));
  const std::span<const Stage> stages = made->stages();
  const std::int64_t phases = stages[0].axes[2].extent, t_h = stages[0].axes[3].extent, t_w = stages[0].axes[4].extent;
  const Spectra spectra{stages[0].axes[5].extent, 2, 3 * phases, 2, 3 * t_h * t_w};
  HostMemory memory = spectra.memory(three);
  for (const gpu::Step& step : made->program()->steps)
    if (const auto* product = std::get_if<gpu::Gemm>(&step)) multiply(*product, memory);
  const auto number = [&](const Stage& stage, const Coord& cell) {
    REQUIRE(gpu::in_parts(*made, stage));
    const gpu::ComplexParts parts = gpu::parts_of(*made, stage, cell);
    const auto sum = [&](const std::vector<gpu::RealNumber>& of) {
      double total = 0;
      for (const auto& [offset, factor] : of)
        total += factor * static_cast<double>(memory.buffers.at(stage.id).at(static_cast<std::size_t>(offset)));
      return total;
    };
    return Number{sum(parts.re), sum(parts.im)};
  };
  const auto tile = [&](std::int64_t n, std::int64_t i, std::int64_t j) { return (n * t_h + i) * t_w + j; };
  for_each_cell(stages[0], [&](const Coord& at) {
    const auto [n, c, f, i, j, b] = at;
    REQUIRE(number(stages[0], at) == spectra.x(b, c / 3, c % 3 * phases + f, tile(n, i, j)));
  });
  for_each_cell(stages[1], [&](const Coord& at) {
    REQUIRE(number(stages[1], at) == spectra.w(at[3], at[0] / 2, at[1] * phases + at[2], at[0] % 2));
  });
  for_each_cell(stages[2], [&](const Coord& at) {
    const auto [n, o, i, j, b, e] = at;
    REQUIRE(number(stages[2], at) == spectra.product(memory, three, b, o / 2, o % 2, tile(n, i, j)));
  });
  CHECK(gpu::entry_text(*made, stages[0], {}) == "");
  CHECK(gpu::entry_text(*made, stages[1], {0, 0, 0, 0, 1}) == (three ? "c + d" : "(d, c)"));
  CHECK(gpu::entry_text(*made, stages[2], {0, 0, 0, 0, 0, 2}) == (three ? "r" : ""));
}

TEST_CASE("fft.tc: spectra take half the bytes, products stay in single precision, and scales are kept") {
  const ConvProblem problem({.n = 2, .ci = 16, .hi = 30, .wi = 30, .co = 8, .hf = 3, .wf = 3});
  const auto made = plan(problem, "tile=16");
  const std::int64_t bins = 16 * 8 + 2, tiles = made->stages()[0].axes[3].extent * made->stages()[0].axes[4].extent;
  CHECK(made->stages()[0].bytes() == bins * 16 * 2 * tiles * 2 * 2);
  CHECK(made->stages()[1].bytes() == bins * 16 * 8 * 2 * 2 * 2);  // four entries a bin
  CHECK(made->stages()[2].bytes() == bins * 8 * 2 * tiles * 2 * 4);
  for (const Buffer& buffer : made->workspace()) {
    if (buffer.name == "tile_exponents") CHECK(buffer.bytes == 2 * tiles * 4);
    if (buffer.name == "filter_exponents") CHECK(buffer.bytes == 8 * 4);
  }
}

TEST_CASE("fft.tc: what short spectra cost is in its promises") {
  const ConvProblem problem({.n = 1, .ci = 2, .hi = 6, .wi = 6, .co = 2, .hf = 3, .wf = 3});
  const auto bound_of = [&](const std::string& options, DType dtype, double size) {
    const std::vector<double> x(2 * 36, size), w(36, 1), sums(32, 18 * size);
    std::vector<double> bound(32);
    plan(problem, options, dtype)
        ->error_model()
        .worst_case({problem,
                     {x.data(), problem.x_shape(), dense_strides(Layout::NCHW, problem.x_shape())},
                     {w.data(), problem.w_shape(), dense_strides(FilterLayout::OIHW, problem.w_shape())},
                     sums},
                    bound);
    return bound[0];
  };
  const double products = 2 * 6 * 3;  // Σ_c ‖x_c‖·‖w_c‖
  CHECK(bound_of("tile=8", DType::f16, 1) > 2 * 0x1p-11 * products);
  CHECK(bound_of("tile=8", DType::f16, 1) < 2.2 * 0x1p-11 * products);
  CHECK(bound_of("tile=8", DType::bf16, 1) > 7 * bound_of("tile=8", DType::f16, 1));
  CHECK(bound_of("tile=8,multiplications=3", DType::f16, 1) > 3.9 * bound_of("tile=8", DType::f16, 1));
  // Scaled for each tile: a small input loses no more than a large one.
  CHECK(bound_of("tile=8", DType::f16, 0x1p-14) == Approx(0x1p-14 * bound_of("tile=8", DType::f16, 1)));
  CHECK(plan(problem, "tile=8")->error_model().exact.made);
  const ConvProblem deep({.n = 1, .ci = 512, .hi = 6, .wi = 6, .co = 2, .hf = 3, .wf = 3});
  CHECK_FALSE(plan(deep, "tile=8", DType::bf16)->error_model().exact.made);
}

TEST_CASE("fft.tc: TF32 is asked for by name, and by cuBLAS only") {
  const ConvProblem problem({.n = 2, .ci = 16, .hi = 30, .wi = 30, .co = 8, .hf = 3, .wf = 3});
  const auto short_ones = plan(problem, "tile=16"), tf32 = plan(problem, "tile=16,spectra=tf32");
  CHECK(tf32->stages()[0].bytes() == 2 * short_ones->stages()[0].bytes());
  for (const auto& made : {short_ones, tf32})
    for (const gpu::Step& step : made->program()->steps)
      if (const auto* product = std::get_if<gpu::Gemm>(&step)) CHECK(product->tf32 == (made == tf32));
  const Support support = gpu::fft_tc().supports(
      complete(gpu::fft_tc(), {.problem = problem,
                               .dtype = DType::f16,
                               .options = OptionSet::parse("spectra=tf32,gemm=own", gpu::fft_tc().options)}));
  CHECK(support.reason == "spectra: tf32, needs gemm=cublas, as the own GEMM multiplies f16 and bf16");
  REQUIRE(support.nearest);
  CHECK(gpu::fft_tc().supports(*support.nearest));
}

TEST_CASE("fft.tc refuses what it cannot do in words") {
  const ConvProblem problem({.n = 1, .ci = 1, .hi = 90, .wi = 90, .co = 1, .hf = 40, .wf = 3});
  const auto asked = [](const ConvProblem& of, DType dtype) {
    return complete(gpu::fft_tc(),
                    {.problem = of, .dtype = dtype, .options = OptionSet::parse("", gpu::fft_tc().options)});
  };
  const Support support = gpu::fft_tc().supports(asked(problem, DType::f16));
  CHECK(support.reason == "fft: tile 32, must be ≥ the extent of the dilated filter's phases 40x3");
  CHECK_FALSE(support.nearest);
  CHECK_THAT(gpu::fft_tc().supports(asked(problem, DType::f32)).reason,
             Contains("must be f16 or bf16 on tensor cores"));
}
