// fft.tc on a GPU: what lies in its buffers where kernels/fft/fft_parts.h says, its powers of two undone, are the
// spectra of the definition.
#include "kernels/fft/fft.h"
#include "kernels/fft/fft_parts.h"
#include "tests/fft/spectra_definition.h"
#include "tests/kernels/fft_run_on_gpu.h"

using namespace fft_test;
using namespace convlens::gpu;
using namespace convlens::testing;

namespace {

double number_at(const Workspace& workspace, const Stage& stage, std::int64_t offset) {
  if (stage.dtype == DType::f16) return static_cast<double>(static_cast<float>(workspace.get<f16>(stage.id)[offset]));
  if (stage.dtype == DType::bf16) return static_cast<double>(static_cast<float>(workspace.get<bf16>(stage.id)[offset]));
  return static_cast<double>(workspace.get<float>(stage.id)[offset]);
}

}  // namespace

TEST_CASE("fft.tc on a GPU: the parts of every number make the spectra of the definition", "[gpu]") {
  if (no_gpu()) return;
  const auto [options, dtype] = GENERATE(table<std::string, DType>({{"sizes=runtime", DType::f16},
                                                                    {"sizes=runtime,multiplications=3", DType::bf16},
                                                                    {"sizes=runtime,stride=dense", DType::bf16},
                                                                    {"sizes=runtime,spectra=tf32", DType::f16},
                                                                    {"sizes=runtime,gemm=own,tile=16", DType::f16}}));
  const Layout layout = GENERATE(Layout::NCHW, Layout::NHWC);
  Dice dice{37};
  int compared = 0;
  for (int number = 0; number < 8; ++number) {
    Request request{.problem = random_problem(dice), .dtype = dtype};
    request.layouts = {layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout};
    request.options = OptionSet::parse(options, fft_tc().options);
    request.place = kGpu;
    request = complete(fft_tc(), request);
    if (!fft_tc().supports(request)) continue;
    const auto plan = fft_tc().plan(request);
    Tensors t(request);
    t.fill_uniform(50 + static_cast<std::uint64_t>(number));
    std::vector<std::byte> memory = run_on_gpu(*plan, t);
    const Workspace workspace(memory, plan->workspace());
    const auto* tile_exponents = workspace.get<int>("tile_exponents");
    const auto* filter_exponents = workspace.get<int>("filter_exponents");
    const SpectraDefinition definition(
        *plan, [&](auto... at) { return element(t.x.view(), at...); },
        [&](auto... at) { return element(t.w.view(), at...); });
    const std::int64_t t_h = plan->stages()[0].axes[3].extent, t_w = plan->stages()[0].axes[4].extent;
    for (int sample = 0; sample < 60; ++sample) {
      const Stage& stage = plan->stages()[static_cast<std::size_t>(sample % 3)];
      Coord cell{};
      for (std::size_t axis = 0; axis < stage.axes.size(); ++axis) cell[axis] = dice(0, stage.axes[axis].extent - 1);
      const std::size_t row = sample % 3 == 2 ? 2 : 3;  // of the tile, on the axes of X̂ and Ŷ
      const std::int64_t tile = (cell[0] * t_h + cell[row]) * t_w + cell[row + 1];
      const std::int64_t output = sample % 3 == 2 ? cell[1] : cell[0];
      const int exponent =
          (sample % 3 != 1 ? tile_exponents[tile] : 0) + (sample % 3 != 0 ? filter_exponents[output] : 0);
      const auto sum = [&](const std::vector<RealNumber>& numbers) {
        double total = 0;
        for (const auto& [offset, factor] : numbers) total += factor * number_at(workspace, stage, offset);
        return std::ldexp(total, -exponent);
      };
      const ComplexParts parts = parts_of(*plan, stage, cell);
      const std::complex<double> stored{sum(parts.re), sum(parts.im)};
      CAPTURE(number, options, stage.id);
      // Elements are below 1: a tile has at most 1024, a filter 25, and as many a channel and phase of a product.
      const double largest = sample % 3 == 0 ? 64 : sample % 3 == 1 ? 10 : 640 * std::sqrt(9.0 * 16);
      REQUIRE(std::abs(stored - definition.of(stage, cell)) < 4 * unit_roundoff(dtype) * largest);
      ++compared;
    }
  }
  CHECK(compared >= 200);
}
