#include "viewer/logic/marks.h"

#include <algorithm>
#include <cmath>

namespace convlens::viewer {

namespace {

struct Span {
  int begin = 0, end = 0;
};

class Raster {
 public:
  Raster(const Rectangle& window, double step, int least)
      : window_(window),
        step_(step),
        least_(least),
        width_(std::max(1, static_cast<int>(std::ceil(static_cast<double>(window.columns.count) / step)))),
        height_(std::max(1, static_cast<int>(std::ceil(static_cast<double>(window.rows.count) / step)))),
        squares_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), 0),
        x_{width_, 0},
        y_{height_, 0} {}

  void mark(const Rectangle& r) {
    const Span across = span(r.columns, window_.columns, width_), down = span(r.rows, window_.rows, height_);
    for (int y = down.begin; y < down.end; ++y)
      std::fill(squares_.begin() + index(across.begin, y), squares_.begin() + index(across.end, y), 1);
    x_ = {std::min(x_.begin, across.begin), std::max(x_.end, across.end)};
    y_ = {std::min(y_.begin, down.begin), std::max(y_.end, down.end)};
  }

  void read(Marks& marks) const {
    for (int y = y_.begin; y <= y_.end; ++y) {
      runs(x_, [&](int x) { return at(x, y) != at(x, y - 1); },
           [&](const Span& run) { marks.across.push_back({run.begin, y, run.end - run.begin}); });
    }
    for (int x = x_.begin; x <= x_.end; ++x)
      runs(y_, [&](int y) { return at(x, y) != at(x - 1, y); },
           [&](const Span& run) { marks.down.push_back({x, run.begin, run.end - run.begin}); });
    read_fills(marks);
  }

 private:
  std::ptrdiff_t index(int x, int y) const { return static_cast<std::ptrdiff_t>(y) * width_ + x; }
  bool at(int x, int y) const {
    return x >= 0 && x < width_ && y >= 0 && y < height_ && squares_[static_cast<std::size_t>(index(x, y))] != 0;
  }

  Span span(const Interval& cells, const Interval& window, int size) const {
    const double first = static_cast<double>(cells.first - window.first) / step_;
    const double last = static_cast<double>(cells.first + cells.count - window.first) / step_;
    int begin = static_cast<int>(std::floor(first)), end = static_cast<int>(std::ceil(last - 1e-9));
    if (end - begin < least_) begin -= (least_ - (end - begin)) / 2, end = begin + least_;
    return {std::clamp(begin, 0, size), std::clamp(end, 0, size)};
  }

  template <class Test, class Visit>
  static void runs(const Span& range, Test&& test, Visit&& visit) {
    for (int k = range.begin; k < range.end; ++k) {
      if (!test(k)) continue;
      const int begin = k;
      while (k < range.end && test(k)) ++k;
      visit(Span{begin, k});
    }
  }

  void read_fills(Marks& marks) const {
    std::vector<std::size_t> open;  // fills that reach the row above, from left to right
    for (int y = y_.begin; y < y_.end; ++y) {
      std::vector<std::size_t> reached;
      auto above = open.begin();
      runs(x_, [&](int x) { return at(x, y); },
           [&](const Span& run) {
             marks.squares += run.end - run.begin;
             while (above != open.end() && marks.fills[*above].x < run.begin) ++above;
             const bool same = above != open.end() && marks.fills[*above].x == run.begin &&
                               marks.fills[*above].width == run.end - run.begin;
             if (same)
               ++marks.fills[*above].height;
             else
               marks.fills.push_back({run.begin, y, run.end - run.begin, 1});
             reached.push_back(same ? *above : marks.fills.size() - 1);
           });
      open = std::move(reached);
    }
  }

  Rectangle window_;
  double step_;
  int least_, width_, height_;
  std::vector<std::uint8_t> squares_;
  Span x_, y_;  // of what is marked
};

}  // namespace

Marks marks_of(const Sheet& sheet, const std::vector<Box>& lit, const Rectangle& window, double step, int least) {
  Marks marks;
  Raster raster(window, step, least);
  std::size_t left = kMostRectangles;
  for (const Box& box : lit) {
    const std::vector<Rectangle> rectangles = sheet.rectangles(box, window, left);
    for (const Rectangle& r : rectangles) raster.mark(r);
    left -= rectangles.size();
    if (left == 0) break;
  }
  marks.complete = left > 0;
  raster.read(marks);
  return marks;
}

}  // namespace convlens::viewer
