// The text of the kernel: to read, with the code that the options compile bright and the rest grey, or to edit, with
// the same behind the text.
#include <algorithm>
#include <cmath>

#include "kernels/text.h"
#include "viewer/logic/tour.h"
#include "viewer/panels/kernel/kernel.h"

namespace convlens::viewer {

namespace {

// What a kind of code looks like: its text, and what is behind it.
ImU32 ink(Code code) {
  if (code == Code::left_out) return (palette().faint & 0xffffffu) | 0x70000000u;
  return ImGui::GetColorU32(code == Code::undecided ? ImGuiCol_TextDisabled : ImGuiCol_Text);
}
ImU32 bar(Code code) {
  if (code == Code::chosen) return palette().series[2];
  if (code == Code::undecided) return palette().series[1];
  return code == Code::left_out ? (palette().faint & 0xffffffu) | 0x70000000u : 0;
}

void draw_legend(const KernelSheet& sheet) {
  const float side = ImGui::GetFontSize() * 0.6f, gap = ImGui::GetStyle().ItemSpacing.x;
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  bool first = true;
  const auto entry = [&](Code code, const std::string& text) {
    if (!first && ImGui::GetItemRectMax().x + 3 * gap + side + ImGui::CalcTextSize(text.c_str()).x < right)
      ImGui::SameLine(0, 2 * gap);
    first = false;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + side * 0.4f}, {at.x + side, at.y + side * 1.4f}, bar(code));
    ImGui::Dummy({side, ImGui::GetTextLineHeight()});
    ImGui::SameLine(0, gap / 2);
    ImGui::TextDisabled("%s", text.c_str());
  };
  entry(Code::chosen, "compiled by these options");
  entry(Code::left_out, "left out");
  entry(Code::undecided, "undecided");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%d of %d conditions of all its files: by a template's parameter, or a call", sheet.undecided,
                      sheet.decided + sheet.undecided);
}

// The worst that the compiler says of a line: 2 an error, 1 a warning, 0 nothing.
int complaint(const KernelFrame& frame, std::size_t line) {
  if (frame.build == nullptr) return 0;
  int worst = 0;
  for (const CompilerMessage& message : frame.build->messages)
    if (message.file == frame.sheet->file && message.line == static_cast<std::int64_t>(line) + 1)
      worst = std::max(worst, message.error ? 2 : 1);
  return worst;
}

// What is behind a line: its number, a bar of the kind of most of its code, red where the compiler complains.
void draw_margin(const KernelFrame& frame, std::size_t line, ImVec2 at, float height, float width, float whole) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::vector<Line>& lines = frame.sheet->lines;
  Code most = Code::plain;
  if (line < lines.size())
    for (const Piece& piece : lines[line]) most = std::max(most, piece.code == Code::plain ? Code::plain : piece.code);
  if (const int wrong = complaint(frame, line); wrong > 0)
    list.AddRectFilled(at, {at.x + whole, at.y + height},
                       (palette().wrong & 0xffffffu) | (wrong == 2 ? 0x50000000u : 0x28000000u));
  else if (most == Code::chosen)
    list.AddRectFilled(at, {at.x + whole, at.y + height}, (palette().series[2] & 0xffffffu) | 0x28000000u);
  if (bar(most) != 0) list.AddRectFilled({at.x + width - 4, at.y}, {at.x + width - 1, at.y + height}, bar(most));
  const std::string number = std::to_string(line + 1);
  const float digits = ImGui::CalcTextSize(number.c_str()).x;
  list.AddText({at.x + width - digits - 8, at.y}, palette().faint, number.c_str());
}

std::vector<std::string_view> lines_of(const std::string& text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.data() + begin, end - begin);
    begin = end + 1;
  }
  return lines;
}

void draw_line(const KernelFrame& frame, std::size_t number, std::string_view text, ImVec2 at) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto draw = [&](std::size_t begin, std::size_t end, Code code) {
    end = std::min(end, text.size());
    if (begin >= end) return;
    const char* const first = text.data() + begin;
    list.AddText(at, ink(code), first, text.data() + end);
    at.x += ImGui::CalcTextSize(first, text.data() + end).x;
  };
  const std::vector<Line>& lines = frame.sheet->lines;
  std::size_t done = 0;
  if (number < lines.size())
    for (const Piece& piece : lines[number]) {
      draw(piece.begin, piece.end, piece.code);
      done = piece.end;
    }
  draw(done, text.size(), Code::plain);
}

// Scrolls to the line that was asked for, once.
void scroll(SourceView& view, float height) {
  if (view.wanted_line <= 0) return;
  const float middle = ImGui::GetWindowHeight() / 2;
  ImGui::SetScrollY(std::max(0.0f, static_cast<float>(view.wanted_line) * height - middle));
  view.wanted_line = 0;
}

// The first line that is not as it ships, from 1; 0 for none.
std::int64_t first_change(const KernelSheet& sheet) {
  if (!sheet.edited) return 0;
  const std::string shipped = gpu::kernel_file(sheet.file);
  const std::vector<std::string_view> now = lines_of(sheet.text), before = lines_of(shipped);
  const auto [at, other] = std::ranges::mismatch(now, before);
  return at == now.end() ? 0 : at - now.begin() + 1;
}

