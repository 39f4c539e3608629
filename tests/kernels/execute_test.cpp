// Programs executed on a GPU: kernels, matrix products and transforms, against the host's arithmetic.
#include <cmath>
#include <complex>
#include <future>
#include <numbers>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/tensor/numbering.h"
#include "algorithms/tensor/random.h"
#include "kernels/direct/direct.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"

using namespace convlens;
using namespace convlens::gpu;
using namespace convlens::testing;
using Catch::Matchers::Contains;

namespace {

const ConvProblem& ragged() {
  static const ConvProblem problem({.n = 3,
                                    .ci = 6,
                                    .hi = 13,
                                    .wi = 17,
                                    .co = 10,
                                    .hf = 3,
                                    .wf = 5,
                                    .stride_h = 2,
                                    .pad_top = 1,
                                    .pad_left = 2,
                                    .pad_right = 3,
                                    .dilation_h = 2,
                                    .groups = 2,
                                    .bias = true});
  return problem;
}

Tensor random_tensor(auto layout, const Shape& shape, std::uint64_t seed) {
  Tensor tensor(DType::f32, layout, shape);
  fill(tensor.view(), [&](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
    return random_uniform(seed, static_cast<std::uint64_t>(number_of({n, c, h, w}, shape)));
  });
  return tensor;
}

// A program of one step between x (the first operand), w (the second) and y, with a buffer "work".
struct OneStep {
  OneStep(Step step, std::int64_t work_bytes) : work(first_gpu(), work_bytes), buffer{"work", work_bytes, 0} {
    const Request request{.problem = ragged()};
    std::vector<Step> steps{std::move(step)};
    program = std::make_shared<const Program>(Program{request, std::move(steps)});
  }

  void run(const Tensor& a, const Tensor& b, Tensor& c) const {
    const GpuTensor x(a), w(b), y(c);
    runtime().execute(program, {.x = x.view(), .w = w.view(), .bias = {}, .y = y.view()},
                      Workspace(work.span(), {&buffer, 1}), {});
    first_gpu().synchronize();
    y.download(c);
  }

  DeviceBuffer work;
  Buffer buffer;
  std::shared_ptr<const Program> program;
};

float at(const Tensor& t, std::int64_t k) { return static_cast<const float*>(t.view().data)[k]; }

}  // namespace

TEST_CASE("direct.cc on a GPU is the definition, in every layout, by many threads at once", "[gpu]") {
  if (no_gpu()) return;
  const Layouts layouts = GENERATE(Layouts{Layout::NCHW, FilterLayout::OIHW, Layout::NCHW},
                                   Layouts{Layout::NHWC, FilterLayout::OHWI, Layout::NHWC},
                                   Layouts{Layout::CHWN, FilterLayout::OIHW, Layout::CHWN});
  const std::string sizes = GENERATE("constant", "runtime");
  const ConvProblem& p = ragged();
  const Tensor x = random_tensor(layouts.x, p.x_shape(), 11), w = random_tensor(layouts.w, p.w_shape(), 12);
  const Tensor bias = random_tensor(Layout::NCHW, {p.co(), 1, 1, 1}, 13);
  Tensor expected(DType::f32, layouts.y, p.y_shape());
  const auto on_host = find_algorithm("direct.ref").plan({.problem = p, .layouts = layouts});
  on_host->run(
      {.x = x.view(), .w = w.view(), .bias = {bias.view().data, DType::f32, p.co(), 1, {}}, .y = expected.view()}, {});

  const auto plan = direct_cc().plan({.problem = p,
                                      .layouts = layouts,
                                      .options = OptionSet::parse("sizes=" + sizes, direct_cc().options),
                                      .place = kGpu});
  first_gpu().prepare(*plan);
  const GpuTensor gx(x), gw(w), gbias(bias);
  const auto work = [&] {
    for (int k = 0; k < 5; ++k) {
      const GpuTensor gy(DType::f32, layouts.y, p.y_shape());
      const DeviceBuffer workspace(first_gpu(), plan->workspace_bytes());
      plan->run(
          {.x = gx.view(), .w = gw.view(), .bias = {gbias.view().data, DType::f32, p.co(), 1, kGpu}, .y = gy.view()},
          workspace.span());
      Tensor y(DType::f32, layouts.y, p.y_shape());
      gy.download(y);
      double worst = 0;
      for (std::int64_t i = 0; i < y.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(at(y, i)) - at(expected, i)));
      if (!(worst < 1e-5)) throw std::runtime_error("off by " + std::to_string(worst));
    }
  };
  std::vector<std::future<void>> threads;
  for (int t = 0; t < 4; ++t) threads.push_back(std::async(std::launch::async, work));
  for (auto& thread : threads) CHECK_NOTHROW(thread.get());
}

