// One cell of a stage, asked of the stage's own index map: where it lies, what it is made of, where it goes.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "algorithms/interface/tensor_maps.h"
#include "cli/explain.h"
#include "cli/numbers.h"
#include "kernels/fft/fft_parts.h"

namespace convlens::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLines = 12;  // of sources or outputs, in the text; the JSON has them all

std::size_t rank_of(const Plan& plan, Operand operand) {
  return operand.id < 0 ? 4 : plan.stages()[static_cast<std::size_t>(operand.id)].axes.size();
}

// The element offset in x or w as the declared layout has it.
std::int64_t tensor_offset(const Plan& plan, Operand operand, const Coord& at) {
  const Request& r = plan.request();
  const Strides strides = operand == kInput ? dense_strides(r.layouts.x, plan.problem().x_shape())
                                            : dense_strides(r.layouts.w, plan.problem().w_shape());
  return at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2] + at[3] * strides[3];
}

Json box_json(const Box& box, std::size_t rank) {
  Json first = Json::array(), extent = Json::array();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    first.push_back(box.first[axis]);
    extent.push_back(box.extent[axis]);
  }
  return {{"first", first}, {"extent", extent}};
}

// "x(0, 3, 5…7, 17)"
std::string box_text(const std::string& tensor, const Json& box) {
  std::string text;
  for (std::size_t axis = 0; axis < box["first"].size(); ++axis) {
    const std::int64_t first = box["first"][axis], extent = box["extent"][axis];
    text +=
        (axis > 0 ? ", " : "") + std::to_string(first) + (extent > 1 ? "…" + std::to_string(first + extent - 1) : "");
  }
  return tensor + "(" + text + ")";
}

Json boxes_json(const std::vector<Box>& boxes, std::size_t rank) {
  Json list = Json::array();
  for (const Box& box : boxes) list.push_back(box_json(box, rank));
  return list;
}

std::string kind_name(SourceKind kind) {
  switch (kind) {
    case SourceKind::element:
      return "element";
    case SourceKind::zero_padding:
      return "zero_padding";
    case SourceKind::alignment_padding:
      return "alignment_padding";
    case SourceKind::combination:
      return "combination";
    case SourceKind::region:
      break;
  }
  return "region";
}

std::string kind_words(const std::string& kind) {
  if (kind == "element") return "a copy of";
  if (kind == "zero_padding") return "a zero of the layer's padding";
  if (kind == "alignment_padding")
    return "alignment padding: it exists only to round a size up, and counts for nothing";
  if (kind == "combination") return "a sum of";
  return "a value that depends on";
}

Coord checked_cell(const Stage& stage, const std::vector<std::int64_t>& at) {
  if (at.empty() || at.size() > stage.axes.size()) {
    std::string names;
    for (const Axis& axis : stage.axes) names += (names.empty() ? "" : ", ") + axis.name;
    throw BadInput("--at: " + std::to_string(at.size()) + " coordinates, must be 1 to " +
                   std::to_string(stage.axes.size()) + " for stage " + stage.id + ": " + names);
  }
  Coord cell{};
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    const Axis& a = stage.axes[axis];
    if (at[axis] < 0 || at[axis] >= a.extent)
      throw BadInput("--at: " + a.name + " = " + std::to_string(at[axis]) + ", must be from 0 to " + a.symbol +
                     " − 1 = " + std::to_string(a.extent - 1) + " in stage " + stage.id);
    cell[axis] = at[axis];
  }
  return cell;
}

// Which operand of later stages this stage is.
Operand operand_of(const Plan& plan, const Stage& stage) {
  const auto found = std::ranges::find(plan.stages(), stage.id, &Stage::id);
  return found == plan.stages().end() ? kInput : stage_operand(static_cast<int>(found - plan.stages().begin()));
}

// The cells of other stages that this one goes into.
Json goes_into(const Plan& plan, const Stage& stage, const Coord& cell) {
  Json list = Json::array();
  const Operand self = stage.made_from == std::vector{kInput} && stage.id == "input" ? kInput : operand_of(plan, stage);
  for (const Stage& other : plan.stages()) {
    const bool reads = std::ranges::find(other.made_from, self) != other.made_from.end();
    if (!reads || other.map == nullptr || other.id == stage.id) continue;
    list.push_back({{"stage", other.id}, {"boxes", boxes_json(other.map->cells(self, cell), other.axes.size())}});
  }
  return list;
}

Json term_json(const Plan& plan, const Term& term, SourceKind kind) {
  Json json = box_json(term.at, rank_of(plan, term.from));
  json["from"] = operand_name(plan, term.from);
  if (kind != SourceKind::region) json["coefficient"] = term.coefficient.text();
  if (kind != SourceKind::region && term.from.id < 0) json["offset"] = tensor_offset(plan, term.from, term.at.first);
  return json;
}

void append_boxes(std::string& text, const std::string& tensor, const Json& boxes) {
  for (std::size_t k = 0; k < std::min(boxes.size(), kMostLines); ++k) text += "\n    " + box_text(tensor, boxes[k]);
  if (boxes.size() > kMostLines) text += "\n    … and " + std::to_string(boxes.size() - kMostLines) + " more";
}

// Where a cell lies in the buffer of its stage, which begins at byte `buffer` of the workspace.
Json place_json(const Stage& stage, std::int64_t offset, std::int64_t bytes, std::optional<std::int64_t> buffer) {
  Json place{{"in", stage.id}, {"offset", offset}, {"byte", offset * bytes}};
  if (buffer) place["workspace_byte"] = *buffer + offset * bytes;
  return place;
}

