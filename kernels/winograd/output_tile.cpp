#include "kernels/winograd/output_tile.h"

#include <algorithm>
#include <limits>

#include "algorithms/winograd/nested.h"
#include "algorithms/winograd/winograd_passes.h"

namespace convlens::gpu {

namespace {

// Points an axis, for m = auto. With 8 of them FP32 keeps five digits. Short V and U leave an error of 0.5 % of y's
// root mean square then, which on sums of small integers is more than the 1/4 that they must be told apart by; with 5
// not.
constexpr std::int64_t kMostPoints = 8, kMostShortPoints = 5;

// What a call goes through in a second, fitted to 34 calls of winograd.tc on an H200, of every m up to 6: they give its
// time to 5 % r.m.s. (kernels/PERFORMANCE.md). Products on tensor cores overlap the reading of what they multiply, and
// seem faster than they can be; on CUDA cores they take their own time.
constexpr double kTensorProducts = 1150e12, kProducts = 53e12, kTransforms = 19.4e12;  // FLOPs
constexpr double kBytes = 4.67e12;

Request with_m(Request request, std::int64_t m) {
  request.options.set("m", std::to_string(m));
  request.options.set("stored", on_tensor_cores(request) ? "tensor" : "accumulator");
  request.options.set("fuse", fused(request) ? "on" : "off");
  return request;
}

// Seconds, about: the products, the transforms, and V, U and M written and read once.
double cost(const Request& request) {
  const ConvProblem& p = request.problem;
  const Nested f = nest(request);
  const Transforms<float> transforms(f);
  const auto tiles = static_cast<double>(p.n() * f.tiles()), points = static_cast<double>(f.products());
  const auto ci = static_cast<double>(p.ci()), co = static_cast<double>(p.co());
  const auto taps = static_cast<double>(p.co() * p.ci_per_group());
  const double stored = on_tensor_cores(request) ? 2 : 4;  // bytes
  const double products = 2 * points * tiles * taps;
  const double transformed = tiles * ci * static_cast<double>(transforms.input.flops()) +
                             taps * static_cast<double>(transforms.filter.flops()) +
                             tiles * co * static_cast<double>(transforms.output.flops());
  const double bytes = 2 * points * (stored * (tiles * ci + taps) + 4 * tiles * co);
  return products / (on_tensor_cores(request) ? kTensorProducts : kProducts) + transformed / kTransforms +
         bytes / kBytes;
}

}  // namespace

bool on_tensor_cores(const Request& request) { return size_of(request.dtype) == 2; }

bool fused(const Request& request) {
  return request.options.values().contains("fuse") && request.options.is("fuse", "on");
}

Request with_output_tile(const Request& request) {
  if (!request.options.is("m", "auto")) return with_m(request, request.options.integer("m"));
  Request best = with_m(request, 2);
  if (fused(request) || !request.options.is("points", "auto")) return best;
  const std::int64_t r = std::max(request.problem.hf(), request.problem.wf());
  double least = std::numeric_limits<double>::infinity();
  const std::int64_t most = on_tensor_cores(request) ? kMostShortPoints : kMostPoints;
  for (std::int64_t m = 2; m + r - 1 <= most; ++m) {
    const Request asked = with_m(request, m);
    if (const double needed = cost(asked); needed < least) least = needed, best = asked;
  }
  return best;
}

}  // namespace convlens::gpu
