#include "viewer/logic/copies.h"

#include <algorithm>

namespace convlens::viewer {

std::optional<Copies> copies_of(const Model& model, const Exhibit& exhibit) {
  if (exhibit.role != Role::stage) return std::nullopt;
  const Stage& stage = model.stage(exhibit);
  if (stage.made_from != std::vector{kInput} || exhibit.cells() == 0) return std::nullopt;
  const ConvProblem& p = *model.problem();
  Copies copies;
  copies.height = p.hi(), copies.width = p.wi();
  copies.counts.reserve(static_cast<std::size_t>(p.hi() * p.wi()));
  std::int64_t sum = 0;
  for (std::int64_t h = 0; h < p.hi(); ++h)
    for (std::int64_t w = 0; w < p.wi(); ++w) {
      std::int64_t count = 0;
      for (const Box& box : stage.map->cells(kInput, {0, 0, h, w})) count += box.size();
      copies.counts.push_back(count);
      copies.most = std::max(copies.most, count);
      sum += count;
    }
  const SourceKind kind = stage.map->source({}).kind;
  copies.bytes = stage.cells() * stage.cell_bytes();
  if (kind == SourceKind::combination || kind == SourceKind::region) return copies;
  copies.elements = sum * p.n() * p.ci();
  copies.zeros = stage.cells() - copies.elements;
  return copies;
}

}  // namespace convlens::viewer
