#include "viewer/ui/options.h"

#include <algorithm>
#include <cstdio>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "viewer/logic/runs.h"
#include "viewer/logic/typed_option.h"

namespace convlens::viewer {

namespace {

constexpr const char* kValue = "##value";
constexpr float kValueShare = 0.45f;  // of the width; the title has the rest

// The value chosen from those that there are.
std::optional<std::string> draw_list(const Option& option, const std::string& now) {
  std::optional<std::string> chosen;
  if (!ImGui::BeginCombo(kValue, now.c_str())) return chosen;
  for (const std::string& value : option.values)
    if (ImGui::Selectable(value.c_str(), value == now)) chosen = value;
  ImGui::EndCombo();
  return chosen;
}

// What is typed stays, red as long as the option cannot be it; the value that it stands for, where it is another text.
std::optional<std::string> draw_box(const Option& option, const std::string& now, TypedOption& typed) {
  typed.follow(now);
  constexpr std::size_t kLetters = 256;  // more than any legal value has
  std::vector<char> text(std::max(kLetters, typed.text().size() + 1));
  std::snprintf(text.data(), text.size(), "%s", typed.text().c_str());
  const bool wrong = !typed.wrong(option).empty();
  if (wrong) ImGui::PushStyleColor(ImGuiCol_Text, palette().wrong);
  const bool edited = ImGui::InputText(kValue, text.data(), text.size(), ImGuiInputTextFlags_AutoSelectAll);
  if (wrong) ImGui::PopStyleColor();
  if (ImGui::IsItemActivated()) typed.begin();
  return edited ? std::optional(typed.type(text.data(), option)) : std::nullopt;
}

void draw_option(Scene& scene, const Algorithm& row, const OptionSet& options, const Option& option,
                 std::size_t number) {
  const std::string id = row.id + option.id;
  const std::string& now = options[option.id];
  TypedOption& typed = scene.kept.get<TypedOption>("typed " + std::to_string(number) + " " + id);
  ImGui::PushID(id.c_str());
  const float width = ImGui::GetContentRegionAvail().x, gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const auto wide = [](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; };
  // A list has a button as wide as it is high.
  const float value_width = wide(now) + 2 * ImGui::GetStyle().FramePadding.x + ImGui::GetFrameHeight();
  const bool beside = wide(option.title) + gap <= width * (1 - kValueShare) && value_width <= width * kValueShare;
  if (!beside) wrapped_text(option.title);
  ImGui::SetNextItemWidth(beside ? width * kValueShare : width);
  const bool listed = !option.values.empty();
  const std::optional<std::string> value = listed ? draw_list(option, now) : draw_box(option, now, typed);
  bool hovered = ImGui::IsItemHovered();
  if (beside) {
    ImGui::SameLine(0, gap);
    ImGui::TextUnformatted(option.title.c_str());
    hovered = hovered || ImGui::IsItemHovered();
  }
  if (hovered) ImGui::SetTooltip("%s", option.sentence.c_str());
  if (!listed) wrong_text(typed.wrong(option));
  ImGui::PopID();
  if (!value || *value == now) return;
  OptionSet changed = options;
  changed.set(option.id, *value);
  State next = scene.state;
  next.runs[number] = run_name(row, changed);
  next.runs = distinct_runs(next.runs);
  scene.change(std::move(next), listed ? "" : id);  // letters that are typed into one box are one step of undo
}

}  // namespace

void draw_options(Scene& scene, const Algorithm& row, std::size_t number) {
  OptionSet options;
  try {
    options = parse_run(scene.state.runs[number]).options;
  } catch (const BadInput& error) {
    return wrong_text(error.what());
  }
  ImGui::Indent();
  for (const Option& option : row.options) draw_option(scene, row, options, option, number);
  ImGui::Unindent();
}

}  // namespace convlens::viewer
