// A stage: one intermediate tensor of an algorithm, described by its axes and its index map.
//
// Names and extents come from the axes, bytes from the extents, offsets from the strides, and everything that is
// known about the contents from the map. A stage may be *virtual* (never stored: the map alone defines it) and may be
// made in several passes, of which only one is resident at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/interface/index_map.h"
#include "algorithms/tensor/dtype.h"

namespace convlens {

struct Axis {
  std::string name;           // the index, as in formulas: "k"
  std::string symbol;         // its extent, as in formulas: "W̃"
  std::int64_t extent = 1;    // of the whole stage
  std::int64_t resident = 1;  // of the part that is in memory at a time; = extent unless made in passes
  std::int64_t stride = 0;    // in elements of the resident part; filled in by `Stage::lay_out`
};

// The answer of the type-erased query for one cell.
struct Source {
  SourceKind kind = SourceKind::zero_padding;
  std::vector<Term> terms;
};

// A map whose type is forgotten, for faces that draw any algorithm (viewer, explain, tests of all rows).
// Sources are asked for by rows of cells, so that one virtual call serves many cells.
class AnyMap {
 public:
  virtual ~AnyMap() = default;
  virtual std::vector<Source> sources(Coord first, int axis, std::int64_t count) const = 0;
  virtual std::vector<Box> cells(Operand from, const Coord& element) const = 0;
  virtual std::vector<Box> outputs(const Coord& cell) const = 0;

  Source source(const Coord& cell) const { return sources(cell, 0, 1).front(); }
};

// `keep` holds what the map points into (Winograd's matrices), for as long as the erased map lives.
template <IndexMap M>
std::shared_ptr<const AnyMap> erase(const M& map, std::shared_ptr<const void> keep = nullptr) {
  struct Erased final : AnyMap {
    Erased(const M& m, std::shared_ptr<const void> k) : map(m), keep(std::move(k)) {}
    std::vector<Source> sources(Coord cell, int axis, std::int64_t count) const override {
      std::vector<Source> row(static_cast<std::size_t>(count));
      for (Source& source : row) {
        source.kind = sources_of(map, cell, [&](const Term& term) { source.terms.push_back(term); });
        ++cell[static_cast<std::size_t>(axis)];
      }
      return row;
    }
    std::vector<Box> cells(Operand from, const Coord& element) const override {
      std::vector<Box> boxes;
      map.cells(from, element, [&](const Box& box) { boxes.push_back(box); });
      return boxes;
    }
    std::vector<Box> outputs(const Coord& cell) const override {
      std::vector<Box> boxes;
      map.outputs(cell, [&](const Box& box) { boxes.push_back(box); });
      return boxes;
    }
    M map;
    std::shared_ptr<const void> keep;
  };
  return std::make_shared<Erased>(map, std::move(keep));
}

struct Stage {
  std::string id;                  // "im2win"; also the name of its buffer in the workspace
  std::string title;               // "im2win tensor Î"
  std::string meaning;             // one sentence: what a cell is
  std::vector<Operand> made_from;  // what its map's sources refer to
  std::vector<Axis> axes;          // in coordinate order
  DType dtype = DType::f32;
  bool complex = false;               // two numbers of `dtype` a cell
  bool stored = true;                 // false: exists only through its map
  std::int64_t copies = 1;            // resident parts that exist at once: one a thread
  std::shared_ptr<const AnyMap> map;  // null: opaque (a vendor's stage), bytes only

  // Fills in the strides of a dense resident part; `order` lists the axes from slowest to fastest.
  void lay_out(const std::vector<int>& order);
  void lay_out();  // in coordinate order

  std::int64_t cells() const;           // of the whole stage
  std::int64_t resident_cells() const;  // in memory at a time
  std::int64_t passes() const;          // how many times the resident part is filled
  std::int64_t cell_bytes() const { return size_of(dtype) * (complex ? 2 : 1); }
  std::int64_t bytes() const { return stored ? copies * resident_cells() * cell_bytes() : 0; }

  // The element offset of `cell` in the resident part, counted in cells; copy number k begins k·resident_cells() later.
  std::int64_t offset(const Coord& cell) const;

  std::string formula() const;  // "N·C_i·H_o·H_f·W̃ × 4 B", of the resident parts
  std::string numbers() const;  // "4·64·54·3·58 × 4 B"
};

}  // namespace convlens
