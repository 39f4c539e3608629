#include "viewer/ui/keys.h"

#include <imgui/imgui.h>

#if IMGUI_VERSION_NUM < 18700
#include <GLFW/glfw3.h>
#endif

#include <array>
#include <utility>

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
                                                        {GLFW_KEY_C, 0},
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
                                                        {ImGuiKey_C, ImGuiKey_None},
                                                        {ImGuiKey_0, ImGuiKey_Keypad0},
                                                        {ImGuiKey_Equal, ImGuiKey_KeypadAdd},
                                                        {ImGuiKey_Minus, ImGuiKey_KeypadSubtract}}};

#endif

}  // namespace

bool pressed(Key key) {
  if (ImGui::GetIO().WantTextInput && key != Key::escape) return false;
  const auto& [code, other] = kCodes[static_cast<std::size_t>(key)];
  return ImGui::IsKeyPressed(code) || (other != Code{0} && ImGui::IsKeyPressed(other));
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
