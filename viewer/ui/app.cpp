#include "viewer/ui/app.h"

#include <algorithm>

namespace convlens::viewer {

namespace {

constexpr float kSidebarWidth = 320, kStatusLines = 2.9f;

// Every part of the state on which model and values depend; the rest only changes how they are looked at.
bool same_model(const State& a, const State& b) {
  return a.spec == b.spec && a.dtype == b.dtype && a.layouts == b.layouts && a.runs == b.runs &&
         a.picture == b.picture && a.seed == b.seed;
}

void keep_layout(const ImGuiViewport& viewport) {
  ImGui::SetNextWindowPos(viewport.WorkPos);
  ImGui::SetNextWindowSize(viewport.WorkSize);
}

void draw_panels(Scene& scene) {
  if (!ImGui::BeginTabBar("panels")) return;
  for (const Panel& panel : panels()) {
    // The state chooses the tab, so that undo, a state file and the command line can; a click changes the state.
    const bool chosen = scene.state.panel == panel.id;
    static std::string shown;  // which tab ImGui has in front
    const ImGuiTabItemFlags flags = chosen && shown != panel.id ? ImGuiTabItemFlags_SetSelected : 0;
    const bool open = ImGui::BeginTabItem(panel.title, nullptr, flags);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", panel.sentence);
    if (ImGui::IsItemClicked() && !chosen) {
      State next = scene.state;
      next.panel = panel.id;
      scene.change(std::move(next), "");
    }
    if (!open) continue;
    shown = panel.id;
    if (scene.model().problem())
      panel.draw(scene);
    else
      ImGui::TextDisabled("Nothing to show until the layer is legal: the rules it breaks are on the left.");
    ImGui::EndTabItem();
  }
  ImGui::EndTabBar();
}

}  // namespace

App::App(State first, PictureFiles pictures) : history_(std::move(first)), pictures_(std::move(pictures)) { derive(); }

void App::derive() {
  if (model_ && same_model(derived_from_, state())) {
    if (derived_from_.cursor != state().cursor) links_ = links_of(*model_, model_->valid(state().cursor));
    derived_from_ = state();
    return;
  }
  derived_from_ = state();
  ++version_;
  values_.reset();
  model_ = std::make_shared<Model>(state());
  if (model_->problem()) {
    const ConvProblem& p = *model_->problem();
    Sources sources = state().picture == "random"
                          ? random_sources(p, state().seed)
                          : picture_sources(p, std::make_shared<Photograph>(pictures_.read(state().picture)));
    values_ = std::make_shared<Values>(model_, std::move(sources));
  }
  links_ = links_of(*model_, model_->valid(state().cursor));
}

Scene App::scene() {
  return {state(),
          model_,
          values_,
          links_,
          version_,
          scale_,
          views_,
          painter_,
          [this](State next, const std::string& key) { proposed_.emplace(std::move(next), key); },
          &pointed_};
}

bool App::prepare(double monitor_scale) {
  const auto scale = static_cast<float>(state().scale > 0 ? state().scale : monitor_scale);
  const bool fonts = scale != scale_;
  if (fonts || state().dark != dark_) apply_theme(state().dark, scale);
  if (fonts) load_fonts(scale);
  scale_ = scale;
  dark_ = state().dark;
  return fonts;
}

void App::shortcuts() {
  const ImGuiIO& io = ImGui::GetIO();
  const auto pressed = [](char key) { return ImGui::IsKeyPressed(static_cast<ImGuiKey>(key)); };
  if (io.KeyCtrl && pressed('Z')) io.KeyShift ? redo() : undo();
  if (io.KeyCtrl && pressed('Y')) redo();
  for (const unsigned short typed : io.InputQueueCharacters)
    if (typed == '?' && !io.WantTextInput) help_ = !help_;
  const auto zoom = [&](double by) {
    State next = state();
    next.scale = std::clamp(static_cast<double>(scale_) * by, 0.5, 4.0);
    change(std::move(next), "scale");
  };
  for (const unsigned short typed : io.InputQueueCharacters)
    if (io.KeyCtrl && (typed == '+' || typed == '=')) zoom(1.1);
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) help_ = false;
}

void App::draw_help() {
  if (!help_) return;
  const ImVec2 centre = ImGui::GetMainViewport()->GetWorkCenter();
  ImGui::SetNextWindowPos(centre, ImGuiCond_Always, {0.5f, 0.5f});
  if (ImGui::Begin("Keys", &help_, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_AlwaysAutoResize)) {
    constexpr std::pair<const char*, const char*> kKeys[]{
        {"point", "light up what belongs to a cell, everywhere"},
        {"wheel, drag, double click", "zoom, move, fit a grid"},
        {"Ctrl+Z, Ctrl+Y", "undo, redo"},
        {"Ctrl +, Ctrl −", "larger, smaller"},
        {"Space, ←, →", "play and step the algorithms"},
        {"?, Esc", "this overlay, away"},
    };
    for (const auto& [key, meaning] : kKeys) {
      ImGui::TextUnformatted(key);
      ImGui::SameLine(220 * scale_);
      ImGui::TextDisabled("%s", meaning);
    }
  }
  ImGui::End();
}

Next App::frame() {
  shortcuts();
  derive();
  pointed_ = model_->valid(state().cursor);
  Scene scene = this->scene();

  keep_layout(*ImGui::GetMainViewport());
  ImGui::Begin("Convlens", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus);
  const float status = ImGui::GetTextLineHeightWithSpacing() * kStatusLines;
  const ImVec2 space = ImGui::GetContentRegionAvail();
  const float sidebar = std::min(kSidebarWidth * scale_, space.x * 0.4f);
  ImGui::BeginChild("sidebar", {sidebar, space.y - status}, true);
  draw_sidebar(scene);
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("centre", {0, space.y - status});
  draw_panels(scene);
  ImGui::EndChild();
  draw_status_bar(scene);
  ImGui::End();
  draw_help();

  if (proposed_) {
    change(std::move(proposed_->first), proposed_->second);
    proposed_.reset();
    return Next::again;
  }
  return painter_.busy() ? Next::again : Next::wait;
}

}  // namespace convlens::viewer
