#include "algorithms/interface/registry.h"

#include <algorithm>

#include "algorithms/direct/direct.h"
#include "algorithms/error.h"
#include "algorithms/fft/fft.h"
#include "algorithms/im2col/im2col.h"
#include "algorithms/im2win/im2win.h"
#include "algorithms/peers/onednn.h"
#include "algorithms/shortened.h"
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
  std::string families;
  for (const Algorithm* row : algorithms()) {
    if (std::ranges::find(names, row->family) != names.end()) continue;
    names.push_back(row->family);
    families += (families.empty() ? "" : " | ") + row->family;
  }
  throw BadInput("algorithm: " + (name.empty() ? "\"\"" : shortened(name)) +
                 suggestion(name, names, "a row of `convlens list algorithms`, or a family: " + families));
}

Run parse_run(std::string_view text) {
  const std::size_t colon = text.find(':');
  const Algorithm& algorithm = find_algorithm(text.substr(0, colon));
  if (colon == std::string_view::npos) return {&algorithm, parse_options(algorithm, "")};
  if (colon + 1 == text.size())
    throw BadInput("options of " + algorithm.id + ": \"\", must be written id=value after the colon");
  return {&algorithm, parse_options(algorithm, text.substr(colon + 1))};
}

}  // namespace convlens
