#include "viewer/ui/words.h"

#include <cmath>
#include <cstdio>

#include "viewer/logic/links.h"

namespace convlens::viewer {

namespace {

constexpr std::size_t kMostTerms = 8;

std::string tuple(const Coord& at, std::size_t rank) {
  std::string text;
  for (std::size_t axis = 0; axis < rank; ++axis) text += (axis > 0 ? ", " : "") + std::to_string(at[axis]);
  return "(" + text + ")";
}

std::string named_tuple(const Exhibit& exhibit, const Coord& at) {
  std::string text;
  for (std::size_t axis = 0; axis < exhibit.axes.size(); ++axis)
    text += (axis > 0 ? ", " : "") + exhibit.axes[axis].name + " " + std::to_string(at[axis]);
  return "(" + text + ")";
}

std::string operand_text(const Plan& plan, Operand from) {
  if (from == kInput) return "x";
  if (from == kFilter) return "w";
  return plan.stages()[static_cast<std::size_t>(from.id)].id;
}

std::size_t operand_rank(const Plan& plan, Operand from) {
  return from.id < 0 ? 4 : plan.stages()[static_cast<std::size_t>(from.id)].axes.size();
}

std::string stage_formula(const Plan& plan, const Stage& stage, const Coord& cell) {
  const Source source = stage.map->source(cell);
  switch (source.kind) {
    case SourceKind::zero_padding:
      return "a zero of the layer's padding";
    case SourceKind::alignment_padding:
      return "alignment padding: it only rounds a size up";
    case SourceKind::region: {
      std::string text = "depends on";
      for (std::size_t k = 0; k < std::min(source.terms.size(), kMostTerms); ++k) {
        const Term& t = source.terms[k];
        text += (k > 0 ? ", " : " ") + std::to_string(t.at.size()) + " cells of " + operand_text(plan, t.from) +
                " from " + tuple(t.at.first, operand_rank(plan, t.from));
      }
      return text;
    }
    case SourceKind::element:
    case SourceKind::combination:
      break;
  }
  std::string text = "=";
  for (std::size_t k = 0; k < std::min(source.terms.size(), kMostTerms); ++k) {
    const Term& t = source.terms[k];
    const bool negative = t.coefficient.value() < 0;
    const std::string size = t.coefficient.text().substr(negative ? 1 : 0);
    text += (negative ? " − "
             : k > 0  ? " + "
                      : " ") +
            (size == "1" ? "" : size + "·") + operand_text(plan, t.from) + tuple(t.at.first, 4);
  }
  if (source.terms.size() > kMostTerms) text += " + " + std::to_string(source.terms.size() - kMostTerms) + " more";
  return text;
}

std::string output_formula(const ConvProblem& p, const Coord& at) {
  const std::size_t taps = window_of_output(p, at).size();
  return "= Σ over " + std::to_string(p.ci_per_group()) + " channels and " + std::to_string(taps) + " taps of x · w" +
         (p.bias() ? " + bias" : "") +
         (static_cast<std::int64_t>(taps) < p.taps()
              ? "; " + std::to_string(p.taps() - static_cast<std::int64_t>(taps)) + " taps fall on padding"
              : "");
}

}  // namespace

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string bytes_text(std::int64_t bytes) {
  constexpr const char* kUnits[]{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit < 6) value /= 1024, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : value < 100 ? "%.3g %s" : "%.0f %s", value, kUnits[unit]);
  return text;
}

std::string grouped(std::int64_t value) {
  std::string text = std::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
    text.insert(static_cast<std::size_t>(at), " ");
  return text;
}

CellWords cell_words(const Model& model, const Values& values, const Exhibit& exhibit, const Coord& cell) {
  CellWords words;
  words.name = exhibit.title + " " + named_tuple(exhibit, cell);
  const std::complex<double> value = values.at(exhibit, cell);
  words.value = exhibit.complex ? number_text(std::abs(value)) + " at angle " + number_text(std::arg(value))
                                : number_text(value.real());
  const ConvProblem& problem = *model.problem();
  std::int64_t offset = 0, size = 0;
  if (exhibit.role == Role::stage) {
    const Stage& stage = model.stage(exhibit);
    offset = exhibit.stored ? stage.offset(cell) : 0;
    size = stage.cell_bytes();
    words.formula = stage_formula(*model.rows()[static_cast<std::size_t>(exhibit.row)].plan, stage, cell);
  } else {
    for (std::size_t axis = 0; axis < exhibit.axes.size(); ++axis) offset += cell[axis] * exhibit.axes[axis].stride;
    size = exhibit.bytes / std::max<std::int64_t>(1, exhibit.cells());
    words.formula = exhibit.role == Role::output ? output_formula(problem, cell) : "an element, where it is given";
    if (exhibit.role == Role::blocks) {
      const std::optional<Coord> element = model.element_of_block(cell);
      words.formula =
          element ? "= w" + tuple(*element, 4) : "a zero: output o reads the channels of its own group alone";
    }
  }
  if (!exhibit.stored) {
    words.address = "never stored: it exists through its map alone";
  } else {
    char text[64];
    std::snprintf(text, sizeof text, "offset %lld  byte 0x%llx", static_cast<long long>(offset),
                  static_cast<unsigned long long>(offset * size));
    words.address = text;
  }
  return words;
}

}  // namespace convlens::viewer
