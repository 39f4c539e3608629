// cuDNN's rows as they are described: what they are, what they refuse in words, and what they say without a GPU.
#include "kernels/vendor/cudnn.h"

#include <algorithm>
#include <iostream>

#include "algorithms/check/fuzz.h"
#include "algorithms/error.h"
#include "kernels/program.h"
#include "kernels/runtime.h"
#include "kernels/vendor/cudnn_error.h"
#include "tests/catch.h"

namespace convlens::gpu {

namespace {

const Algorithm& row(const std::string& id) {
  for (const Algorithm* row : cudnn_rows())
    if (row->id == id) return *row;
  throw BadInput("row: " + id + ", not among cuDNN's");
}

const ConvSpec kLayer{.n = 2, .ci = 3, .hi = 7, .wi = 9, .co = 2, .hf = 3, .wf = 3};

std::string reason(const std::string& id, const Request& request) { return row(id).supports(request).reason; }

// The largest bound of a layer whose every x and w is one.
double bound_of_ones(const ConvSpec& spec, DType dtype, VendorAnswer::Method method) {
  const ConvProblem problem(spec);
  Request request{problem};
  request.dtype = dtype;
  const ErrorModel model = cudnn_error_model(request, method, true);
  const std::vector<double> x(static_cast<std::size_t>(elements(problem.x_shape())), 1.0);
  const std::vector<double> w(static_cast<std::size_t>(elements(problem.w_shape())), 1.0);
  const auto outputs = static_cast<std::size_t>(elements(problem.y_shape()));
  const std::vector<double> sums(outputs, static_cast<double>(problem.reduction()));
  std::vector<double> bound(outputs, -1.0);
  model.worst_case({problem,
                    {x.data(), problem.x_shape(), dense_strides(Layout::NCHW, problem.x_shape())},
                    {w.data(), problem.w_shape(), dense_strides(FilterLayout::OIHW, problem.w_shape())},
                    sums},
                   bound);
  CHECK(std::ranges::min(bound) > 0);
  return std::ranges::max(bound);
}

}  // namespace

TEST_CASE("cuDNN has a row for its fastest engine and for each algorithm of the legacy interface") {
  std::vector<std::string> ids;
  for (const Algorithm* row : cudnn_rows()) {
    ids.push_back(row->id);
    CHECK(row->vendor);
    CHECK(row->unit_for(DType::f32) == Unit::cc);
    CHECK(row->unit_for(DType::f16) == Unit::tc);
    CHECK(row->unit_for(DType::bf16) == Unit::tc);
  }
  CHECK(ids == std::vector<std::string>{"cudnn.best", "cudnn.implicit_gemm", "cudnn.implicit_precomp_gemm",
                                        "cudnn.gemm", "cudnn.direct", "cudnn.fft", "cudnn.fft_tiling", "cudnn.winograd",
                                        "cudnn.winograd_nonfused"});
}

TEST_CASE("without a GPU cuDNN's rows are planned, and say that only a GPU can tell more") {
  if (why_no_runtime().empty() && runtime().why_no_device().empty()) {
    std::cout << "SKIP: there is a GPU\n";
    return;
  }
  for (const Algorithm* row : cudnn_rows()) {
    INFO(row->id);
    const std::shared_ptr<const Plan> plan = row->plan(Request{ConvProblem(kLayer)});
    REQUIRE(plan->stages().size() == 1);
    CHECK(plan->stages()[0].map == nullptr);
    CHECK(plan->notes()[0].starts_with("needs a GPU to say whether cuDNN computes this layer"));
    REQUIRE(plan->program()->steps.size() == 1);
    CHECK(std::get<VendorCall>(plan->program()->steps[0]).library == "cudnn");

    std::vector<float> x(2 * 3 * 7 * 9), w(2 * 3 * 3 * 3), y(2 * 2 * 5 * 7);
    const auto view = [](std::vector<float>& data, const Shape& shape) {
      return TensorView{data.data(), DType::f32, shape, dense_strides(Layout::NCHW, shape), {Place::Kind::device, 0}};
    };
    const ConvProblem& p = plan->problem();
    CHECK_THROWS_AS(plan->run({view(x, p.x_shape()), view(w, p.w_shape()), {}, view(y, p.y_shape())}, {}), NoDevice);
  }
}

TEST_CASE("an empty batch asks cuDNN nothing") {
  ConvSpec spec = kLayer;
  spec.n = 0;
  for (const Algorithm* row : cudnn_rows()) CHECK(row->plan(Request{ConvProblem(spec)})->workspace_bytes() == 0);
}

TEST_CASE("cuDNN's rows refuse in words what they have no call for") {
  const auto request = [](auto change) {
    ConvSpec spec = kLayer;
    change(spec);
    return Request{ConvProblem(spec)};
  };
  Request doubles = request([](ConvSpec&) {}), mixed = doubles, chwn = doubles;
  doubles.dtype = DType::f64;
  mixed.layouts = {Layout::NHWC, FilterLayout::OIHW, Layout::NHWC};
  chwn.layouts.x = chwn.layouts.y = Layout::CHWN;
  for (const Algorithm* row : cudnn_rows()) {
    CHECK(row->supports(doubles).reason == "dtype: f64, must be f32, f16 or bf16 for cuDNN");
    CHECK(row->supports(mixed).reason == "layout: NHWC,OIHW,NHWC, must be NCHW,OIHW,NCHW or NHWC,OHWI,NHWC for cuDNN");
    CHECK(row->supports(chwn).reason == "layout: CHWN,OIHW,CHWN, must be NCHW,OIHW,NCHW or NHWC,OHWI,NHWC for cuDNN");
  }
  const Request uneven = request([](ConvSpec& s) { s.pad_bottom = 1; });
  CHECK(reason("cudnn.gemm", uneven) ==
        "padding: top 0, bottom 1, left 0, right 0, must be the same on opposite sides in cuDNN's legacy interface");
  CHECK(row("cudnn.gemm").supports(uneven).nearest->problem.spec().pad_top == 1);
  CHECK(reason("cudnn.fft", request([](ConvSpec& s) { s.bias = true; })) ==
        "bias: given, must be left out: cudnnConvolutionForward adds none before it rounds");
  CHECK(reason("cudnn.winograd", request([](ConvSpec& s) { s.stride_w = 2; })) ==
        "stride 1x2 and dilation 1x1, must be 1 for cuDNN's Winograd");
  CHECK(reason("cudnn.winograd", request([](ConvSpec& s) { s.hf = s.wf = 5; })) ==
        "filter: 5x5, must be 3x3 for cuDNN's Winograd");
  CHECK(reason("cudnn.winograd_nonfused", request([](ConvSpec& s) { s.hf = 1; })) ==
        "filter: 1x3, must be 3x3 or 5x5 for cuDNN's Winograd");
}

TEST_CASE("cuDNN's rows plan any problem, or refuse it in words") {
  const bool on_gpu = why_no_runtime().empty() && runtime().why_no_device().empty();
  const std::uint64_t problems = on_gpu ? 40 : 300;  // there cuDNN's engines are tried and timed, which takes seconds
  for (const Algorithm* row : cudnn_rows())
    for (std::uint64_t index = 0; index < problems; ++index) {
      const Request request = random_request(*row, random_problem(5, index), 5, index);
      const Support support = row->supports(request);
      INFO(row->id << " on problem " << index);
      CHECK(support.ok == support.reason.empty());
      if (support.nearest) CHECK(row->supports(*support.nearest).ok);
    }
}

TEST_CASE("bounds of cuDNN's rows follow the method that cuDNN names") {
  using Method = VendorAnswer::Method;
  const double u = unit_roundoff(DType::f32), k = 27;
  CHECK(bound_of_ones(kLayer, DType::f32, Method::sums) == Approx(k * k * u).epsilon(1e-3));
  CHECK(bound_of_ones(kLayer, DType::f16, Method::sums) == Approx(4 * k * k * u).epsilon(1e-3));
  // Of ones, 4 products of norms 8 and 3 are worth more than 27 sums of 27.
  CHECK(bound_of_ones(kLayer, DType::f32, Method::fft) > k * k * u);
  CHECK(bound_of_ones(kLayer, DType::f32, Method::winograd) > k * k * u);
  ConvSpec wide = kLayer;
  wide.hf = wide.wf = 5;
  CHECK(bound_of_ones(wide, DType::f32, Method::winograd) > 10 * bound_of_ones(kLayer, DType::f32, Method::winograd));
  // Of 7×7 outputs the outermost read nothing but padding: they are off all the same, as tiles are 9×9.
  CHECK(
      bound_of_ones({.hi = 1, .wi = 1, .hf = 5, .wf = 5, .pad_top = 5, .pad_bottom = 5, .pad_left = 5, .pad_right = 5},
                    DType::f32, Method::winograd) > 0);
}

}  // namespace convlens::gpu
