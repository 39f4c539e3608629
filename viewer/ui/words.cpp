#include "viewer/ui/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "algorithms/interface/window.h"
#include "kernels/fft/fft_parts.h"
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
      if (gpu::in_parts(plan, stage))
        if (const std::string entry = gpu::entry_text(plan, stage, cell); !entry.empty())
          text = "its entry " + entry + "; depends on";
      for (std::size_t k = 0; k < std::min(source.terms.size(), kMostTerms); ++k) {
        const Term& t = source.terms[k];
        text += (k > 0 ? ", " : " ") + counted(t.at.size(), "cell") + " of " + operand_text(plan, t.from) + " from " +
                tuple(t.at.first, operand_rank(plan, t.from));
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

std::string taps_text(const ConvProblem& p, const Coord& output) {
  const auto taps = static_cast<std::int64_t>(window_of_output(p, output).size());
  std::string text = "Σ x·w over " + counted(p.ci_per_group(), "channel") + " and " + counted(p.taps(), "tap");
  if (taps < p.taps()) text += ", " + std::to_string(p.taps() - taps) + " of them on padding";
  return text;
}

// "p 15-17": the outputs along one axis that read an element of the input.
struct Readers {
  std::int64_t count = 0, first = 0, last = -1;

  Readers(const WindowAxis& axis, std::int64_t element) {
    axis.readers(element, [&](std::int64_t output, std::int64_t) {
      first = count == 0 ? output : std::min(first, output), last = std::max(last, output);
      ++count;
    });
  }
  std::string text(const char* name) const {
    return std::string(name) + " " + std::to_string(first) + (last > first ? "–" + std::to_string(last) : "");
  }
};

std::string input_text(const ConvProblem& p, const Coord& at) {
  const Readers rows(WindowAxis::rows(p), at[2]), columns(WindowAxis::columns(p), at[3]);
  const std::int64_t windows = rows.count * columns.count;
  if (windows == 0) return "no window reads it";
  return "read by " + counted(windows, "window") + " (" + rows.text("p") + ", " + columns.text("q") + "), each for " +
         counted(p.co_per_group(), "output channel");
}

std::string filter_text(const ConvProblem& p, const Coord& at) {
  const std::int64_t outputs = p.n() * p.ho() * p.wo();
  return (outputs == 1 ? "multiplied once, in the one output of channel "
                       : "multiplied once in each of the " + grouped(outputs) + " outputs of channel ") +
         std::to_string(at[0]);
}

std::string block_text(const Model& model, const Coord& at) {
  const std::optional<Coord> element = model.element_of_block(at);
  return element ? "= w" + tuple(*element, 4) : "a zero: output o reads the channels of its own group alone";
}

std::string meaning_of(const Model& model, const Exhibit& exhibit, const Coord& cell) {
  const ConvProblem& p = *model.problem();
  switch (exhibit.role) {
    case Role::input:
      return input_text(p, cell);
    case Role::filter:
      return filter_text(p, cell);
    case Role::blocks:
      return block_text(model, cell);
    case Role::output:
      return taps_text(p, cell);
    case Role::stage:
      break;
  }
  if (const std::string why = too_much(exhibit.effort); !why.empty()) return why;
  return stage_formula(*model.rows()[static_cast<std::size_t>(exhibit.row)].plan, model.stage(exhibit), cell);
}

std::string value_text(const Values& values, const Exhibit& exhibit, const Coord& cell) {
  if (!too_much(exhibit.effort).empty()) return "?";
  const std::complex<double> value = values.at(exhibit, cell);
  if (!exhibit.complex) return number_text(value.real());
  if (std::abs(value) <= values.roundoff(exhibit, cell)) return number_text(std::abs(value)) + ", rounding alone";
  return number_text(std::abs(value)) + " at angle " + number_text(std::arg(value));
}

std::string byte_text(std::int64_t byte) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(byte));
  return text;
}

// "Re at byte 0x10 − 0x210, Im at byte 0x10 − 0x110, times a power of two": a number put together from real ones.
std::string parts_text(const Plan& plan, const Stage& stage, const Coord& cell) {
  const auto [re, im] = gpu::parts_of(plan, stage, cell);
  const auto sum = [&](const std::vector<gpu::RealNumber>& numbers) {
    std::string text;
    for (const gpu::RealNumber& number : numbers) {
      text += number.factor < 0 ? (text.empty() ? "−" : " − ") : text.empty() ? "" : " + ";
      text += byte_text(number.offset * size_of(stage.dtype));
    }
    return text;
  };
  return "Re at byte " + sum(re) + ", Im at byte " + sum(im) + ", times a power of two";
}

std::string address_text(const Model& model, const Exhibit& exhibit, const Coord& cell) {
  if (!exhibit.stored) return "never stored: it exists through its map alone";
  if (exhibit.role == Role::stage)
    if (const Plan& plan = *model.rows()[static_cast<std::size_t>(exhibit.row)].plan;
        gpu::in_parts(plan, model.stage(exhibit)))
      return parts_text(plan, model.stage(exhibit), cell);
  std::int64_t offset = 0, size = exhibit.bytes / std::max<std::int64_t>(1, exhibit.cells());
  if (exhibit.role == Role::stage)
    offset = model.stage(exhibit).offset(cell), size = model.stage(exhibit).cell_bytes();
  else
    for (std::size_t axis = 0; axis < exhibit.axes.size(); ++axis) offset += cell[axis] * exhibit.axes[axis].stride;
  return "offset " + std::to_string(offset) + "  byte " + byte_text(offset * size);
}

}  // namespace

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string short_number(double value, int letters) {
  std::string text;
  for (int digits = 3; digits > 0; --digits) {
    text = number_text(value == 0 ? 0 : value, digits);
    if (static_cast<int>(text.size()) <= letters) return text;
    if (const std::size_t zero = text.find("0."); zero != std::string::npos && zero == (text[0] == '-' ? 1u : 0u))
      text.erase(zero, 1);
    if (static_cast<int>(text.size()) <= letters) return text;
  }
  char small[32];
  std::snprintf(small, sizeof small, "%.0e", value);
  text = small;
  if (const std::size_t zero = text.find("e-0"); zero != std::string::npos) text.erase(zero + 2, 1);
  if (const std::size_t plus = text.find("e+0"); plus != std::string::npos) text.erase(plus + 1, 2);
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

std::string counted(std::int64_t count, const std::string& one, const std::string& many) {
  return grouped(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

CellWords cell_words(const Model& model, const Values& values, const Exhibit& exhibit, const Coord& cell) {
  constexpr std::size_t kMostSummands = 64;
  return {exhibit.title,
          named_tuple(exhibit, cell),
          value_text(values, exhibit, cell),
          address_text(model, exhibit, cell),
          sum_of(model, values, exhibit, cell, kMostSummands),
          meaning_of(model, exhibit, cell),
          combination_of(model, exhibit, cell)};
}

}  // namespace convlens::viewer
