// The exact coefficients between the cursor's cell and those that it is made of, or goes into: Winograd's.
//
//   V = Bᵀ d B   of x      U = G g Gᵀ   of w      Y = Aᵀ M A   of M
//
// The first two are in the stages' index maps; y has none of its own, and takes that of the row which the other cell
// belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "viewer/logic/links.h"

namespace convlens::viewer {

// How y comes about as an exact sum of cells of a stage: of Winograd's rows, null of all others.
std::shared_ptr<const AnyMap> output_map(const Plan& plan);

// Between the cursor's cell and `cell` of another tensor, which belongs to it by `tie`; nothing where there is none.
std::optional<Rational> coefficient(const Model& model, const Cursor& cursor, const Exhibit& exhibit, const Coord& cell,
                                    Tie tie);

// Of all lit cells of each exhibit; where more than `kMostCoefficients` cells are made of the cursor's, of none.
inline constexpr std::int64_t kMostCoefficients = 512;
std::map<std::string, std::vector<Coefficient>> coefficients_of(const Model& model, const Cursor& cursor,
                                                                const Links& links);

// "+2·M(0, 1, 0, 3, 4, 5)": y as the sum of M's cells in each row that has one, or the outputs that a cell of M is
// added to; no terms for any other.
struct Combination {
  std::string head;  // "winograd.ref: y ="
  std::vector<std::string> terms;

  std::string text(std::size_t shown) const;  // with as many, and how many more there are
};
Combination combination_of(const Model& model, const Exhibit& exhibit, const Coord& cell);

}  // namespace convlens::viewer
