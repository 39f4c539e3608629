// The left side: which layer, and how tensors are stored and filled; algorithms are in a file of their own.
#include "viewer/ui/sidebar.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/problem/layers.h"
#include "algorithms/problem/parse.h"
#include "viewer/logic/in_symbols.h"
#include "viewer/logic/layer_sizes.h"
#include "viewer/logic/state_rules.h"
#include "viewer/logic/typed_number.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

void draw_named_layers(Scene& scene) {
  const std::string now = scene.state.layer.empty() ? "own sizes" : scene.state.layer;
  const std::string wrong = wrong_layer(scene.state);
  ImGui::SetNextItemWidth(-1);
  if (!wrong.empty()) ImGui::PushStyleColor(ImGuiCol_Text, palette().wrong);
  const bool open = ImGui::BeginCombo("##layer", now.c_str(), ImGuiComboFlags_HeightLarge);
  if (!wrong.empty()) ImGui::PopStyleColor();
  if (!open) return wrong_text(wrong);
  std::string suite;
  for (const NamedLayer& layer : named_layers()) {
    if (layer.suite != suite) ImGui::TextDisabled("%s", (suite = layer.suite).c_str());
    const std::string text = layer.name + "   " + to_text(layer.spec);
    if (ImGui::Selectable(text.c_str(), layer.name == scene.state.layer)) {
      State next = scene.state;
      next.layer = layer.name;
      const std::int64_t batch = next.spec.n;
      next.spec = layer.spec;
      next.spec.n = batch;
      scene.change(std::move(next), "");
    }
  }
  ImGui::EndCombo();
}

// Whether a size is one of those whose product overflows: the message has them by their symbols.
bool overflows(const std::string& message, const LayerSize& field) {
  const std::string symbol = field.symbol;
  const std::string derived = symbol == "H_i" ? "H_o" : symbol == "W_i" ? "W_o" : symbol;
  return message.find("·" + symbol) != std::string::npos || message.find("·(" + symbol) != std::string::npos ||
         message.find("·" + derived) != std::string::npos ||
         (symbol == "N" && message.find(" N·") != std::string::npos);
}

// What is typed into the box of one size.
TypedNumber& typed(Scene& scene, const LayerSize& field) {
  return scene.kept.get<TypedNumber>(std::string("typed ") + field.name);
}

// The layer as it was before a hand came to a slider or a box.
struct Untouched {
  std::string layer;
  ConvSpec spec;
};

// The box: what is typed stays, letters and all, and is the size while it is a number; else the size is what it was
// before. True when something has been typed.
bool draw_box(TypedNumber& number, std::int64_t& value) {
  constexpr std::size_t kLetters = 256;  // more than any number has
  std::vector<char> text(std::max(kLetters, number.text().size() + 1));
  std::snprintf(text.data(), text.size(), "%s", number.text().c_str());
  const bool edited = ImGui::InputText("##box", text.data(), text.size(), ImGuiInputTextFlags_AutoSelectAll);
  if (ImGui::IsItemActivated()) number.begin();
  if (edited) value = number.type(text.data());
  return edited;
}

// What the symbols leave for a slider and a box together.
float room_for_size() {
  float symbols = 0;
  for (const LayerSize& size : kLayerSizes) symbols = std::max(symbols, ImGui::CalcTextSize(size.symbol).x);
  return ImGui::GetContentRegionAvail().x - symbols - 2 * ImGui::GetStyle().ItemSpacing.x;
}

// Of these a box takes what the longest of the sizes needs, and at least its share.
float box_width(const ConvSpec& spec, float room) {
  float digits = 0;
  for (const LayerSize& size : kLayerSizes)
    digits = std::max(digits, ImGui::CalcTextSize(std::to_string(spec.*size.member).c_str()).x);
  const float needed = digits + 2 * ImGui::GetStyle().FramePadding.x + 1;  // and the cursor
  return std::clamp(needed, room * 0.35f, room * 0.8f);
}