// Of a complex number: the real ones that its parts are sums of, each with a factor.
Json parts_json(const Plan& plan, const Stage& stage, const Coord& cell, std::optional<std::int64_t> buffer) {
  const auto [re, im] = gpu::parts_of(plan, stage, cell);
  Json place{{"in", stage.id}};
  for (const auto& [name, part] : {std::pair("re", &re), std::pair("im", &im)}) {
    place[name] = Json::array();
    for (const auto& [offset, factor] : *part) {
      place[name].push_back(place_json(stage, offset, size_of(stage.dtype), buffer));
      place[name].back()["factor"] = factor;
    }
  }
  return place;
}

// "element 40, byte 80 − element 12, byte 24"
std::string part_text(const Json& part) {
  std::string text;
  for (const Json& number : part) {
    text += number["factor"] < 0 ? (text.empty() ? "−" : " − ") : text.empty() ? "" : " + ";
    text += "element " + grouped(number["offset"]) + ", byte " + grouped(number["byte"]);
  }
  return text;
}

}  // namespace

std::vector<Stage> stages_with_input(const Plan& plan) {
  std::vector<Stage> stages(plan.stages().begin(), plan.stages().end());
  if (std::ranges::find(stages, "input", &Stage::id) == stages.end())
    stages.push_back(input_stage(plan.problem(), plan.request().dtype));
  return stages;
}

Json cell_json(const Plan& plan, const Stage& stage, const std::vector<std::int64_t>& at) {
  const Coord cell = checked_cell(stage, at);
  if (stage.map == nullptr)
    throw Unsupported("--at: stage " + stage.id + " is opaque: its bytes are known, its cells are not");
  Json axes;
  for (std::size_t axis = 0; axis < at.size(); ++axis) axes[stage.axes[axis].name] = at[axis];
  Json json{{"stage", stage.id}, {"at", axes}};

  // The input is read where it is; other stages that aren't stored have no address.
  const bool is_input = stage.id == "input";
  if (stage.stored || is_input) {
    const auto buffer = std::ranges::find(plan.workspace(), stage.id, &Buffer::name);
    const std::optional<std::int64_t> begins =
        buffer == plan.workspace().end() ? std::nullopt : std::optional(buffer->offset);
    if (gpu::in_parts(plan, stage)) {
      json["lies"] = parts_json(plan, stage, cell, begins);
    } else {
      const std::int64_t offset = is_input ? tensor_offset(plan, kInput, cell) : stage.offset(cell);
      json["lies"] = place_json(stage, offset, stage.cell_bytes(), begins);
      if (is_input) json["lies"]["in"] = "x";
    }
  }

  const Source source = stage.map->source(cell);
  json["kind"] = kind_name(source.kind);
  Json sources = Json::array();
  for (const Term& term : source.terms) sources.push_back(term_json(plan, term, source.kind));
  json["sources"] = sources;
  json["goes_into"] = goes_into(plan, stage, cell);
  json["outputs"] = boxes_json(stage.map->outputs(cell), 4);
  return json;
}

std::string cell_text(const Json& cell) {
  std::string at;
  for (const auto& [axis, value] : cell["at"].items()) at += (at.empty() ? "" : ", ") + axis + "=" + value.dump();
  std::string text = cell["stage"].get<std::string>() + "(" + at + ")";
  if (cell.contains("lies") && cell["lies"].contains("re")) {
    const Json& lies = cell["lies"];
    text += "\n  lies in " + lies["in"].get<std::string>() + ", times a power of two, in parts";
    text += "\n    Re = " + part_text(lies["re"]) + "\n    Im = " + part_text(lies["im"]);
  } else if (cell.contains("lies")) {
    const Json& lies = cell["lies"];
    text += "\n  lies in " + lies["in"].get<std::string>() + " at element " + grouped(lies["offset"]) + ", byte " +
            grouped(lies["byte"]);
    if (lies.contains("workspace_byte")) text += "; byte " + grouped(lies["workspace_byte"]) + " of the workspace";
  } else {
    text += "\n  is never stored";
  }

  const Json& sources = cell["sources"];
  const bool all_padding = cell["kind"] == "combination" && sources.empty();
  text += "\n  holds " + (all_padding ? "0: all that it is a sum of is padding" : kind_words(cell["kind"]));
  for (std::size_t k = 0; k < std::min(sources.size(), kMostLines * 4); ++k) {
    const Json& term = sources[k];
    const std::string coefficient = cell["kind"] == "combination" ? term["coefficient"].get<std::string>() + " · " : "";
    text += "\n    " + coefficient + box_text(term["from"], term);
    if (term.contains("offset")) text += ", element " + grouped(term["offset"]);
  }
  if (sources.size() > kMostLines * 4)
    text += "\n    … and " + std::to_string(sources.size() - kMostLines * 4) + " more";

  for (const Json& into : cell["goes_into"]) {
    text += "\n  goes into stage " + into["stage"].get<std::string>() + (into["boxes"].empty() ? " nowhere" : "");
    append_boxes(text, into["stage"], into["boxes"]);
  }
  text += cell["outputs"].empty() ? "\n  is used by no output" : "\n  is used by the outputs";
  append_boxes(text, "y", cell["outputs"]);
  return text + "\n";
}

}  // namespace convlens::cli