TEST_CASE("matrix products are row-major, transposed, batched and accumulated as asked, in full f32", "[gpu]") {
  if (no_gpu()) return;
  const bool transpose_a = GENERATE(false, true), transpose_b = GENERATE(false, true);
  const bool accumulate = GENERATE(false, true);
  const std::int64_t batch = GENERATE(1, 3);
  constexpr std::int64_t m = 37, n = 53, k = 129, pad = 5;  // rows lie `pad` elements apart
  const std::int64_t a_rows = transpose_a ? k : m, a_columns = transpose_a ? m : k;
  const std::int64_t b_rows = transpose_b ? n : k, b_columns = transpose_b ? k : n;
  const Tensor a = random_tensor(Layout::NCHW, {1, batch, a_rows, a_columns + pad}, 1);
  const Tensor b = random_tensor(Layout::NCHW, {1, batch, b_rows, b_columns + pad}, 2);
  Tensor c = random_tensor(Layout::NCHW, {1, batch, m, n + pad}, 3);
  const Tensor before = converted(c.view(), DType::f32, Layout::NCHW);
  const OneStep gemm(Gemm{.sentence = "multiplies",
                          .m = m,
                          .n = n,
                          .k = k,
                          .batch = batch,
                          .a = x(),
                          .b = w(),
                          .c = y(),
                          .lda = a_columns + pad,
                          .ldb = b_columns + pad,
                          .ldc = n + pad,
                          .batch_a = a_rows * (a_columns + pad),
                          .batch_b = b_rows * (b_columns + pad),
                          .batch_c = m * (n + pad),
                          .transpose_a = transpose_a,
                          .transpose_b = transpose_b,
                          .accumulate = accumulate,
                          .workspace = "work",
                          .workspace_bytes = 4 << 20},
                     4 << 20);
  gemm.run(a, b, c);
  double worst = 0;
  for (std::int64_t t = 0; t < batch; ++t)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n + pad; ++j) {
        const std::int64_t place = (t * m + i) * (n + pad) + j;
        double sum = j < n && !accumulate ? 0 : at(before, place), scale = 1;
        for (std::int64_t q = 0; q < k && j < n; ++q) {
          const double product =
              static_cast<double>(element(a.view(), 0, t, transpose_a ? q : i, transpose_a ? i : q)) *
              element(b.view(), 0, t, transpose_b ? j : q, transpose_b ? q : j);
          sum += product, scale += std::abs(product);
        }
        worst = std::max(worst, std::abs(at(c, place) - sum) / scale);
      }
  CHECK(worst < 129 * 0x1p-24);  // TF32 would be off by 2⁻¹¹
}

TEST_CASE("complex products conjugate", "[gpu]") {
  if (no_gpu()) return;
  const bool conjugate_a = GENERATE(false, true), conjugate_b = GENERATE(false, true);
  constexpr std::int64_t m = 5, n = 7, k = 11, batch = 4;
  const bool transpose_a = conjugate_a, transpose_b = conjugate_b;
  const Tensor a = random_tensor(Layout::NCHW, {batch, transpose_a ? k : m, transpose_a ? m : k, 2}, 1);
  const Tensor b = random_tensor(Layout::NCHW, {batch, transpose_b ? n : k, transpose_b ? k : n, 2}, 2);
  Tensor c(DType::f32, Layout::NCHW, {batch, m, n, 2});
  const OneStep gemm(Gemm{.sentence = "multiplies",
                          .m = m,
                          .n = n,
                          .k = k,
                          .batch = batch,
                          .a = x(),
                          .b = w(),
                          .c = y(),
                          .lda = transpose_a ? m : k,
                          .ldb = transpose_b ? k : n,
                          .ldc = n,
                          .batch_a = m * k,
                          .batch_b = k * n,
                          .batch_c = m * n,
                          .transpose_a = transpose_a,
                          .transpose_b = transpose_b,
                          .conjugate_a = conjugate_a,
                          .conjugate_b = conjugate_b,
                          .complex = true,
                          .workspace = "work",
                          .workspace_bytes = 4 << 20},
                     4 << 20);
  gemm.run(a, b, c);
  const auto number = [](const Tensor& t, std::int64_t place) {
    return std::complex<double>(at(t, 2 * place), at(t, 2 * place + 1));
  };
  double worst = 0;
  for (std::int64_t t = 0; t < batch; ++t)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        std::complex<double> sum = 0;
        for (std::int64_t q = 0; q < k; ++q) {
          const auto left = number(a, t * m * k + (transpose_a ? q * m + i : i * k + q));
          const auto right = number(b, t * k * n + (transpose_b ? j * k + q : q * n + j));
          sum += (conjugate_a ? std::conj(left) : left) * (conjugate_b ? std::conj(right) : right);
        }
        worst = std::max(worst, std::abs(number(c, (t * m + i) * n + j) - sum));
      }
  CHECK(worst < 1e-5);
}

