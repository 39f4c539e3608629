#include "viewer/logic/state.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/problem/layers.h"
#include "algorithms/suggest.h"
#include "viewer/logic/layer_sizes.h"
#include "viewer/logic/runs.h"
#include "viewer/logic/schedule.h"
#include "viewer/logic/state_field.h"
#include "viewer/logic/steps.h"
#include "viewer/logic/tour.h"

namespace convlens::viewer {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

// One field: its name in the file, how it is written, and how it is read.
struct Field {
  const char* name;
  std::function<Json(const State&)> write;
  std::function<void(State&, const Json&)> read;  // throws std::exception for a value of another type
};

template <class T>
Field plain(const char* name, T State::*member) {
  return {name, [member](const State& s) { return Json(s.*member); },
          [member](State& s, const Json& json) { s.*member = json.get<T>(); }};
}

Field one_of(const char* name, std::string State::*member, const std::vector<std::string>& names) {
  return {name, [member](const State& s) { return Json(s.*member); },
          [name, member, &names](State& s, const Json& json) { s.*member = read_one_of(name, json, names); }};
}

// A named layer, or "".
void read_layer(State& s, const Json& json) {
  const std::string value = read_text("layer", json);
  std::vector<std::string> names;
  for (const NamedLayer& layer : named_layers()) names.push_back(layer.name);
  if (!value.empty() && std::ranges::find(names, value) == names.end())
    throw BadInput("state: layer: " + json.dump() + suggestion(value, names));
  s.layer = value;
}

Field within(const char* name, std::int64_t State::*member, std::int64_t least, std::int64_t most) {
  return {name, [member](const State& s) { return Json(s.*member); },
          [=](State& s, const Json& json) { s.*member = read_whole(name, json, least, most); }};
}

Json write_spec(const ConvSpec& spec) {
  Json json;
  for (const LayerSize& size : kLayerSizes) json[size.name] = spec.*size.member;
  json["bias"] = spec.bias;
  return json;
}

ConvSpec read_spec(const Json& json) {
  require_object("problem", json);
  ConvSpec spec;
  for (const auto& [key, value] : json.items()) {
    const auto size = std::ranges::find(kLayerSizes, key, &LayerSize::name);
    if (key == "bias")
      spec.bias = value.get<bool>();
    else if (size == kLayerSizes.end() || !is_whole(value))
      refuse_field("problem." + key, value, "a whole number of a size of the layer");
    else
      spec.*(size->member) = value.get<std::int64_t>();
  }
  return spec;
}

Layouts read_layouts(const Json& json) {
  require_fields("layout", json, {"x", "w", "y"});
  const auto x = parse_layout(read_text("layout.x", json.at("x"))),
             y = parse_layout(read_text("layout.y", json.at("y")));
  const auto w = parse_filter_layout(read_text("layout.w", json.at("w")));
  if (!x || !y || !w) refuse_field("layout", json, "x and y NCHW, NHWC or CHWN, w OIHW or OHWI");
  return {*x, *w, *y};
}

Cursor read_cursor(const Json& json) {
  require_fields("cursor", json, {"tensor", "at"});
  Cursor cursor{read_text("cursor.tensor", json.at("tensor")), {}};
  const Json& at = json.at("at");
  if (!at.is_array() || at.size() > kMaxRank || !std::ranges::all_of(at, is_whole))
    refuse_field("cursor.at", at, "at most 6 whole numbers");
  for (std::size_t axis = 0; axis < at.size(); ++axis) cursor.at[axis] = at[axis].get<std::int64_t>();
  return cursor;
}

const std::vector<Field>& fields() {
  static const std::vector<Field> all{
      {"layer", [](const State& s) { return Json(s.layer); }, read_layer},
      {"problem", [](const State& s) { return write_spec(s.spec); },
       [](State& s, const Json& json) { s.spec = read_spec(json); }},
      {"dtype", [](const State& s) { return Json(name(s.dtype)); },
       [](State& s, const Json& json) { s.dtype = read_dtype("dtype", json); }},
      {"layout",
       [](const State& s) {
         return Json{{"x", name(s.layouts.x)}, {"w", name(s.layouts.w)}, {"y", name(s.layouts.y)}};
       },
       [](State& s, const Json& json) { s.layouts = read_layouts(json); }},
      {"runs", [](const State& s) { return Json(s.runs); },
       [](State& s, const Json& json) { s.runs = distinct_runs(json.get<std::vector<std::string>>()); }},
      one_of("panel", &State::panel, panel_names()),
      one_of("arrangement", &State::arrangement, arrangement_names()),
      {"cursor",
       [](const State& s) {
         return Json{{"tensor", s.cursor.tensor}, {"at", s.cursor.at}};
       },
       [](State& s, const Json& json) { s.cursor = read_cursor(json); }},
      plain("hidden", &State::hidden),
      within("step", &State::step, 0, kSteps),
      within("block", &State::block, 0, kMostBlocks),
      one_of("order", &State::order, order_names()),
      plain("picture", &State::picture),
      {"seed", [](const State& s) { return Json(s.seed); },
       [](State& s, const Json& json) {
         if (!json.is_number_unsigned()) refuse_field("seed", json, "a whole number ≥ 0");
         s.seed = json.get<std::uint64_t>();
       }},
      within("memory_limit", &State::memory_limit, 0, std::numeric_limits<std::int64_t>::max()),
      {"performance", [](const State& s) { return to_json(s.performance); },
       [](State& s, const Json& json) { s.performance = performance_from_json(json); }},
      {"numerics", [](const State& s) { return to_json(s.numerics); },
       [](State& s, const Json& json) { s.numerics = numerics_from_json(json); }},
      {"kernel", [](const State& s) { return to_json(s.kernel); },
       [](State& s, const Json& json) { s.kernel = kernel_from_json(json); }},
      within("tour", &State::tour, 0, static_cast<std::int64_t>(tour().size())),
      plain("dark", &State::dark),
      {"scale", [](const State& s) { return Json(s.scale); },
       [](State& s, const Json& json) {
         const double scale = json.get<double>();
         if (!std::isfinite(scale) || (scale != 0 && (scale < kLeastScale || scale > kMostScale)))
           refuse_field("scale", json, "0 (the monitor's) or from 0.5 to 4");
         s.scale = scale;
       }},
  };
  return all;
}

}  // namespace