// Another text begins where it was edited, or else where the options first choose.
void begin_at_choice(SourceView& view, const KernelSheet& sheet) {
  const std::string now = sheet.run.substr(0, sheet.run.find(':')) + std::to_string(sheet.step) + sheet.file;
  if (view.of == now) return;
  view.of = now;
  view.wanted_line = first_change(sheet);
  if (view.wanted_line > 0) return;
  const auto chosen = [](const Line& line) {
    return std::ranges::any_of(line, [](const Piece& piece) { return piece.code == Code::chosen; });
  };
  const auto first = std::ranges::find_if(sheet.lines, chosen);
  if (first != sheet.lines.end()) view.wanted_line = first - sheet.lines.begin() + 1;
}

struct Measures {
  float line, margin, text;  // pixels: a line's height, the margin's width, the longest line's
};

void read(const KernelFrame& frame, const std::vector<std::string_view>& lines, const Measures& m) {
  const ImVec2 first = ImGui::GetCursorScreenPos();
  const float whole = std::max(ImGui::GetContentRegionAvail().x, m.margin + m.text);
  ImGui::Dummy({m.margin + m.text, m.line * static_cast<float>(lines.size())});
  const auto from = static_cast<std::size_t>(std::max(0.0f, ImGui::GetScrollY() / m.line - 1));
  const auto count = static_cast<std::size_t>(ImGui::GetWindowHeight() / m.line) + 3;
  for (std::size_t k = from; k < std::min(from + count, lines.size()); ++k) {
    const ImVec2 at{first.x, first.y + m.line * static_cast<float>(k)};
    draw_margin(frame, k, at, m.line, m.margin, whole);
    draw_line(frame, k, lines[k], {at.x + m.margin, at.y});
  }
}

// The text that is being typed; the state follows it.
struct Buffer {
  std::string text, of;  // of: which file, as the state has it
};

int grow(ImGuiInputTextCallbackData* data) {
  auto& text = *static_cast<std::string*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    text.resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = text.data();
  }
  return 0;
}

void edit(Scene& scene, const KernelFrame& frame, const std::vector<std::string_view>& lines, const Measures& m) {
  auto& buffer = scene.kept.get<Buffer>("kernel text");
  const auto own = scene.state.kernel.texts.find(frame.sheet->file);
  const std::string& now = own == scene.state.kernel.texts.end() ? frame.sheet->text : own->second;
  if (buffer.of != frame.sheet->file || buffer.text != now) buffer = {now, frame.sheet->file};
  const ImVec2 first = ImGui::GetCursorScreenPos();
  const float whole = std::max(ImGui::GetContentRegionAvail().x, m.margin + m.text);
  for (std::size_t k = 0; k < lines.size(); ++k)
    draw_margin(frame, k, {first.x, first.y + m.line * static_cast<float>(k)}, m.line, m.margin, whole);
  ImGui::SetCursorScreenPos({first.x + m.margin, first.y});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
  // As high as its text, so that what is around it scrolls, margin and all.
  const ImVec2 size{whole - m.margin, m.line * static_cast<float>(lines.size() + 2)};
  const bool changed = ImGui::InputTextMultiline("##text", buffer.text.data(), buffer.text.capacity() + 1, size,
                                                 ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_AllowTabInput,
                                                 grow, &buffer.text);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  if (!changed) return;
  State next = scene.state;
  next.kernel.texts[frame.sheet->file] = buffer.text;
  scene.change(std::move(next), "kernel text " + frame.sheet->file);
}

}  // namespace

void draw_source(Scene& scene, const KernelFrame& frame, float least_height) {
  draw_legend(*frame.sheet);
  auto& view = scene.kept.get<SourceView>("source");
  const float height = std::max(least_height, ImGui::GetContentRegionAvail().y);
  // Long messages above may leave no place for it: the tour then brings it into view.
  const TourStep* const step = tour_step(scene.state);
  if (step != nullptr && std::string_view(step->points_at) == "source" && !ImGui::IsRectVisible({1, 1}))
    ImGui::SetScrollHereY(0);
  if (ImGui::BeginChild("source", {0, height}, true, ImGuiWindowFlags_HorizontalScrollbar)) {
    ImGui::PushFont(mono());
    const std::vector<std::string_view> lines = lines_of(frame.sheet->text);
    std::size_t longest = 1;
    for (const std::string_view line : lines) longest = std::max(longest, line.size());
    const float letter = ImGui::CalcTextSize("0").x;
    const Measures m{ImGui::GetTextLineHeight(), 5 * letter + 12, letter * static_cast<float>(longest + 1)};
    begin_at_choice(view, *frame.sheet);
    scroll(view, m.line);
    view.editing ? edit(scene, frame, lines, m) : read(frame, lines, m);
    ImGui::PopFont();
  }
  ImGui::EndChild();
}

}  // namespace convlens::viewer
