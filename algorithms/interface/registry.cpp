#include "algorithms/interface/registry.h"

#include <algorithm>

#include "algorithms/direct/direct.h"
#include "algorithms/error.h"
#include "algorithms/fft/fft.h"
#include "algorithms/im2col/im2col.h"
#include "algorithms/im2win/im2win.h"
#include "algorithms/peers/onednn.h"
#include "algorithms/suggest.h"
#include "algorithms/winograd/winograd.h"

namespace convlens {

namespace {

// One line an algorithm.
const std::vector<const Algorithm*>& own_rows() {
  static const std::vector<const Algorithm*> rows{
      &direct_ref(),        &direct_cpu(),        &im2col_ref(),      &im2col_cpu(),  &fft_ref(), &fft_cpu(),
      &implicit_gemm_ref(), &implicit_gemm_cpu(), &im2win_ref(),      &im2win_cpu(),  &mec_ref(), &winograd_ref(),
      &winograd_cpu(),      &onednn_direct(),     &onednn_winograd(), &onednn_auto(),
  };
  return rows;
}

std::vector<const Algorithm*>& added_rows() {
  static std::vector<const Algorithm*> rows;
  return rows;
}

}  // namespace

std::vector<const Algorithm*> algorithms() {
  std::vector<const Algorithm*> rows;
  const auto add = [&](const Algorithm* row) {
    // A family stays together, in the order in which it was first seen.
    const auto last = std::find_if(rows.rbegin(), rows.rend(), [&](auto* r) { return r->family == row->family; });
    rows.insert(last == rows.rend() ? rows.end() : last.base(), row);
  };
  for (const Algorithm* row : own_rows()) add(row);
  for (const Algorithm* row : added_rows()) add(row);
  return rows;
}

void add_algorithms(std::span<const Algorithm* const> rows) {
  added_rows().insert(added_rows().end(), rows.begin(), rows.end());
}

const Algorithm& find_algorithm(std::string_view name) {
  std::vector<std::string> names;
  for (const Algorithm* row : algorithms()) {
    if (row->id == name || row->family == name) return *row;
    names.push_back(row->id);
  }
  for (const Algorithm* row : algorithms())
    if (std::ranges::find(names, row->family) == names.end()) names.push_back(row->family);
  throw BadInput("algorithm: " + std::string(name) + suggestion(name, names));
}

Run parse_run(std::string_view text) {
  const std::size_t colon = text.find(':');
  const Algorithm& algorithm = find_algorithm(text.substr(0, colon));
  const std::string_view options = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  return {&algorithm, parse_options(algorithm, options)};
}

}  // namespace convlens