TEST_CASE("transforms are unscaled, dense, and invert each other", "[gpu]") {
  if (no_gpu()) return;
  const std::int64_t rows = GENERATE(8, 30), columns = GENERATE(32, 31);
  constexpr std::int64_t batch = 6;
  const std::int64_t bins = columns / 2 + 1;
  Fft forward{.sentence = "transforms",
              .direction = Fft::Direction::real_to_complex,
              .rows = rows,
              .columns = columns,
              .batch = batch,
              .in = x(),
              .out = y(),
              .workspace = "work",
              .workspace_bytes = 0};
  forward.workspace_bytes = runtime().fft_workspace_bytes(forward);
  const Tensor image = random_tensor(Layout::NCHW, {1, batch, rows, columns}, 5);
  Tensor spectrum(DType::f32, Layout::NCHW, {batch, rows, bins, 2});
  OneStep(forward, forward.workspace_bytes).run(image, image, spectrum);
  double worst = 0;
  for (std::int64_t u = 0; u < rows; ++u)
    for (std::int64_t v = 0; v < bins; ++v) {
      std::complex<double> sum = 0;
      for (std::int64_t h = 0; h < rows; ++h)
        for (std::int64_t w = 0; w < columns; ++w)
          sum += element(image.view(), 0, 2, h, w) *
                 std::polar(1.0, -2 * std::numbers::pi *
                                     (static_cast<double>(u * h) / static_cast<double>(rows) +
                                      static_cast<double>(v * w) / static_cast<double>(columns)));
      const std::complex<double> got(element(spectrum.view(), 2, u, v, 0), element(spectrum.view(), 2, u, v, 1));
      worst = std::max(worst, std::abs(got - sum));
    }
  CHECK(worst < 1e-4);

  Fft backward = forward;
  backward.direction = Fft::Direction::complex_to_real;
  backward.workspace_bytes = runtime().fft_workspace_bytes(backward);
  Tensor again(DType::f32, Layout::NCHW, image.shape());
  OneStep(backward, backward.workspace_bytes).run(spectrum, spectrum, again);
  double off = 0;
  for (std::int64_t k = 0; k < again.size(); ++k)
    off = std::max(off, std::abs(at(again, k) / static_cast<double>(rows * columns) - at(image, k)));
  CHECK(off < 1e-6);
}

TEST_CASE("what a GPU cannot do is refused in one line, and the next program runs", "[gpu]") {
  if (no_gpu()) return;
  const auto plan = direct_cc().plan({.problem = ragged(), .place = kGpu});
  Launch launch = std::get<Launch>(plan->program()->steps.front());
  const std::string kernel = launch.kernel.entry;
  launch.shared_bytes = 1 << 20;
  const Tensor a = random_tensor(Layout::NCHW, {1, 1, 8, 8}, 1);
  Tensor c(DType::f32, Layout::NCHW, {1, 1, 8, 8});
  CHECK_THROWS_WITH(OneStep(launch, 1024).run(a, a, c),
                    Contains(kernel + ": 1048576 bytes of shared memory a block, must be ≤ ") && Contains(" on sm_"));
  launch.shared_bytes = 0;
  launch.block = {2048};
  CHECK_THROWS_WITH(OneStep(launch, 1024).run(a, a, c),
                    Contains(kernel + ": 2048 threads a block, must be ≤ 256 for its registers on sm_"));
  CHECK_THROWS_WITH(OneStep(Gemm{.sentence = "multiplies",
                                 .m = 8,
                                 .n = 8,
                                 .k = 8,
                                 .a = x(),
                                 .b = w(),
                                 .c = y(),
                                 .lda = 8,
                                 .ldb = 8,
                                 .ldc = 8,
                                 .workspace = "work",
                                 .workspace_bytes = 64},
                            1024)
                        .run(a, a, c),
                    Contains("workspace of a product: 64 bytes, must be ≥ "));
  CHECK_NOTHROW(first_gpu().synchronize());
}
