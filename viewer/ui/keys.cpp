#include "viewer/ui/keys.h"

#include <imgui/imgui.h>

#if IMGUI_VERSION_NUM < 18700
#include <GLFW/glfw3.h>
#endif

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace convlens::viewer {

namespace {

#if IMGUI_VERSION_NUM < 18700

using Code = int;  // GLFW's
constexpr std::array<std::pair<Code, Code>, 14> kCodes{{{GLFW_KEY_ESCAPE, 0},
                                                        {GLFW_KEY_SPACE, 0},
                                                        {GLFW_KEY_LEFT, 0},
                                                        {GLFW_KEY_RIGHT, 0},
                                                        {GLFW_KEY_ENTER, GLFW_KEY_KP_ENTER},
                                                        {GLFW_KEY_Z, 0},
                                                        {GLFW_KEY_Y, 0},
                                                        {GLFW_KEY_O, 0},
                                                        {GLFW_KEY_S, 0},
                                                        {GLFW_KEY_E, 0},
                                                        {GLFW_KEY_Q, 0},
                                                        {GLFW_KEY_0, GLFW_KEY_KP_0},
                                                        {GLFW_KEY_EQUAL, GLFW_KEY_KP_ADD},
                                                        {GLFW_KEY_MINUS, GLFW_KEY_KP_SUBTRACT}}};

#else

using Code = ImGuiKey;
constexpr std::array<std::pair<Code, Code>, 14> kCodes{{{ImGuiKey_Escape, ImGuiKey_None},
                                                        {ImGuiKey_Space, ImGuiKey_None},
                                                        {ImGuiKey_LeftArrow, ImGuiKey_None},
                                                        {ImGuiKey_RightArrow, ImGuiKey_None},
                                                        {ImGuiKey_Enter, ImGuiKey_KeypadEnter},
                                                        {ImGuiKey_Z, ImGuiKey_None},
                                                        {ImGuiKey_Y, ImGuiKey_None},
                                                        {ImGuiKey_O, ImGuiKey_None},
                                                        {ImGuiKey_S, ImGuiKey_None},
                                                        {ImGuiKey_E, ImGuiKey_None},
                                                        {ImGuiKey_Q, ImGuiKey_None},
                                                        {ImGuiKey_0, ImGuiKey_Keypad0},
                                                        {ImGuiKey_Equal, ImGuiKey_KeypadAdd},
                                                        {ImGuiKey_Minus, ImGuiKey_KeypadSubtract}}};

#endif

// What was pressed since the last frame: GLFW's number, and whether with control.
std::vector<std::pair<int, bool>> g_pressed;
// Those of them, and control, that are up again, held down for one frame.
std::vector<int> g_held;
[[maybe_unused]] bool g_held_control = false;  // unused since Dear ImGui 1.87

// Whether the key was pressed with control, or without, as `control` says; nothing where no press of it was noted.
std::optional<bool> noted([[maybe_unused]] Code code, [[maybe_unused]] bool control) {
#if IMGUI_VERSION_NUM < 18700
  const auto is_key = [&](const auto& press) { return press.first == code; };
  if (std::ranges::any_of(g_pressed, is_key))
    return std::ranges::find(g_pressed, std::pair(code, control)) != g_pressed.end();
#endif
  return std::nullopt;  // since then, ImGui's own queue keeps every press
}

}  // namespace

bool pressed(Key key, bool control) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput && key != Key::escape) return false;
  const auto& [code, other] = kCodes[static_cast<std::size_t>(key)];
  const auto down = [&](Code k) {
    // Control, as ImGui has it, is that of the frame's end, and may have gone down after the key.
    return k != Code{0} && noted(k, control).value_or(io.KeyCtrl == control && ImGui::IsKeyPressed(k));
  };
  return down(code) || down(other);
}

void note_key(int glfw_key, bool control) { g_pressed.emplace_back(glfw_key, control); }

void hold_noted_keys() {
#if IMGUI_VERSION_NUM < 18700
  ImGuiIO& io = ImGui::GetIO();
  for (const auto& [code, control] : g_pressed) {
    // With control, no characters are taken in: those that were typed after it would be lost.
    if (control && !io.KeyCtrl && io.InputQueueCharacters.empty()) io.KeyCtrl = g_held_control = true;
    if (code < 0 || code >= IM_ARRAYSIZE(io.KeysDown) || io.KeysDown[code]) continue;
    io.KeysDown[code] = true;
    g_held.push_back(code);
  }
#endif
}

void forget_keys() {
#if IMGUI_VERSION_NUM < 18700
  ImGuiIO& io = ImGui::GetIO();
  for (const int code : std::exchange(g_held, {})) io.KeysDown[code] = false;
  if (std::exchange(g_held_control, false)) io.KeyCtrl = false;
#endif
  g_pressed.clear();
}

void hold_key(Key key, bool down, bool control) {
  ImGuiIO& io = ImGui::GetIO();
  const Code code = kCodes[static_cast<std::size_t>(key)].first;
#if IMGUI_VERSION_NUM < 18700
  io.KeyCtrl = control;
  io.KeysDown[code] = down;
#else
  io.AddKeyEvent(ImGuiMod_Ctrl, control);
  io.AddKeyEvent(code, down);
#endif
}

void hold_pointer(float x, float y, bool down, float wheel) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM < 18700
  io.MousePos = {x, y};
  io.MouseDown[ImGuiMouseButton_Left] = down;
  io.MouseWheel = wheel;
#else
  io.AddMousePosEvent(x, y);
  io.AddMouseButtonEvent(ImGuiMouseButton_Left, down);
  if (wheel != 0) io.AddMouseWheelEvent(0, wheel);
#endif
}

}  // namespace convlens::viewer
