// A small canvas for diagrams: rectangles, lines, and text in a font of rectangles (stb_easy_font, public domain).
#pragma once

#include <string>

#include "cli/image.h"

namespace convlens::cli {

struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
};
Rgb mix(Rgb a, Rgb b, double share_of_b);

struct Rect {
  int x = 0, y = 0, width = 0, height = 0;  // pixels, from the upper left corner
};

class Canvas {
 public:
  Canvas(int width, int height, Rgb background);

  // What lies outside the canvas is not drawn.
  void fill(const Rect& rect, Rgb colour);
  void frame(const Rect& rect, int thickness, Rgb colour);  // drawn inwards from the rectangle's edge
  void line(int x0, int y0, int x1, int y1, Rgb colour);

  // ASCII; capitals are 7·scale pixels high, from y on downwards.
  void text(int x, int y, int scale, Rgb colour, const std::string& line);
  static int text_width(int scale, const std::string& line);

  // `picture` scaled down to the rectangle: each pixel is the mean of those it covers.
  void picture(const Rect& rect, const Picture& picture);

  Picture result() const;

 private:
  int width_, height_;
  std::vector<Rgb> pixels_;
};

// The mean colour of the pixels of `picture`, which has three colours, in the rectangle.
Rgb mean_colour(const Picture& picture, const Rect& rect);

}  // namespace convlens::cli
