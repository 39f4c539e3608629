// What the chosen rows need in memory, for any batch size and type, by their plans' own formulas.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "viewer/logic/model.h"

namespace convlens::viewer {

struct MemoryPart {
  std::string name;     // of the buffer: "im2win", "filter", "alignment"; "x", "w", "y", "bias" for the tensors
  std::string formula;  // "N·C_i·H_o·H_f·W̃ × 4 B", or "" where there is none
  std::int64_t bytes = 0;
};

struct MemoryBar {
  std::string run;
  std::vector<MemoryPart> parts;  // tensors first
  std::size_t tensor_parts = 0;   // how many those are
  std::int64_t tensors = 0, workspace = 0;
  bool known = true;    // false: the workspace is one that only cuDNN could tell, and counts as nothing
  std::string refused;  // why the row cannot, or ""
  std::string over;     // why it cannot within the limit, or "": the bytes are then those without any

  // What the formulas of the tensors and of the row's own stages say, and nothing else.
  std::int64_t by_formula() const;
  // What is allocated for a run: scratch, and what rounds buffers up to 64 bytes, included.
  std::int64_t allocated() const { return tensors + workspace; }
  // The most there is at a time. A workspace is one piece from the first step to the last, so that is all of it; what a
  // vendor's library takes besides is known only once it has been measured.
  std::int64_t peak() const { return allocated(); }
};

// One bar a chosen row, planned to fit `limit` bytes: rows that can do the work in pieces then do.
std::vector<MemoryBar> memory_bars(const Model& model, std::int64_t limit);

// Which of kPartColours colours each part of a bar after its tensors has: im2col's and im2win's are their own wherever
// they are, and no two parts of one bar share any.
inline constexpr std::size_t kPartColours = 8, kDirectColour = 7, kIm2colColour = 1, kIm2winColour = 2;
std::vector<std::size_t> part_colours(const MemoryBar& bar);  // of all parts; kPartColours and more: a second round

// The largest batch with which a row fits so many bytes, tensors and workspace together; 0 when not even one image
// does. Once `stop` is true it is not looked for any more, and the number is the largest that was seen to fit.
std::int64_t largest_batch(
    const ChosenRow& row, std::int64_t limit, const std::function<bool()>& stop = [] { return false; });

// Input copies stored by direct : im2win : im2col, counted through the sizes of the problem, beside 1 : ρ : ρ² with
// ρ = H_o·H_f / H_i, which holds for a square layer without padding.
struct CopyLaw {
  double im2win = 0, im2col = 0;  // bytes over those of the input
  double rho = 0;
  bool square = false;  // whether the law's conditions hold
};
CopyLaw copy_law(const ConvProblem& problem);

}  // namespace convlens::viewer
