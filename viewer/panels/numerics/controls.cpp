// The settings of the Numerics panel: how large x is, what is injected where, and which channel the map shows.
#include <algorithm>
#include <array>

#include "viewer/panels/numerics/numerics.h"

namespace convlens::viewer {

namespace {

// As many controls a line as fit.
class Line {
 public:
  explicit Line(float width)
      : right_(ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x), width_(width) {}

  // Before a control with that text beside it.
  void next(const std::string& text) {
    const ImGuiStyle& style = ImGui::GetStyle();
    const float whole = width_ + style.ItemInnerSpacing.x + ImGui::CalcTextSize(text.c_str()).x;
    if (any_ && ImGui::GetItemRectMax().x + 2 * style.ItemSpacing.x + whole < right_)
      ImGui::SameLine(0, 2 * style.ItemSpacing.x);
    any_ = true;
    ImGui::SetNextItemWidth(width_);
  }

 private:
  float right_, width_;
  bool any_ = false;
};

// The text stands beside the slider, where its knob does not cover it.
void slider(Scene& scene, Line& line, const char* id, std::int64_t NumericsState::*member, std::int64_t least,
            std::int64_t most, const std::string& text, const char* tip) {
  State next = scene.state;
  next.numerics.*member = std::clamp(next.numerics.*member, least, most);
  line.next(text);
  if (ImGui::SliderScalar(id, ImGuiDataType_S64, &(next.numerics.*member), &least, &most, "",
                          ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoInput))
    scene.change(next, id);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tip);
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  ImGui::TextUnformatted(text.c_str());
}

const char* title_of(const std::string& injection) {
  return injection == "nan"       ? "a NaN"
         : injection == "inf"     ? "an Inf"
         : injection == "outlier" ? "an outlier"
                                  : "nothing";
}

void choose_injection(Scene& scene, Line& line) {
  line.next("injected into x");
  if (!ImGui::BeginCombo("injected into x", title_of(scene.state.numerics.injection))) return;
  for (const std::string& injection : injection_names())
    if (ImGui::Selectable(title_of(injection), injection == scene.state.numerics.injection)) {
      State next = scene.state;
      next.numerics.injection = injection;
      scene.change(next, "");
    }
  ImGui::EndCombo();
}

}  // namespace

void draw_numerics_controls(Scene& scene, const NumericsTable& table) {
  Line line(8 * ImGui::GetFontSize());
  const NumericsState& now = scene.state.numerics;
  const std::int64_t channels = table.specimen.problem.co(), shown = shown_channel(scene.state, table);
  slider(scene, line, "##scale", &NumericsState::exponent, -kLargestExponent, kLargestExponent,
         "x times 2^" + std::to_string(now.exponent),
         "x is uniform in -1 to 1, times this: what is too large or too small for a type shows");
  if (channels > 1)
    slider(scene, line, "##channel", &NumericsState::channel, 0, channels - 1,
           "channel " + std::to_string(shown) + " of y", "That the map shows");
  choose_injection(scene, line);
  if (now.injection != "none") {
    slider(scene, line, "##down", &NumericsState::down, 0, 100, std::to_string(now.down) + " % down",
           "Where in the image, from the top");
    slider(scene, line, "##across", &NumericsState::across, 0, 100, std::to_string(now.across) + " % across",
           "Where in the image, from the left");
  }
  if (shown != now.channel)
    faint_text("Channel " + std::to_string(now.channel) + " is asked for; of the piece that is computed the last is " +
               std::to_string(shown) + ".");
}

}  // namespace convlens::viewer
