#include "viewer/ui/grid_division.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace convlens::viewer {

namespace {

constexpr double kLensBelow = 9;  // pixels a cell
constexpr float kGap = 6;
constexpr float kLeastShare = 0.42f, kLeast = 180, kMost = 300;  // of a lens

// The cell with which the whole sheet, and the marks around its edges, fit into a space.
double fitting_cell(const Sheet& sheet, ImVec2 space) {
  const double rows = static_cast<double>(std::max<std::int64_t>(1, sheet.rows()));
  const double columns = static_cast<double>(std::max<std::int64_t>(1, sheet.columns()));
  const double fit = std::min((space.x - 2 * kFrame) / columns, (space.y - 2 * kFrame) / rows);
  return whole_pixels(std::clamp(fit, kSmallestCell, kLargestCell));
}

// A side along which so many things stand in a row, with gaps between them: of one of them, and of all.
float one_of(float all, int count) { return std::floor((all - kGap * static_cast<float>(count - 1)) / count); }
float all_of(float one, int count) { return one * static_cast<float>(count) + kGap * static_cast<float>(count - 1); }

// Spaces of one size in a row.
std::vector<Space> in_a_row(ImVec2 first, ImVec2 size, int count, bool across) {
  std::vector<Space> row;
  for (int k = 0; k < count; ++k) {
    row.push_back({first, size});
    (across ? first.x : first.y) += (across ? size.x : size.y) + kGap;
  }
  return row;
}

// Pictures in a row, across or down, fitted into a space.
struct Row {
  bool across = true;
  double cell = 0;
  ImVec2 slot{};  // the space of each
  ImVec2 one{};   // of it what a fitted picture takes
  ImVec2 all{};   // of the whole row, fitted
};

Row row_of(const Sheet& sheet, int pictures, ImVec2 space, bool across) {
  Row row{across};
  row.slot = across ? ImVec2{one_of(space.x, pictures), space.y} : ImVec2{space.x, one_of(space.y, pictures)};
  row.cell = fitting_cell(sheet, row.slot);
  const auto side = [&](std::int64_t cells, float most) {
    return std::min(most, static_cast<float>(std::ceil(row.cell * static_cast<double>(cells))) + 2 * kFrame);
  };
  row.one = {side(sheet.columns(), row.slot.x), side(sheet.rows(), row.slot.y)};
  row.all = across ? ImVec2{all_of(row.one.x, pictures), row.one.y} : ImVec2{row.one.x, all_of(row.one.y, pictures)};
  return row;
}

// Pictures in a row, and their lenses in a row beside or below them.
struct Arranged {
  Row row;
  bool beside = true;
  ImVec2 lens{};
};

Arranged arranged(const Sheet& sheet, int pictures, ImVec2 size, bool across, bool beside) {
  const Row alone = row_of(sheet, pictures, size, across);
  const float least = std::floor(std::min(kLeastShare * std::min(size.x, size.y), kLeast));
  // Along one side a lens takes what the pictures leave, or, where that is too little, a share that makes them smaller.
  const auto share = [&](float rest, float most) {
    constexpr float kAlmost = 0.7f;
    return rest >= kAlmost * least ? std::min(rest, std::max(least, std::min(kMost, most))) : least;
  };
  Arranged found{{}, beside, {}};
  if (beside) {
    const float height = one_of(size.y, pictures), width = share(size.x - kGap - alone.all.x, height);
    found.lens = {width, height};
    found.row = row_of(sheet, pictures, {size.x - width - kGap, size.y}, across);
  } else {
    const float width = one_of(size.x, pictures), height = share(size.y - kGap - alone.all.y, width);
    found.lens = {width, height};
    found.row = row_of(sheet, pictures, {size.x, size.y - height - kGap}, across);
  }
  return found;
}

// How large a lens shows the cells around a window of three by three. In a long sheet, a matrix or a row of strips,
// such a window is a few rows high and wider; and of a spectrum, where everything is lit, a lens is full.
double lens_cell(const Sheet& sheet, int pictures, const Arranged& found) {
  constexpr double kWindow = 7;
  const double rows = static_cast<double>(sheet.rows()), columns = static_cast<double>(sheet.columns());
  const bool is_long = std::max(rows, columns) > 2 * std::min(rows, columns), is_full = pictures > 1;
  const double wide = is_long || is_full ? kLensCells : kWindow;
  const double high = is_full ? kLensCells : is_long ? kFewestLensCells : kWindow;
  return std::min(found.lens.x / wide, found.lens.y / high);
}

float half_of(float rest) { return std::max(0.0f, std::floor(rest / 2)); }

// Nothing but pictures: two of them close together while the whole sheet is shown, else sharing the space evenly.
Division without_lens(const Sheet& sheet, int pictures, const Space& space, double zoom) {
  Row best = row_of(sheet, pictures, space.size, true);
  if (const Row down = row_of(sheet, pictures, space.size, false); down.cell > best.cell) best = down;
  if (pictures == 1 || zoom > 0) return {best.cell, in_a_row(space.first, best.slot, pictures, best.across), {}};
  const ImVec2 first{space.first.x + half_of(space.size.x - best.all.x),
                     space.first.y + half_of(space.size.y - best.all.y)};
  return {best.cell, in_a_row(first, best.one, pictures, best.across), {}};
}

}  // namespace

double whole_pixels(double cell) { return cell < 1 ? cell : std::floor(cell); }

Division divide(const Sheet& sheet, int pictures, bool with_lens, const Space& space, double zoom) {
  const Division alone = without_lens(sheet, pictures, space, zoom);
  const ImVec2 size = space.size;
  constexpr float kNoRoom = 24;
  if (!with_lens || (zoom > 0 ? zoom : alone.cell) >= kLensBelow || std::min(size.x, size.y) < kNoRoom) return alone;
  const auto is_better = [&](const Arranged& a, const Arranged& b) {
    return a.row.cell != b.row.cell ? a.row.cell > b.row.cell
                                    : lens_cell(sheet, pictures, a) > lens_cell(sheet, pictures, b);
  };
  Arranged best = arranged(sheet, pictures, size, true, true);
  for (const auto& [across, beside] : {std::pair{false, true}, std::pair{true, false}, std::pair{false, false}})
    if (const Arranged other = arranged(sheet, pictures, size, across, beside); is_better(other, best)) best = other;
  constexpr double kMagnifies = 1.5;  // or it is of no use
  if (lens_cell(sheet, pictures, best) < kMagnifies * best.row.cell) return alone;

  const Row& row = best.row;
  const ImVec2 slot = zoom > 0 ? row.slot : row.one;
  const ImVec2 shown{row.across ? all_of(slot.x, pictures) : slot.x, row.across ? slot.y : all_of(slot.y, pictures)};
  const ImVec2 lenses{best.beside ? best.lens.x : all_of(best.lens.x, pictures),
                      best.beside ? all_of(best.lens.y, pictures) : best.lens.y};
  ImVec2 at = space.first, lens_at = space.first;
  if (best.beside) {
    at.x += half_of(size.x - shown.x - kGap - lenses.x), at.y += half_of(size.y - shown.y);
    lens_at = {at.x + shown.x + kGap, lens_at.y + half_of(size.y - lenses.y)};
  } else {
    at.x += half_of(size.x - shown.x), at.y += half_of(size.y - shown.y - kGap - lenses.y);
    lens_at = {lens_at.x + half_of(size.x - lenses.x), at.y + shown.y + kGap};
  }
  return {row.cell, in_a_row(at, slot, pictures, row.across),
          in_a_row(lens_at, best.lens, pictures, /*across=*/!best.beside)};
}

}  // namespace convlens::viewer
