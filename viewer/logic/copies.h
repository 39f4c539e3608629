// How often each element of the input is stored by a stage: the duplication that a lowering pays for.
//
// The count depends on the element's row and column alone, and, as every map treats the axes apart, is the product of
// one factor for the row and one for the column: H_i + W_i questions tell H_i·W_i counts. Their sum over the image, N
// and C_i times, plus the stage's zeros, is the number of the stage's cells: what the heat map shows adds up to the
// bytes of the ledger.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "viewer/logic/model.h"

namespace convlens::viewer {

struct Copies {
  std::int64_t height = 0, width = 0;
  std::vector<std::int64_t> rows, columns;  // counts of a column, and of a row, that some output reads
  std::int64_t crossing = 1;                // the count where these two meet
  std::int64_t most = 0;
  std::int64_t elements = 0;  // Σ counts · N · C_i
  std::int64_t zeros = 0;     // the stage's other cells: padding
  std::int64_t bytes = 0;     // (elements + zeros) · bytes of a cell, of the whole stage

  std::int64_t at(std::int64_t row, std::int64_t column) const {
    return rows[static_cast<std::size_t>(row)] * columns[static_cast<std::size_t>(column)] / crossing;
  }

  // The mean count of the pixels from (row, column) on, `side` down and across, those at the edge in part.
  double mean(double row, double column, double side) const;
};

inline constexpr std::int64_t kMostCounted = std::int64_t{1} << 22;  // rows and columns together

// Of a stage that is made from the input alone; nothing for any other, nor where rows and columns are too many. A stage
// whose cells combine several elements (Winograd's V, spectra) counts how many cells an element goes into, and has no
// sum: elements and zeros are then 0.
std::optional<Copies> copies_of(const Model& model, const Exhibit& exhibit);

// As rows of a table, which add up: of each stage that is made from the input
//
//   holds = element   one a pixel (h, w), for all n_count images and c_count channels from n and c on: in each of them
//                     it is stored `copies` times, together in `cells` cells, which take `bytes`
//   holds = zeros     the padding that is stored with them
//   holds = all       their sum: `bytes` is that of the whole stage, made in `passes` of which the ledger has
//                     `ledger_bytes` at a time
//
// Where cells combine pixels, `mixed` stands for `element`: a pixel goes into `copies` cells, and `cells` and `bytes`
// are known of the whole alone. A run that stores nothing of the input has one row, `all`, of 0; of no image there is
// nothing to tell. Throws Unsupported where there would be more than kMostPixelRows.
nlohmann::ordered_json copies_rows(const Model& model);

inline constexpr std::int64_t kMostPixelRows = std::int64_t{1} << 20;

}  // namespace convlens::viewer
