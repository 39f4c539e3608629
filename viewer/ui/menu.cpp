#include "viewer/ui/menu.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "viewer/logic/commands.h"
#include "viewer/logic/tour.h"
#include "viewer/ui/keys.h"
#include "viewer/ui/tour_card.h"

namespace convlens::viewer {

namespace {

// What a user has made of the drawings: zooms, and which tensors are hidden.
void reset_layout(Scene& scene) {
  scene.views.clear();
  State next = scene.state;
  next.hidden.clear();
  scene.change(std::move(next), "");
}

const char* question(Wish::Kind kind) {
  switch (kind) {
    case Wish::Kind::picture:
      return "Write the panel as a picture into the file";
    case Wish::Kind::data:
      return "Write what the panel shows into the file (.csv or .json)";
    case Wish::Kind::save_state:
      return "Save the state into the file";
    case Wish::Kind::save_kernel:
      return "Write the kernel's text into the file";
    case Wish::Kind::open_kernel:
      return "Show, compile and run the text of the file in place of the kernel's";
    default:
      return "Open the state of the file";
  }
}

}  // namespace

void Menu::ask(Wish::Kind kind, const std::string& suggested) {
  asked_ = kind;
  std::snprintf(file_.data(), file_.size(), "%s", suggested.c_str());
  why_not_.clear();
  ask_ = true;
  keys_ = false;
}

void Menu::refuse(const Wish& wish, const std::string& why) {
  ask(wish.kind, wish.text);
  why_not_ = why;
}

void Menu::draw_file_menu(const Scene& scene) {
  if (!ImGui::BeginMenu("File")) return;
  const std::string name = "convlens-" + scene.state.panel;
  if (ImGui::MenuItem("Open state ...", "Ctrl+O")) ask(Wish::Kind::open_state, "convlens.json");
  if (ImGui::MenuItem("Save state ...", "Ctrl+S")) ask(Wish::Kind::save_state, "convlens.json");
  ImGui::Separator();
  if (ImGui::MenuItem("Export panel as PNG ...", "Ctrl+E")) ask(Wish::Kind::picture, name + ".png");
  if (ImGui::MenuItem("Export data as CSV ...")) ask(Wish::Kind::data, name + ".csv");
  if (ImGui::MenuItem("Export data as JSON ...")) ask(Wish::Kind::data, name + ".json");
  const bool kernel = scene.state.panel == "kernel";
  if (ImGui::MenuItem("Save kernel ...", nullptr, false, kernel)) ask(Wish::Kind::save_kernel, "kernel.cu");
  if (ImGui::MenuItem("Load kernel ...", nullptr, false, kernel)) ask(Wish::Kind::open_kernel, "kernel.cu");
  ImGui::Separator();
  if (ImGui::MenuItem("Quit", "Ctrl+Q")) wish_ = {Wish::Kind::quit, ""};
  ImGui::EndMenu();
}

void Menu::draw_edit_menu(const Scene& scene, const History& history) {
  if (!ImGui::BeginMenu("Edit")) return;
  if (ImGui::MenuItem("Undo", "Ctrl+Z", false, history.can_undo())) wish_ = {Wish::Kind::undo, ""};
  if (ImGui::MenuItem("Redo", "Ctrl+Y", false, history.can_redo())) wish_ = {Wish::Kind::redo, ""};
  ImGui::Separator();
  if (ImGui::MenuItem("Copy as command line"))
    wish_ = {Wish::Kind::copy, as_command_line(scene.state), 1, "the command line"};
  if (ImGui::MenuItem("Copy as Python")) wish_ = {Wish::Kind::copy, as_python(scene.state), 1, "the Python program"};
  ImGui::EndMenu();
}

void Menu::draw_view_menu(Scene& scene) {
  if (!ImGui::BeginMenu("View")) return;
  for (const Panel& panel : panels())
    if (ImGui::MenuItem(panel.title, nullptr, scene.state.panel == panel.id)) {
      State next = scene.state;
      next.panel = panel.id;
      scene.change(std::move(next), "");
    }
  ImGui::Separator();
  if (ImGui::MenuItem("Dark", nullptr, scene.state.dark)) {
    State next = scene.state;
    next.dark = !next.dark;
    scene.change(std::move(next), "");
  }
  for (const int percent : {100, 150, 200})
    if (ImGui::MenuItem((std::to_string(percent) + " %").c_str(), nullptr,
                        static_cast<int>(scene.scale * 100 + 0.5f) == percent))
      wish_ = {Wish::Kind::scale, "", percent / 100.0};
  if (ImGui::MenuItem("As the monitor has it", "Ctrl+0", scene.state.scale == 0)) wish_ = {Wish::Kind::scale, "", 0};
  ImGui::Separator();
  if (ImGui::MenuItem("Reset everything")) {
    scene.views.clear();
    scene.change(first_state(), "");
  }
  ImGui::EndMenu();
}

std::optional<Wish> Menu::draw(Scene& scene, const History& history) {
  wish_.reset();
  if (!ImGui::BeginMenuBar()) return std::nullopt;
  draw_file_menu(scene);
  draw_edit_menu(scene, history);
  draw_view_menu(scene);
  if (ImGui::BeginMenu("Help")) {
    if (ImGui::MenuItem("Guided tour")) scene.change(at_tour_step(scene.state, 1), "");
    if (ImGui::MenuItem("Keys", "?")) keys_ = true;
    ImGui::EndMenu();
  }
  if (ImGui::MenuItem("Reset layout")) reset_layout(scene);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("All tensors, as large as lets them be seen whole");
  ImGui::EndMenuBar();
  return wish_;
}

std::optional<Wish> Menu::draw_above(Scene& scene) {
  wish_.reset();
  const ImGuiIO& io = ImGui::GetIO();
  if (pressed(Key::o, true)) ask(Wish::Kind::open_state, "convlens.json");
  if (pressed(Key::s, true)) ask(Wish::Kind::save_state, "convlens.json");
  if (pressed(Key::e, true)) ask(Wish::Kind::picture, "convlens-" + scene.state.panel + ".png");
  if (pressed(Key::q, true)) wish_ = {Wish::Kind::quit, ""};
  for (const unsigned typed : io.InputQueueCharacters)
    if (typed == '?' && !io.WantTextInput) keys_ = !keys_;
  if (pressed(Key::escape)) keys_ = false;
  draw_tour_outline(scene);
  draw_keys(scene.scale);
  draw_dialog(scene.scale);
  return wish_;
}

void Menu::draw_dialog(float scale) {
  if (ask_) ImGui::OpenPopup("file");
  const bool opens = std::exchange(ask_, false);
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetWorkCenter(), ImGuiCond_Always, {0.5f, 0.5f});
  if (!ImGui::BeginPopupModal("file", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize))
    return;
  ImGui::TextUnformatted(question(asked_));
  if (opens) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(420 * scale);
  const bool enter = ImGui::InputText("##file", file_.data(), file_.size(),
                                      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  if (!why_not_.empty()) {
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 420 * scale);
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(palette().wrong), "%s", why_not_.c_str());
    ImGui::PopTextWrapPos();
  }
  if ((ImGui::Button("OK") || enter) && file_[0] != '\0') {
    wish_ = {asked_, file_.data()};
    ImGui::CloseCurrentPopup();
  }
  ImGui::SameLine();
  if (ImGui::Button("Cancel") || pressed(Key::escape)) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

void Menu::draw_keys(float scale) {
  if (!keys_) return;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetWorkCenter(), ImGuiCond_Always, {0.5f, 0.5f});
  if (ImGui::Begin("Keys", &keys_, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_AlwaysAutoResize)) {
    constexpr std::pair<const char*, const char*> kKeys[]{
        {"point", "orange: where a value comes from and goes"},
        {"", "blue: the same place elsewhere, further copies"},
        {"wheel, drag, double click", "zoom, move, fit a grid"},
        {"Space, Left, Right", "play and step what has a scrubber"},
        {"Ctrl+Z, Ctrl+Y", "undo, redo"},
        {"Ctrl and +, -, 0", "larger, smaller, as the monitor has it"},
        {"Ctrl+O, Ctrl+S", "open, save the state"},
        {"Ctrl+E", "export the panel as a picture"},
        {"Ctrl+Q", "quit; the state is kept"},
        {"?, Esc", "this overlay, away"},
    };
    for (const auto& [key, meaning] : kKeys) {
      ImGui::TextUnformatted(key);
      ImGui::SameLine(220 * scale);
      ImGui::TextDisabled("%s", meaning);
    }
  }
  ImGui::End();
}

}  // namespace convlens::viewer
