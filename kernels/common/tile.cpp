#include "kernels/common/tile.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace convlens::gpu {

std::string TileShape::text() const {
  return std::to_string(m) + "x" + std::to_string(n) + "/" + std::to_string(thread_m) + "x" + std::to_string(thread_n);
}

std::optional<TileShape> TileShape::parse(std::string_view text) {
  TileShape shape;
  const std::array numbers{&shape.m, &shape.n, &shape.thread_m, &shape.thread_n};
  const std::string_view separators = "x/x";
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), *numbers[k]);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    if (k == separators.size()) break;
    if (text.empty() || text.front() != separators[k]) return std::nullopt;
    text.remove_prefix(1);
  }
  if (!text.empty()) return std::nullopt;
  return shape;
}

RowWindow::RowWindow(const Request& request, int images_across) : images_across(images_across) {
  const ConvSpec& s = request.problem.spec();
  const bool by_images = images_across > 0;
  const int stride = static_cast<int>(s.stride_w), reach = static_cast<int>(request.problem.extent_w());
  phases = !by_images && is_on(request, "swizzle") ? stride : 1;
  step = by_images ? stride : phases > 1 ? 4 : 4 * stride;
  const int overhang = phases > 1 ? (reach - 1) / stride : std::max(0, reach - stride);
  halo = by_images ? overhang : static_cast<int>(ceil_div(overhang, 4)) * 4;
  position_floats = by_images ? 4 * images_across : 1;
  const bool runs_of_images = by_images && request.layouts.x == Layout::CHWN && s.n % 4 == 0;
  copy_floats = runs_of_images && is_on(request, "vector_io") ? 4 : 1;
}

int channel_pitch(const Request& request, int stage_channels, int floats) {
  int pitch = static_cast<int>(ceil_div(floats, 4)) * 4;
  if (request.layouts.x == Layout::NHWC && stage_channels % 4 == 0) {
    const int lanes = stage_channels % 8 == 0 ? 8 : 4;  // as in kernels/common/fetch.cuh
    while (pitch % 32 != 32 / lanes) pitch += 4;
  }
  return pitch;
}

bool needs_checks(const ConvProblem& problem, int stage_channels) {
  const ConvSpec& s = problem.spec();
  return s.pad_top != 0 || s.pad_bottom != 0 || s.pad_left != 0 || s.pad_right != 0 ||
         problem.ci_per_group() % stage_channels != 0;
}

bool is_on(const Request& request, std::string_view option) { return request.options.is(option, "on"); }

}  // namespace convlens::gpu
