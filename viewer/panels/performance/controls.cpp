// The live run with its options: ablations as switches, or, where there is little room, behind one button; what else
// can be chosen, such as tile sizes, behind another.
#include <algorithm>

#include "algorithms/interface/registry.h"
#include "viewer/panels/performance/performance.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

void draw_choice_of_row(Bench& bench, bool little_room) {
  const Algorithm& now = *bench.compared.run.algorithm;
  std::vector<std::string> names{now.id};
  if (!little_room)
    for (const Algorithm* row : algorithms()) names.push_back(row->id);
  if (little_room) flow(width_of_list(names));
  ImGui::SetNextItemWidth(std::min(width_of_list(names), ImGui::GetContentRegionAvail().x));
  if (!ImGui::BeginCombo("##row", now.id.c_str())) return;
  for (const Algorithm* row : algorithms())
    if (ImGui::Selectable(row->id.c_str(), row == &now)) bench.change_run(row->id);
  ImGui::EndCombo();
}

void change_options(Bench& bench, const OptionSet& options) {
  bench.change_run(run_name(*bench.compared.run.algorithm, options));
}

// A checkbox for what is on or off, a list for what has other values.
void draw_switch(Bench& bench, const Option& option, bool goes_on) {
  OptionSet options = bench.compared.run.options;
  const std::string value = options[option.id];
  const float title = ImGui::CalcTextSize(option.id.c_str()).x + ImGui::GetStyle().ItemInnerSpacing.x;
  const bool simple = option.values.size() == 2 && std::ranges::find(option.values, "on") != option.values.end();
  const float box = simple ? ImGui::GetFrameHeight() : width_of_list(option.values);
  if (goes_on) flow(box + title);
  if (simple) {
    bool on = value == "on";
    if (ImGui::Checkbox(option.id.c_str(), &on)) {
      const auto off = std::ranges::find_if(option.values, [](const std::string& v) { return v != "on"; });
      options.set(option.id, on ? "on" : *off);
      change_options(bench, options);
    }
  } else {
    ImGui::SetNextItemWidth(box);
    if (ImGui::BeginCombo(option.id.c_str(), value.c_str())) {
      for (const std::string& other : option.values)
        if (ImGui::Selectable(other.c_str(), other == value)) {
          options.set(option.id, other);
          change_options(bench, options);
        }
      ImGui::EndCombo();
    }
  }
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s: %s", option.title.c_str(), option.sentence.c_str());
}

// The other options that have values to choose from: tile sizes, stages, what is compiled in.
std::vector<const Option*> choices(const Algorithm& row) {
  std::vector<const Option*> all;
  for (const Option& option : row.options)
    if (!option.ablation && option.values.size() > 1) all.push_back(&option);
  return all;
}

// A button that opens a list of these.
void draw_behind_button(Bench& bench, const std::string& title, const char* id,
                        const std::vector<const Option*>& options) {
  flow(ImGui::CalcTextSize(title.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x);
  ImGui::BeginDisabled(options.empty());
  if (ImGui::Button(title.c_str())) ImGui::OpenPopup(id);
  ImGui::EndDisabled();
  if (!ImGui::BeginPopup(id)) return;
  for (const Option* option : options) draw_switch(bench, *option, false);
  ImGui::EndPopup();
}

}  // namespace

void draw_run(Bench& bench, bool little_room) {
  draw_choice_of_row(bench, little_room);
  const std::vector<const Option*> all = switches(*bench.compared.run.algorithm);
  const std::vector<const Option*> more = choices(*bench.compared.run.algorithm);
  if (!little_room) {
    for (const Option* option : all) draw_switch(bench, *option, true);
  } else {
    const std::string title =
        all.empty() ? "no switches" : counted(static_cast<std::int64_t>(all.size()), "switch", "switches");
    draw_behind_button(bench, title, "switches", all);
  }
  if (!more.empty())
    draw_behind_button(bench, counted(static_cast<std::int64_t>(more.size()), "choice"), "choices", more);
}

}  // namespace convlens::viewer
