// The text of the kernel while it is edited. Dear ImGui's field has one colour for all of its text: it keeps the text
// and the selection, and is drawn without letters over the coloured lines, and the caret with these.
#include <imgui/imgui_internal.h>

#include <algorithm>

#include "viewer/panels/kernel/source.h"
#include "viewer/ui/keys.h"

namespace convlens::viewer {

namespace {

// The text that is being typed.
struct Buffer {
  std::string text, of;  // of: which file, as the state has it
  int caret = 0;         // bytes before it
};

int on_edit(ImGuiInputTextCallbackData* data) {
  auto& buffer = *static_cast<Buffer*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    buffer.text.resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = buffer.text.data();
  } else {
    buffer.caret = data->CursorPos;
  }
  return 0;
}

// How far to scroll for what is from `least` to `most` to be between `first` and `last`.
float way(float least, float most, float first, float last) {
  return least < first ? least - first : most > last ? most - last : 0;
}

// Draws the caret, and scrolls to it where it has moved.
void show_caret(const Buffer& buffer, bool moved, ImVec2 first, const Measures& m) {
  const std::size_t caret = std::min(static_cast<std::size_t>(buffer.caret), buffer.text.size());
  const std::string_view before = std::string_view(buffer.text).substr(0, caret);
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const ImVec2 at{first.x + ImGui::CalcTextSize(before.data() + begin, before.data() + before.size()).x,
                  first.y + m.line * static_cast<float>(std::ranges::count(before, '\n'))};
  ImGui::GetWindowDrawList()->AddLine(at, {at.x, at.y + m.line}, ImGui::GetColorU32(ImGuiCol_Text));
  if (!moved) return;
  const ImRect& seen = ImGui::GetCurrentWindow()->InnerRect;
  const float down = way(at.y - m.line, at.y + 2 * m.line, seen.Min.y, seen.Max.y);
  const float right = way(at.x - m.margin, at.x + m.line, seen.Min.x, seen.Max.x);
  if (down != 0) ImGui::SetScrollY(std::max(0.0f, ImGui::GetScrollY() + down));
  if (right != 0) ImGui::SetScrollX(std::max(0.0f, ImGui::GetScrollX() + right));
}

}  // namespace

void edit_source(Scene& scene, const KernelFrame& frame) {
  auto& buffer = scene.kept.get<Buffer>("kernel text");
  const auto own = scene.state.kernel.texts.find(frame.sheet->file);
  const std::string& now = own == scene.state.kernel.texts.end() ? frame.sheet->text : own->second;
  if (buffer.of != frame.sheet->file || buffer.text != now) buffer = {now, frame.sheet->file, buffer.caret};
  const SourceLines lines(buffer.text, *frame.sheet);
  const Measures m = measures_of(lines);
  const ImVec2 first = ImGui::GetCursorScreenPos(), text{first.x + m.margin, first.y};
  const float whole = std::max(ImGui::GetContentRegionAvail().x, m.margin + m.text);
  draw_lines(frame, lines, first, m);
  const ImGuiID field = ImGui::GetID("##text");
  // To the field Escape means to take back all that was typed in it; here it is the way out.
  if (ImGui::GetActiveID() == field && pressed(Key::escape)) ImGui::ClearActiveID();
  const int caret = buffer.caret;
  ImGui::SetCursorScreenPos(text);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
  ImGui::PushStyleColor(ImGuiCol_Text, 0);
  // As high as its text, so that what is around it scrolls, margin and all.
  const ImVec2 size{whole - m.margin, m.line * static_cast<float>(lines.size() + 2)};
  const bool changed = ImGui::InputTextMultiline(
      "##text", buffer.text.data(), buffer.text.capacity() + 1, size,
      ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_AllowTabInput,
      on_edit, &buffer);
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(2);
  if (ImGui::GetActiveID() == field) show_caret(buffer, caret != buffer.caret, text, m);
  if (!changed) return;
  State next = scene.state;
  next.kernel.texts[frame.sheet->file] = buffer.text;
  scene.change(std::move(next), "kernel text " + frame.sheet->file);
}

}  // namespace convlens::viewer