State first_state() {
  State state;
  state.spec = find_layer(state.layer).spec;
  state.cursor = {"y", {0, 0, 17, 23}};
  state.arrangement = "five";
  state.step = 15;  // the transformed inputs stand whole, and y is half there
  for (const char* family : kFamilies)
    for (const Algorithm* row : algorithms())
      if (row->family == family) {
        state.runs.push_back(row->id);
        break;
      }
  return state;
}

const std::vector<std::string>& panel_names() {
  static const std::vector<std::string> names{"layouts", "performance", "memory", "numerics", "kernel"};
  return names;
}

const std::vector<std::string>& arrangement_names() {
  static const std::vector<std::string> names{"grids", "five", "copies", "ribbon", "schedule"};
  return names;
}

const std::vector<std::string>& order_names() {
  static const std::vector<std::string> names{"launched", "happened"};
  return names;
}

nlohmann::ordered_json to_json(const State& state) {
  Json json{{"convlens_state", kVersion}};
  for (const Field& field : fields()) json[field.name] = field.write(state);
  return json;
}

State state_from_json(const nlohmann::ordered_json& json) {
  if (!json.is_object() || !json.contains("convlens_state"))
    throw BadInput("state: no object with convlens_state, must be a file that the viewer wrote");
  if (const Json& version = json["convlens_state"]; version.is_number_unsigned() && version > kVersion)
    throw NewerState("state: convlens_state: " + version.dump() + ", of a newer version, must be " +
                     std::to_string(kVersion));
  if (json["convlens_state"] != kVersion)
    refuse_field("convlens_state", json["convlens_state"], "version " + std::to_string(kVersion));
  State state = first_state();
  for (const auto& [key, value] : json.items()) {
    if (key == "convlens_state") continue;
    const auto field = std::ranges::find(fields(), key, [](const Field& f) { return std::string(f.name); });
    if (field == fields().end()) refuse_field(key, value, "left out: it is no field of a state");
    try {
      field->read(state, value);
    } catch (const nlohmann::json::exception&) {
      refuse_field(key, value, "of the type that the viewer writes, as in " + field->write(first_state()).dump());
    }
  }
  return state;
}

State with_changes(const State& to, const State& before, const State& after) {
  State state = to;
  for (const Field& field : fields())
    if (const Json value = field.write(after); value != field.write(before)) field.read(state, value);
  return state;
}

}  // namespace convlens::viewer
