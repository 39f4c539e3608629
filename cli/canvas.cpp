#include "cli/canvas.h"

#include <stb_easy_font.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace convlens::cli {

namespace {

// stb_easy_font's vertex: a position and a colour. Four make a rectangle, clockwise from the upper left.
struct Vertex {
  float x, y, z;
  std::array<unsigned char, 4> colour;
};

}  // namespace

Rgb mix(Rgb a, Rgb b, double share_of_b) {
  const auto channel = [&](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(from + (to - from) * share_of_b));
  };
  return {channel(a.r, b.r), channel(a.g, b.g), channel(a.b, b.b)};
}

Canvas::Canvas(int width, int height, Rgb background)
    : width_(width), height_(height), pixels_(static_cast<std::size_t>(width * height), background) {}

void Canvas::fill(const Rect& rect, Rgb colour) {
  for (int y = std::max(0, rect.y); y < std::min(height_, rect.y + rect.height); ++y)
    for (int x = std::max(0, rect.x); x < std::min(width_, rect.x + rect.width); ++x)
      pixels_[static_cast<std::size_t>(y * width_ + x)] = colour;
}

void Canvas::frame(const Rect& r, int thickness, Rgb colour) {
  fill({r.x, r.y, r.width, thickness}, colour);
  fill({r.x, r.y + r.height - thickness, r.width, thickness}, colour);
  fill({r.x, r.y, thickness, r.height}, colour);
  fill({r.x + r.width - thickness, r.y, thickness, r.height}, colour);
}

void Canvas::line(int x0, int y0, int x1, int y1, Rgb colour) {
  const int steps = std::max({1, std::abs(x1 - x0), std::abs(y1 - y0)});
  for (int k = 0; k <= steps; ++k) fill({x0 + (x1 - x0) * k / steps, y0 + (y1 - y0) * k / steps, 2, 2}, colour);
}

void Canvas::text(int x, int y, int scale, Rgb colour, const std::string& line) {
  constexpr std::size_t kVerticesALetter = 4 * 16;  // more than any letter of the font has
  std::vector<Vertex> vertices(kVerticesALetter * (line.size() + 1));
  std::string copy = line;  // the library wants to be able to write into it, but doesn't
  const auto bytes = static_cast<int>(vertices.size() * sizeof(Vertex));
  const int quads = stb_easy_font_print(0, 0, copy.data(), nullptr, vertices.data(), bytes);
  for (int quad = 0; quad < quads; ++quad) {
    const Vertex& upper_left = vertices[static_cast<std::size_t>(4 * quad)];
    const Vertex& lower_right = vertices[static_cast<std::size_t>(4 * quad + 2)];
    const auto scaled = [&](float v) { return static_cast<int>(std::lround(v * static_cast<float>(scale))); };
    const int left = x + scaled(upper_left.x), top = y + scaled(upper_left.y);
    fill({left, top, x + scaled(lower_right.x) - left, y + scaled(lower_right.y) - top}, colour);
  }
}

int Canvas::text_width(int scale, const std::string& line) {
  std::string copy = line;
  return scale * stb_easy_font_width(copy.data());
}

void Canvas::picture(const Rect& rect, const Picture& picture) {
  const int height = static_cast<int>(picture.height), width = static_cast<int>(picture.width);
  for (int y = 0; y < rect.height; ++y)
    for (int x = 0; x < rect.width; ++x) {
      const int top = y * height / rect.height, left = x * width / rect.width;
      const int rows = std::max(1, (y + 1) * height / rect.height - top);
      const int columns = std::max(1, (x + 1) * width / rect.width - left);
      fill({rect.x + x, rect.y + y, 1, 1}, mean_colour(picture, {left, top, columns, rows}));
    }
}

Picture Canvas::result() const {
  Picture picture{height_, width_, 3, {}};
  for (const Rgb& pixel : pixels_)
    for (std::uint8_t value : {pixel.r, pixel.g, pixel.b})
      picture.samples.push_back(static_cast<std::uint16_t>(257 * value));
  return picture;
}

Rgb mean_colour(const Picture& picture, const Rect& rect) {
  std::array<double, 3> sum{};
  for (int y = rect.y; y < rect.y + rect.height; ++y)
    for (int x = rect.x; x < rect.x + rect.width; ++x)
      for (int c = 0; c < 3; ++c) sum[static_cast<std::size_t>(c)] += picture.at(y, x, c) / 257.0;
  const auto mean = [&](double s) { return static_cast<std::uint8_t>(std::lround(s / (rect.width * rect.height))); };
  return {mean(sum[0]), mean(sum[1]), mean(sum[2])};
}

}  // namespace convlens::cli
