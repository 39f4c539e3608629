// Grouped bars as SVG: a group a layer, a bar a series, the values' scale at the left, the series' names above.
#include <algorithm>
#include <array>
#include <cmath>

#include "cli/numbers.h"
#include "cli/paper/report.h"

namespace convlens::cli::paper {

namespace {

constexpr double kWidth = 1100, kPlotHeight = 240, kLeft = 48, kLegendLine = 18, kBottom = 24;
constexpr double kLegendColumn = 262;
constexpr int kLegendColumns = 4, kTicks = 5;

// Colours that remain different from each other for most colour-blind readers; the last ones are greys.
constexpr std::array kColours{"#3366b0", "#d9722e", "#3f9b5f", "#b5495b", "#7b5ea7", "#c7a32f",
                              "#3aa6b9", "#8c6d4f", "#6b7785", "#a5adb7", "#d0d5db"};

// The least of 1, 2, 2.5, 5 times a power of ten of which kTicks reach `most`.
double tick_step(double most) {
  const double least = most / kTicks, power = std::pow(10, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 2.5, 5.0})
    if (digit * power >= least) return digit * power;
  return 10 * power;
}

// Without an exponent, and without zeros behind the point that say nothing.
std::string tick_text(double value) {
  std::string text = fixed(value, 6);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string number(double value) { return fixed(value, 2); }

std::string rect(double x, double y, double width, double height, const char* colour, const std::string& title) {
  return "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" +
         number(height) + "\" fill=\"" + colour + "\">" +
         (title.empty() ? "" : "<title>" + html_text(title) + "</title>") + "</rect>\n";
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" + html_text(text) +
         "</text>\n";
}

const char* colour(std::size_t series) { return kColours[std::min(series, kColours.size() - 1)]; }

}  // namespace

std::string svg_bars(const Figure& figure) {
  double most = 0;
  for (const Series& series : figure.series)
    for (const double value : series.best)
      if (!std::isnan(value)) most = std::max(most, value);
  const double step = tick_step(most > 0 ? most : 1), top_value = kTicks * step;
  const double legend = kLegendLine * std::ceil(static_cast<double>(figure.series.size()) / kLegendColumns) + 26;
  const double height = legend + kPlotHeight + kBottom, floor = legend + kPlotHeight;
  const auto y_of = [&](double value) { return floor - kPlotHeight * value / top_value; };

  std::string svg = "<svg viewBox=\"0 0 " + number(kWidth) + " " + number(height) + "\" role=\"img\" aria-label=\"" +
                    html_text(figure.title) + "\" xmlns=\"http://www.w3.org/2000/svg\">\n";
  for (std::size_t k = 0; k < figure.series.size(); ++k) {
    const double x = kLeft + kLegendColumn * static_cast<double>(k % kLegendColumns);
    const double y = kLegendLine * static_cast<double>(k / kLegendColumns);
    svg += rect(x, y + 2, 11, 11, colour(k), "") + label(x + 16, y + 12, "start", figure.series[k].name);
  }
  for (int tick = 0; tick <= kTicks; ++tick) {
    const double y = y_of(tick * step);
    svg += "<line x1=\"" + number(kLeft) + "\" x2=\"" + number(kWidth) + "\" y1=\"" + number(y) + "\" y2=\"" +
           number(y) + "\" stroke=\"#d9dee5\"/>\n" + label(kLeft - 6, y + 4, "end", tick_text(tick * step));
  }
  svg += label(0, y_of(top_value) - 10, "start", figure.unit);
  const double group = (kWidth - kLeft) / static_cast<double>(std::max<std::size_t>(1, figure.layers.size()));
  const double bar = 0.84 * group / static_cast<double>(std::max<std::size_t>(1, figure.series.size()));
  for (std::size_t layer = 0; layer < figure.layers.size(); ++layer) {
    const double first = kLeft + group * (static_cast<double>(layer) + 0.08);
    for (std::size_t k = 0; k < figure.series.size(); ++k)
      if (const double value = figure.series[k].best[layer]; !std::isnan(value))
        svg += rect(first + bar * static_cast<double>(k), y_of(value), bar, floor - y_of(value), colour(k),
                    figure.series[k].name + ", " + figure.layers[layer] + ": " + fixed(value, 2) + " " + figure.unit);
    svg += label(first + 0.42 * group, floor + 16, "middle", figure.layers[layer]);
  }
  return svg + "</svg>\n";
}

}  // namespace convlens::cli::paper
