// A small plot, drawn with Dear ImGui's draw lists: axes with ticks, and points, lines and levels in data coordinates.
// Texts come last of all, when it is known what they would cover.
#pragma once

#include <imgui/imgui.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace convlens::viewer {

// What an axis shows. A logarithmic one must begin above 0.
struct PlotAxis {
  double least = 0, most = 1;
  std::string title;
  bool logarithmic = false;
  std::vector<double> ticks = {};  // where its numbers stand; none: round ones
};

struct PlotLabel {
  double x = 0, y = 0;  // of its point
  ImU32 colour = 0;
  std::string text;
};

class Plot {
 public:
  // Takes that much of the window, and draws the frame. What is drawn until it dies is clipped to its inside.
  Plot(const char* id, ImVec2 size, PlotAxis x, PlotAxis y);
  ~Plot();
  Plot(const Plot&) = delete;
  Plot& operator=(const Plot&) = delete;

  float x(double value) const;  // in pixels
  float y(double value) const;

  // Steps end where the next is farther than `longest`.
  // Pairs of which one is no number are left out. Dots that would fall on the dot before are drawn once.
  void dots(std::span<const double> xs, std::span<const float> ys, ImU32 colour, float side);
  void steps(std::span<const double> xs, std::span<const float> ys, double longest, ImU32 colour, float thickness);
  void line(std::span<const double> xs, std::span<const double> ys, ImU32 colour, float thickness);
  void band(std::span<const double> xs, std::span<const double> low, std::span<const double> high, ImU32 colour);
  void level(double value, ImU32 colour, const std::string& text);  // dashed, across the plot
  void upright(double value, ImU32 colour, const std::string& text);
  void point(double px, double py, ImU32 colour, bool filled, bool square = false);

  // A text beside that place, or above it; where it would cover another, or lines and many dots, near by, with a line
  // to its place.
  void label(double px, double py, ImU32 colour, const std::string& text, bool above = false);

  // Texts of points that stand close together, in a column on their right, or in several where the plot is not as high
  // as all of them; each with a line to its point. Those that have no room at all are counted.
  void label_column(std::vector<PlotLabel> labels);

  bool hovered() const { return hovered_; }
  const ImVec2& first() const { return first_; }  // the corners of the inside
  const ImVec2& last() const { return last_; }

 private:
  struct Text {
    ImVec2 wanted;
    ImU32 colour;
    std::string text;
    std::optional<ImVec2> of;  // its point, which it gets a line to where it stands elsewhere
  };

  void draw_axes();
  void draw_text(const Text& text);
  void mark(ImVec2 at, float weight);
  void mark_line(ImVec2 from, ImVec2 to);
  float covered(ImVec2 first, ImVec2 last) const;  // how much a text there would cover

  PlotAxis x_, y_;
  ImVec2 first_, last_;
  bool hovered_ = false;
  std::vector<ImVec4> taken_;  // by texts
  std::vector<Text> texts_;    // that are to be drawn
  std::vector<float> drawn_;   // how much is drawn in each cell of the inside, row by row
  std::size_t columns_ = 0;
};

// Places from `least` to `most`, in the order of those wanted, which are ascending, each at least `apart` from the next
// and as near as can be to where it is wanted; past `most` only where there is no room for all.
std::vector<float> spread(const std::vector<float>& wanted, float apart, float least, float most);

// As many of these texts as have room beside the points of a plot whose inside is that large, the last of them "and 3
// more" where that is not all.
std::vector<std::string> fitting_labels(const std::vector<std::string>& texts, ImVec2 inside);

// The widths of the columns that these texts take in a plot that is `height` pixels high inside.
std::vector<float> label_columns(const std::vector<std::string>& texts, float height);

// The inside of a plot of that size.
ImVec2 inside_of(ImVec2 size);

// How far a logarithmic axis from `least` must reach, so that beyond `most` the columns of these texts, the upper ones
// first, have room in a plot of that size.
double with_room(double least, double most, const std::vector<std::string>& texts, ImVec2 size);

// Round numbers from `least` to `most`, about `count` of them: 1, 2 and 5 times powers of ten; of a logarithmic axis
// powers of ten, or, over less than two decades, these.
std::vector<double> round_ticks(double least, double most, int count, bool logarithmic);

}  // namespace convlens::viewer
