#include "kernels/vendor/cudnn_error.h"

#include <algorithm>
#include <bit>

#include "algorithms/fft/fft_error.h"
#include "algorithms/winograd/winograd_error.h"
#include "algorithms/winograd/winograd_rules.h"
#include "kernels/common/tensor_core_sums.h"

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

// cuDNN tells neither its tiles nor its points. The bound is that of F(4×4, 3×3) and F(6×6, 5×5) with our points, and
// with f32 in between: its error in f16 is that of rounding the output.
ErrorModel winograd_bound(const Request& request) {
  const std::int64_t taps = std::max(request.problem.hf(), request.problem.wf());
  Request as_ours = request;
  as_ours.options = OptionSet::parse(taps <= 3 ? "m=4" : "m=6", winograd_options());
  ErrorModel model =
      winograd_error_model(request.problem, request.dtype, std::make_shared<const Nested>(nest(as_ours)));
  model.exact.made = false;
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
  return tensor_core_sums(request.problem, request.dtype);
}

}  // namespace convlens::gpu
