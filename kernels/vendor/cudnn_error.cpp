#include "kernels/vendor/cudnn_error.h"

#include <algorithm>
#include <bit>

#include "algorithms/fft/fft_error.h"
#include "algorithms/winograd/winograd_error.h"
#include "algorithms/winograd/winograd_rules.h"
#include "kernels/common/tensor_cores.h"

namespace convlens::gpu {

namespace {

ErrorModel fft_bound(const Request& request, bool whole_image) {
  constexpr std::int64_t kTile = 32;  // cuDNN's documentation: "splits the inputs into tiles"; its filters are ≤ 32
  const ConvProblem& p = request.problem;
  const auto points = [&](std::int64_t padded, std::int64_t extent) {
    const auto least = static_cast<std::uint64_t>(whole_image ? padded : std::max(kTile, extent));
    return static_cast<std::int64_t>(std::bit_ceil(std::max<std::uint64_t>(least, 4)));
  };
  const fft::Lengths lengths{points(p.padded_h(), p.extent_h()), points(p.padded_w(), p.extent_w())};
  return fft::error_model(p, request.dtype, lengths, Spread::image);
}

// cuDNN tells neither its tiles nor its points. Its workspace for cv5–cv12 is to the byte that of F(4×4, 3×3) and
// F(9×9, 5×5), each point's three matrices in f32, cuDNN has a numerical note for tiles of 13×13, and of 9×9 outputs
// the last row and column are furthest off. The points here are ours: of those tried for 9×9, the ones whose errors are
// like cuDNN's.
std::shared_ptr<const Nested> tiles_of(const Request& request) {
  const ConvProblem& p = request.problem;
  if (p.hf() != 5 || p.wf() != 5) {
    Request as_ours = request;
    as_ours.options = OptionSet::parse("m=4", winograd_options());
    return std::make_shared<const Nested>(nest(as_ours));
  }
  const CookToom f = cook_toom(9, 5, *parse_points("0,1,-1,2,-2,1/2,-1/2,3/2,-3/2,2/3,-2/3,-4"));
  return std::make_shared<const Nested>(Nested{.rows = {p.hi(), p.ho(), p.spec().pad_top, f.m, f.r},
                                               .columns = {p.wi(), p.wo(), p.spec().pad_left, f.m, f.r},
                                               .h = f,
                                               .w = f,
                                               .scaled_h = f});
}

// With f32 in between: its error in f16 is that of rounding the output. Random 3×3 layers used up to 1.09 of what our
// points would lose, so that cuDNN's are allowed twice that.
ErrorModel winograd_bound(const Request& request) {
  ErrorModel model = winograd_error_model(request.problem, request.dtype, tiles_of(request));
  model.exact.made = false;
  model.worst_case = [ours = std::move(model.worst_case)](const BoundInputs& inputs, std::span<double> bound) {
    ours(inputs, bound);
    for (double& of_output : bound) of_output *= 2;
  };
  return model;
}

}  // namespace

ErrorModel cudnn_error_model(const Request& request, VendorAnswer::Method method, bool whole_image) {
  switch (method) {
    case VendorAnswer::Method::fft:
      return fft_bound(request, whole_image);
    case VendorAnswer::Method::winograd:
      return winograd_bound(request);
    case VendorAnswer::Method::sums:
      break;
  }
  return tensor_core_sum_model(request.problem, request.dtype);
}

}  // namespace convlens::gpu
