// Which kernel is shown: the row, the step of its call, the file of its text, and the GPU that it is compiled for.
#include "viewer/panels/kernel/kernel.h"

namespace convlens::viewer {

namespace {

// A combo as wide as what it shows; the next goes beside it where it fits.
class Choices {
 public:
  explicit Choices(Scene& scene)
      : scene_(scene), right_(ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x) {}

  template <class Set>
  void choose(const char* label, const std::string& now, const std::vector<std::string>& all, Set&& set) {
    const ImGuiStyle& style = ImGui::GetStyle();
    const float width =
        std::min(ImGui::CalcTextSize(now.c_str()).x + ImGui::GetFrameHeight() + 3 * style.FramePadding.x,
                 ImGui::GetContentRegionAvail().x);
    if (any_ && ImGui::GetItemRectMax().x + style.ItemSpacing.x + width < right_) ImGui::SameLine();
    any_ = true;
    ImGui::SetNextItemWidth(width);
    if (!ImGui::BeginCombo(label, now.c_str(), ImGuiComboFlags_HeightLarge)) return;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (ImGui::Selectable(all[k].c_str(), all[k].starts_with(now))) {
        State next = scene_.state;
        set(next.kernel, k);
        scene_.change(std::move(next), "");
      }
    ImGui::EndCombo();
  }

 private:
  Scene& scene_;
  float right_;
  bool any_ = false;
};

std::string title(const std::pair<std::int64_t, std::string>& launch) {
  return "step " + std::to_string(launch.first) + ", " + launch.second;
}

}  // namespace

void draw_kernel_choices(Scene& scene, const KernelSheet& sheet) {
  Choices choices(scene);
  const std::vector<std::string> runs = kernel_runs(scene.state);
  choices.choose("##row", sheet.run.empty() ? "choose a row" : sheet.run, runs, [&](KernelState& s, std::size_t k) {
    const std::string run = runs[k];
    s = {.run = run, .step = 0, .file = "", .architecture = s.architecture, .texts = s.texts};
  });
  if (!sheet.refused.empty()) return;
  std::vector<std::string> steps;
  std::string step;
  for (const auto& launch : sheet.launches) {
    steps.push_back(title(launch));
    if (launch.first == sheet.step) step = steps.back().substr(0, steps.back().find(':'));
  }
  choices.choose("##step", step, steps, [&](KernelState& s, std::size_t k) {
    s.step = sheet.launches[k].first;
    s.file.clear();
  });
  choices.choose("##file", sheet.file, sheet.files, [&](KernelState& s, std::size_t k) { s.file = sheet.files[k]; });
  choices.choose("##architecture", sheet.architecture, sheet.architectures,
                 [&](KernelState& s, std::size_t k) { s.architecture = sheet.architectures[k]; });
}

}  // namespace convlens::viewer
