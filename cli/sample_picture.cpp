// How the picture is drawn: `scene(x, y)` gives the colour of any point, in pixels from the upper left corner, layer
// over layer from the sky to the reeds; each pixel is the mean of 3×3 points.
#include "cli/sample_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "algorithms/tensor/random.h"

namespace convlens::cli {

namespace {

constexpr int kWidth = 512, kHeight = 384, kPointsPerSide = 3;
constexpr double kHorizon = 236, kPi = std::numbers::pi;

struct Colour {
  double r = 0, g = 0, b = 0;
  Colour operator+(Colour o) const { return {r + o.r, g + o.g, b + o.b}; }
  Colour operator*(double k) const { return {r * k, g * k, b * k}; }
};
struct Point {
  double x, y;
};

Colour mix(Colour a, Colour b, double t) { return a * (1 - t) + b * t; }
double clamp(double v) { return std::clamp(v, 0.0, 1.0); }
double smooth(double from, double to, double v) {
  const double t = clamp((v - from) / (to - from));
  return t * t * (3 - 2 * t);
}

double lattice(double x, double y, std::uint64_t seed) {
  const auto column = static_cast<std::uint64_t>(static_cast<std::int64_t>(x) + 4096);
  const auto row = static_cast<std::uint64_t>(static_cast<std::int64_t>(y) + 4096);
  return 0.5 + 0.5 * random_uniform(seed, row << 16 | column);
}

// Value noise: random numbers from 0 to 1 at integer points, smoothly joined.
double noise(double x, double y, std::uint64_t seed) {
  const double column = std::floor(x), row = std::floor(y), tx = smooth(0, 1, x - column), ty = smooth(0, 1, y - row);
  const auto at = [&](double dx, double dy) { return lattice(column + dx, row + dy, seed); };
  return std::lerp(std::lerp(at(0, 0), at(1, 0), tx), std::lerp(at(0, 1), at(1, 1), tx), ty);
}
double cloudy_noise(double x, double y, std::uint64_t seed) {
  double sum = 0, weight = 0.5;
  for (std::uint64_t octave = 0; octave < 4; ++octave, x *= 2, y *= 2, weight /= 2)
    sum += weight * noise(x, y, seed + octave);
  return sum;
}

// The sun, its glow, clouds, and single stars where it is dark enough.
constexpr Point kSun{322, 212};
Colour sky(double x, double y) {
  constexpr std::array<Colour, 4> stops{
      {{0.06, 0.09, 0.25}, {0.27, 0.20, 0.46}, {0.83, 0.40, 0.44}, {1.00, 0.76, 0.44}}};
  constexpr std::array<double, 4> at{0, 0.45, 0.80, 1};
  const double t = clamp(y / kHorizon);
  Colour colour = stops[3];
  for (std::size_t k = 3; k-- > 0;)
    if (t < at[k + 1]) colour = mix(stops[k], stops[k + 1], smooth(at[k], at[k + 1], t));

  const double column = std::floor(x / 14), row = std::floor(y / 14);
  const Point star{(column + 0.15 + 0.7 * lattice(column, row, 1)) * 14,
                   (row + 0.15 + 0.7 * lattice(column, row, 2)) * 14};
  if (y < 150 && lattice(column, row, 3) > 0.70)
    colour = mix(colour, {1, 0.97, 0.9},
                 (1 - smooth(0.4, 1.0, std::hypot(x - star.x, y - star.y))) * (1 - smooth(60, 150, y)));

  const double cloud = y > 30 ? smooth(0.50, 0.78, cloudy_noise(x / 95, y / 17, 10)) * smooth(30, 130, y) : 0;
  colour = mix(colour, mix({0.42, 0.26, 0.45}, {1.0, 0.62, 0.45}, smooth(90, 215, y)), 0.65 * cloud);

  const double from_sun = std::hypot(x - kSun.x, y - kSun.y);
  colour = colour + Colour{0.55, 0.30, 0.10} * std::exp(-from_sun / 52);
  return mix(colour, {1.0, 0.95, 0.76}, 1 - smooth(24, 25.5, from_sun));
}

// Three ridges, the nearer the darker.
void add_hills(Colour& colour, double x, double y) {
  struct Ridge {
    double base, height, length;
    Colour tint;
  };
  constexpr std::array<Ridge, 3> ridges{
      {{214, 40, 92, {0.62, 0.34, 0.48}}, {226, 30, 61, {0.40, 0.24, 0.42}}, {238, 30, 47, {0.21, 0.15, 0.32}}}};
  for (std::size_t k = 0; k < ridges.size() && y > 165; ++k) {
    const Ridge& ridge = ridges[k];
    const double rise = k == 2 ? smooth(330, 500, x) : 1;  // the nearest one stands only on the right
    const double top = ridge.base - rise * ridge.height * (cloudy_noise(x / ridge.length, 0.5, 20 + k) - 0.2);
    if (y > top) colour = mix(ridge.tint, ridge.tint + Colour{0.22, 0.12, 0.06}, smooth(top, top + 60, y));
  }
}

double cliff_top(double x) {
  return kHorizon + 2 - 54 * (1 - smooth(118, 232, x)) - 5 * noise(x / 11, 0, 31) * (1 - smooth(200, 236, x));
}

constexpr Point kLantern{92, 62};
void add_lighthouse(Colour& colour, double x, double y) {
  const double dx = x - kLantern.x, foot = 190;
  // The beam widens to the left and to the right of the lantern.
  const double beam = std::abs(y - kLantern.y + 0.10 * dx) / (3 + 0.085 * std::abs(dx));
  if (std::abs(dx) > 7)
    colour = colour + Colour{0.34, 0.30, 0.17} * ((1 - smooth(0.5, 1, beam)) * std::exp(-std::abs(dx) / 190));

  const auto round_wall = [&](Colour wall, double half_width) {  // lit by the sun from the right, and by the sky
    const double across = std::clamp(dx / half_width, -1.0, 1.0);
    return wall * (0.42 + 0.58 * smooth(-0.9, 0.9, across) - 0.10 * smooth(0.8, 1.0, across));
  };
  const double half_width = 11 + 6 * (y - 76) / (foot - 76);
  if (y > 76 && y < foot && std::abs(dx) < half_width) {
    const bool red = static_cast<int>(std::floor((y - 76 + 0.02 * dx * dx) / 19)) % 2 == 0;
    colour = round_wall(red ? Colour{0.86, 0.20, 0.17} : Colour{0.99, 0.95, 0.88}, half_width);
    for (double window : {104.0, 142.0})
      if (std::abs(dx - 1) < 2.2 && std::abs(y - window) < 4.5) colour = {0.13, 0.10, 0.18};
    if (std::abs(dx) < 4 && y > 174) colour = {0.20, 0.12, 0.14};
  }
  if (y > 73 && y <= 77 && std::abs(dx) < 17) colour = round_wall({0.30, 0.26, 0.33}, 17);
  if (y > 66 && y <= 73 && std::abs(dx) < 16.5 && (std::fmod(dx + 32, 4) < 1 || y < 67.2)) colour = {0.16, 0.13, 0.2};
  if (y > 52 && y <= 73 && std::abs(dx) < 8)
    colour = std::fmod(dx + 32, 5) < 0.9 ? Colour{0.2, 0.16, 0.2} : Colour{1.0, 0.93, 0.62};
  if (y > 41 && y <= 52 && std::abs(dx) < 10 * std::sqrt(clamp((y - 41) / 11)))
    colour = round_wall({0.74, 0.17, 0.16}, 10);
  if (std::abs(dx) < 0.8 && y > 33 && y <= 42) colour = {0.16, 0.13, 0.2};
}

void add_cottage(Colour& colour, double x, double y) {
  const double dx = x - 156;
  if (std::abs(dx) < 19 && y > 186 && y < 208) {
    colour = mix({0.62, 0.50, 0.50}, {0.98, 0.86, 0.72}, smooth(-19, 19, dx));
    const double across = std::abs(std::abs(dx) - 10), down = std::abs(y - 194);  // from the middle of a window
    const bool bar = across < 0.5 || down < 0.5;
    if (across < 3.5 && down < 3.5) colour = bar ? Colour{0.35, 0.2, 0.2} : Colour{1.0, 0.85, 0.40};
    if (std::abs(dx) < 3 && y > 195) colour = {0.28, 0.17, 0.20};
  }
  if (std::abs(dx - 11) < 2.6 && y > 163 && y < 178) colour = {0.44, 0.24, 0.25};
  const bool between_tiles = std::fmod(y, 4) < 1 || std::fmod(x + 3 * std::floor(y / 4), 6) < 0.9;
  if (y > 170 && y <= 187 && std::abs(dx) < 7 + (y - 170) * 0.95)
    colour = Colour{0.60, 0.24, 0.22} * (between_tiles ? 0.72 : 1);
}

void add_cliff(Colour& colour, double x, double y) {
  if (x > 240 || y < 175) return;
  const double depth = y - cliff_top(x);
  if (depth < 0) return;
  const double rock = cloudy_noise(x / 13, y / 7, 40);
  const Colour grass = mix({0.16, 0.26, 0.20}, {0.45, 0.45, 0.22}, noise(x / 3, y / 2, 41));
  colour = mix(grass, mix({0.15, 0.11, 0.19}, {0.62, 0.38, 0.34}, smooth(0.3, 0.75, rock)),
               smooth(4, 7, depth + 6 * (rock - 0.5)));
}

// A sphere above, a cone below; the checkerboard follows longitude and latitude.
void add_balloon(Colour& colour, double x, double y) {
  constexpr double kRadius = 45, kStretch = 1.35;
  const double dx = x - 412, dy = y - 84, t = dy < 0 ? dy / kRadius : dy / (kRadius * kStretch);
  const double half_width = std::abs(t) < 1 ? kRadius * std::pow(1 - t * t, dy < 0 ? 0.5 : 0.85) : 0;
  if (half_width > 4.5 && std::abs(dx) < half_width) {
    const double longitude = std::asin(dx / half_width), latitude = std::asin(t);
    const int gore = static_cast<int>(12 * longitude / kPi + 12), ring = static_cast<int>(9 * latitude / kPi + 9);
    constexpr std::array<Colour, 2> cloth{{{0.13, 0.45, 0.62}, {0.98, 0.86, 0.48}}};
    const bool band = std::abs(latitude) < 0.14;
    const double light = 0.58 + 0.42 * smooth(-1.3, 1.0, latitude - 0.8 * longitude);  // from below, and from the left
    colour = (band ? Colour{0.90, 0.30, 0.22} : cloth[static_cast<std::size_t>((gore + ring) % 2)]) * light;
  }
  const double to_rope = std::min(std::abs(dx), std::abs(std::abs(dx) - (9 - (dy - 56) * 0.16)));
  if (dy > 56 && dy < 74 && to_rope < 0.45) colour = {0.2, 0.14, 0.18};
  if (dy >= 74 && dy < 83 && std::abs(dx) < 7)
    colour = std::fmod(dx + dy, 3) < 1.2 ? Colour{0.38, 0.22, 0.15} : Colour{0.62, 0.40, 0.24};
}

void add_boat(Colour& colour, double x, double y) {
  const double dx = x - 262, dy = y - 262;
  const auto in_sail = [&](double foot, double side) {
    return dy < -6 && dy > -78 && dx * side > 0 && std::abs(dx) < foot * (dy + 78) / 72;
  };
  if (in_sail(46, 1)) {  // the zone plate: ½ + ½·cos(π·r²/88) has r/88 periods a pixel
    const double r2 = (dx - 15) * (dx - 15) + (dy + 25) * (dy + 25);
    colour = mix({0.16, 0.20, 0.42}, {1.0, 0.96, 0.88}, 0.5 + 0.5 * std::cos(kPi * r2 / 88));
  }
  if (in_sail(22, -1)) colour = mix({0.95, 0.66, 0.42}, {1.0, 0.90, 0.76}, smooth(-78, -6, dy));
  if (std::abs(dx) < 0.9 && dy > -84 && dy < 0) colour = {0.20, 0.13, 0.16};
  if (dy > -3 && dy < 8 && dx > -34 + 0.9 * dy && dx < 48 - 1.5 * dy)
    colour = dy < -0.5 ? Colour{0.96, 0.90, 0.80} : Colour{0.42, 0.15, 0.17};
}

Colour land_and_sky(double x, double y) {
  Colour colour = sky(x, y);
  add_hills(colour, x, y);
  add_balloon(colour, x, y);
  add_lighthouse(colour, x, y);
  add_cliff(colour, x, y);
  add_cottage(colour, x, y);
  return colour;
}

// The land upside down, pushed about by waves that get longer towards the front, and the sun's glitter.
Colour water(double x, double y) {
  const double depth = y - kHorizon, nearness = depth / (kHeight - kHorizon);
  const double swell = std::sin(420 / std::sqrt(depth + 6) + 5 * noise(x / (14 + depth), y / 5, 50));
  const double wave = swell + 0.8 * (noise(x / (3 + 0.22 * depth), y / (0.8 + 0.03 * depth), 51) - 0.5);
  const double height = kHorizon - depth * 1.25 + wave * (1.5 + 9 * nearness);
  Colour mirrored = land_and_sky(x + 2.2 * wave * (0.3 + nearness), std::min(kHorizon - 1, height));
  if (std::abs(x - 262) < 50 && depth < 110) add_boat(mirrored, x + 2 * wave, 262 - (y - 269) * 0.9 + 2 * wave);
  Colour colour = mix(mirrored, {0.05, 0.12, 0.27}, 0.22 + 0.38 * nearness + 0.08 * wave);
  const double path = std::abs(x - kSun.x) / (14 + 0.33 * depth);
  const double sparkle = noise(x / (2.5 + 0.10 * depth), y / (0.9 + 0.016 * depth), 52);
  return mix(colour, {1.0, 0.83, 0.52}, 0.9 * smooth(0.60, 0.74, sparkle) * (1 - smooth(0.3, 1.1, path)));
}

void add_reeds(Colour& colour, double x, double y) {
  for (int k = 0; k < 26 && x > 380 && y > 270; ++k) {
    const double root = k % 2 == 0 ? 418 + 3.6 * k : 516 - 2.9 * k;
    const double height = 46 + 62 * lattice(k, 0, 60), lean = 26 * (lattice(k, 1, 60) - 0.62);
    const double t = (kHeight - y) / height;  // 0 at the root, 1 at the tip
    if (t < 0 || t > 1) continue;
    const double across = std::abs(x - root - lean * t * t);
    if (across < 1.7 * (1 - t) + 0.25) colour = mix({0.04, 0.06, 0.11}, {0.20, 0.17, 0.16}, t);
    if (k % 4 == 0 && t > 0.80 && t < 0.94 && across < 2.3) colour = {0.20, 0.10, 0.09};
  }
}

Colour scene(double x, double y) {
  Colour colour = y < kHorizon ? land_and_sky(x, y) : water(x, y);
  add_boat(colour, x, y);
  add_reeds(colour, x, y);
  return colour;
}

std::uint16_t sample(double value) { return static_cast<std::uint16_t>(257 * std::lround(255 * clamp(value))); }

}  // namespace

Picture sample_picture() {
  Picture picture{kHeight, kWidth, 3, std::vector<std::uint16_t>(std::size_t{3} * kHeight * kWidth)};
#pragma omp parallel for
  for (int row = 0; row < kHeight; ++row)
    for (int column = 0; column < kWidth; ++column) {
      Colour sum;
      for (int k = 0; k < kPointsPerSide * kPointsPerSide; ++k)
        sum = sum + scene(column + (k % kPointsPerSide + 0.5) / kPointsPerSide,
                          row + (k / kPointsPerSide + 0.5) / kPointsPerSide);
      const Colour mean = sum * (1.0 / (kPointsPerSide * kPointsPerSide));
      std::uint16_t* pixel = &picture.samples[static_cast<std::size_t>(3 * (row * kWidth + column))];
      pixel[0] = sample(mean.r), pixel[1] = sample(mean.g), pixel[2] = sample(mean.b);
    }
  return picture;
}

}  // namespace convlens::cli
