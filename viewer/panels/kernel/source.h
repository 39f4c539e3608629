// The lines of a kernel's text as the Kernel panel draws them, to be read or while they are typed.
#pragma once

#include <optional>
#include <string_view>

#include "viewer/panels/kernel/kernel.h"

namespace convlens::viewer {

std::vector<std::string_view> lines_of(const std::string& text);

// A text and which of its lines the sheet knows: what has just been typed it learns of some frames later, and what is
// above and below keeps its colours meanwhile.
class SourceLines {
 public:
  SourceLines(const std::string& text, const KernelSheet& sheet);  // both must outlive it

  std::size_t size() const { return lines_.size(); }
  std::string_view operator[](std::size_t line) const { return lines_[line]; }
  std::size_t longest() const;                                  // bytes
  std::optional<std::size_t> of_sheet(std::size_t line) const;  // its number there

 private:
  std::vector<std::string_view> lines_;
  std::size_t above_ = 0, below_ = 0;  // lines that both begin and end with
  std::size_t of_sheet_ = 0;           // lines of the sheet whose code is known
  std::ptrdiff_t offset_ = 0;          // by how many lines the sheet's text is longer
};

struct Measures {
  float line, margin, text;  // pixels: a line's height, the margin's width, the longest line's
};
Measures measures_of(const SourceLines& lines);  // in the font that is set

// The lines that are in sight, the first of all at `first`, with their margins.
void draw_lines(const KernelFrame& frame, const SourceLines& lines, ImVec2 first, const Measures& m);

// What a kind of code is marked with; 0: with nothing.
ImU32 bar(Code code);

// The text in a field to type into; the state follows it.
void edit_source(Scene& scene, const KernelFrame& frame);

}  // namespace convlens::viewer