// A slider and a box for one size. What breaks a rule is shown red, and left as it is.
void draw_size(Scene& scene, const LayerSize& field) {
  TypedNumber& number = typed(scene, field);
  number.follow(scene.state.spec.*field.member);
  const bool wrong = !number.wrong(field.name).empty() ||
                     std::ranges::any_of(scene.model().broken(),
                                         [&](const BrokenRule& rule) { return rule.parameter == field.name; }) ||
                     overflows(scene.model().overflow(), field);
  ImGui::PushID(field.name);
  if (wrong) ImGui::PushStyleColor(ImGuiCol_Text, palette().wrong);
  std::int64_t value = scene.state.spec.*field.member;
  const float room = room_for_size(), box = box_width(scene.state.spec, room);
  bool changed = false;
  ImGui::SetNextItemWidth(room - box);
  changed |= ImGui::SliderScalar("##slider", ImGuiDataType_S64, &value, &field.least, &field.most, "",
                                 ImGuiSliderFlags_NoInput);
  bool touched = ImGui::IsItemActivated();
  ImGui::SameLine();
  ImGui::SetNextItemWidth(box);
  changed |= draw_box(number, value);
  touched |= ImGui::IsItemActivated();
  ImGui::SameLine();
  ImGui::TextUnformatted(field.symbol);
  if (wrong) ImGui::PopStyleColor();
  ImGui::PopID();
  auto& untouched = scene.kept.get<Untouched>("layer before a hand came");
  if (touched) untouched = {scene.state.layer, scene.state.spec};
  if (!changed || value == scene.state.spec.*field.member) return;
  State next = scene.state;
  next.spec.*field.member = value;
  if (field.member != &ConvSpec::n) next.layer = next.spec == untouched.spec ? untouched.layer : "";
  scene.change(std::move(next), field.name);
}

void draw_bias(Scene& scene) {
  bool bias = scene.state.spec.bias;
  if (!ImGui::Checkbox("bias", &bias)) return;
  State next = scene.state;
  next.spec.bias = bias;
  next.layer.clear();
  scene.change(std::move(next), "");
}

void draw_layer(Scene& scene) {
  heading("LAYER");
  draw_named_layers(scene);
  for (const LayerSize& field : kLayerSizes) draw_size(scene, field);
  draw_bias(scene);
  for (const LayerSize& field : kLayerSizes) wrong_text(in_symbols(typed(scene, field).wrong(field.name)));
  for (const BrokenRule& rule : scene.model().broken()) wrong_text(in_symbols(rule.line()));
  wrong_text(in_symbols(scene.model().overflow()));
  if (scene.model().problem()) {
    const ConvProblem& p = *scene.model().problem();
    faint_text("H_o x W_o  " + std::to_string(p.ho()) + " x " + std::to_string(p.wo()) + "    " +
               number_text(static_cast<double>(p.flops()) / 1e9) + "\u00a0GFLOP");
  }
}

// A combo over `values`, named by `text`; `set` makes the change.
template <class Values, class Text, class Set>
void choice(Scene& scene, const char* label, const Values& values, const auto& now, Text&& text, Set&& set) {
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.5f);
  if (!ImGui::BeginCombo(label, std::string(text(now)).c_str())) return;
  for (const auto& value : values)
    if (ImGui::Selectable(std::string(text(value)).c_str(), value == now)) {
      State next = scene.state;
      set(next, value);
      scene.change(std::move(next), "");
    }
  ImGui::EndCombo();
}

void draw_data(Scene& scene) {
  heading("DATA");
  const auto text = [](auto value) { return name(value); };
  choice(scene, "type", kDTypes, scene.state.dtype, text, [](State& s, DType v) { s.dtype = v; });
  choice(scene, "layout of x", kLayouts, scene.state.layouts.x, text, [](State& s, Layout v) { s.layouts.x = v; });
  choice(scene, "layout of w", kFilterLayouts, scene.state.layouts.w, text,
         [](State& s, FilterLayout v) { s.layouts.w = v; });
  choice(scene, "layout of y", kLayouts, scene.state.layouts.y, text, [](State& s, Layout v) { s.layouts.y = v; });
  const std::array<std::string, 2> sources{"picture", "random"};
  const std::string now = scene.state.picture == "random" ? "random" : "picture";
  choice(
      scene, "values of x", sources, now, [](const std::string& s) { return s; },
      [](State& s, const std::string& v) { s.picture = v == "random" ? v : ""; });
  bool dark = scene.state.dark;
  if (ImGui::Checkbox("dark", &dark)) {
    State next = scene.state;
    next.dark = dark;
    scene.change(std::move(next), "");
  }
}

}  // namespace

void heading(const char* text) {
  ImGui::Spacing();
  ImGui::TextDisabled("%s", text);
  ImGui::Separator();
}

void draw_sidebar(Scene& scene) {
  draw_layer(scene);
  draw_algorithms(scene);
  draw_data(scene);
}

}  // namespace convlens::viewer
