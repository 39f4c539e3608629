#include "cli/layouts.h"

#include <algorithm>

#include "algorithms/error.h"
#include "algorithms/suggest.h"

namespace convlens::cli {

Layouts parse_layouts(const std::string& text, bool or_all) {
  std::vector<std::string> names;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    names.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  if (names.size() != 1 && names.size() != 3)
    throw BadInput("layout: " + text + ", must be " + (or_all ? "all, " : "") +
                   "one of NCHW, NHWC, CHWN, or input,filter,output as in NCHW,OIHW,NCHW");
  const auto tensor = [&](const std::string& name) {
    if (const auto layout = parse_layout(name)) return *layout;
    std::vector<std::string> known{"NCHW", "NHWC", "CHWN"};
    if (or_all && names.size() == 1) known.emplace_back("all");
    throw BadInput("layout: " + name + suggestion(name, known));
  };
  const auto filter = [](const std::string& name) {
    if (const auto layout = parse_filter_layout(name)) return *layout;
    throw BadInput("layout: " + name + suggestion(name, std::vector<std::string>{"OIHW", "OHWI"}));
  };
  if (names.size() == 3) return {tensor(names[0]), filter(names[1]), tensor(names[2])};
  const Layout layout = tensor(names[0]);
  return {layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout};
}

std::string text(const Layouts& l) {
  return std::string(name(l.x)) + "," + std::string(name(l.w)) + "," + std::string(name(l.y));
}

std::vector<Layouts> homogeneous_layouts() {
  std::vector<Layouts> layouts;
  for (Layout layout : kLayouts) layouts.push_back(parse_layouts(std::string(name(layout))));
  return layouts;
}

std::vector<Layouts> all_layouts() {
  std::vector<Layouts> layouts;
  for (Layout x : kLayouts)
    for (FilterLayout w : kFilterLayouts)
      for (Layout y : kLayouts) layouts.push_back({x, w, y});
  return layouts;
}

}  // namespace convlens::cli
