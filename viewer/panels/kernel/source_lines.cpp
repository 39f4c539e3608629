// Lines of a kernel's text with what the options make of each: the colours of its letters and of its margin.
#include <algorithm>

#include "viewer/panels/kernel/source.h"

namespace convlens::viewer {

namespace {

// What a kind of code looks like: its text, and what is behind it.
ImU32 ink(Code code) {
  if (code == Code::left_out) return (palette().faint & 0xffffffu) | 0x70000000u;
  return ImGui::GetColorU32(code == Code::undecided ? ImGuiCol_TextDisabled : ImGuiCol_Text);
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
void draw_margin(const KernelFrame& frame, std::size_t line, std::optional<std::size_t> of_sheet, ImVec2 at,
                 float height, float width, float whole) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  Code most = Code::plain;
  if (of_sheet)
    for (const Piece& piece : frame.sheet->lines[*of_sheet])
      most = std::max(most, piece.code == Code::plain ? Code::plain : piece.code);
  if (const int wrong = of_sheet ? complaint(frame, *of_sheet) : 0; wrong > 0)
    list.AddRectFilled(at, {at.x + whole, at.y + height},
                       (palette().wrong & 0xffffffu) | (wrong == 2 ? 0x50000000u : 0x28000000u));
  else if (most == Code::chosen)
    list.AddRectFilled(at, {at.x + whole, at.y + height}, (palette().series[2] & 0xffffffu) | 0x28000000u);
  if (bar(most) != 0) list.AddRectFilled({at.x + width - 4, at.y}, {at.x + width - 1, at.y + height}, bar(most));
  const std::string number = std::to_string(line + 1);
  const float digits = ImGui::CalcTextSize(number.c_str()).x;
  list.AddText({at.x + width - digits - 8, at.y}, palette().faint, number.c_str());
}

void draw_line(const KernelFrame& frame, std::optional<std::size_t> of_sheet, std::string_view text, ImVec2 at) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto draw = [&](std::size_t begin, std::size_t end, Code code) {
    end = std::min(end, text.size());
    if (begin >= end) return;
    const char* const first = text.data() + begin;
    list.AddText(at, ink(code), first, text.data() + end);
    at.x += ImGui::CalcTextSize(first, text.data() + end).x;
  };
  std::size_t done = 0;
  if (of_sheet)
    for (const Piece& piece : frame.sheet->lines[*of_sheet]) {
      draw(piece.begin, piece.end, piece.code);
      done = piece.end;
    }
  draw(done, text.size(), Code::plain);
}

}  // namespace

ImU32 bar(Code code) {
  if (code == Code::chosen) return palette().series[2];
  if (code == Code::undecided) return palette().series[1];
  return code == Code::left_out ? (palette().faint & 0xffffffu) | 0x70000000u : 0;
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

SourceLines::SourceLines(const std::string& text, const KernelSheet& sheet) : lines_(lines_of(text)) {
  const std::vector<std::string_view> known = lines_of(sheet.text);
  of_sheet_ = std::min(known.size(), sheet.lines.size());
  const std::size_t most = std::min(lines_.size(), known.size());
  while (above_ < most && lines_[above_] == known[above_]) ++above_;
  while (above_ + below_ < most && lines_[lines_.size() - 1 - below_] == known[known.size() - 1 - below_]) ++below_;
  offset_ = std::ssize(known) - std::ssize(lines_);
}

std::size_t SourceLines::longest() const { return std::ranges::max(lines_, {}, &std::string_view::size).size(); }

std::optional<std::size_t> SourceLines::of_sheet(std::size_t line) const {
  const bool below = line + below_ >= lines_.size();
  if (line >= above_ && !below) return std::nullopt;
  const std::size_t there =
      line < above_ ? line : static_cast<std::size_t>(static_cast<std::ptrdiff_t>(line) + offset_);
  return there < of_sheet_ ? std::optional(there) : std::nullopt;
}

Measures measures_of(const SourceLines& lines) {
  const float letter = ImGui::CalcTextSize("0").x;
  return {ImGui::GetTextLineHeight(), 5 * letter + 12, letter * static_cast<float>(lines.longest() + 2)};
}

void draw_lines(const KernelFrame& frame, const SourceLines& lines, ImVec2 first, const Measures& m) {
  const float whole = std::max(ImGui::GetContentRegionAvail().x, m.margin + m.text);
  const auto from = static_cast<std::size_t>(std::max(0.0f, ImGui::GetScrollY() / m.line - 1));
  const auto count = static_cast<std::size_t>(ImGui::GetWindowHeight() / m.line) + 3;
  for (std::size_t k = from; k < std::min(from + count, lines.size()); ++k) {
    const ImVec2 at{first.x, first.y + m.line * static_cast<float>(k)};
    draw_margin(frame, k, lines.of_sheet(k), at, m.line, m.margin, whole);
    draw_line(frame, lines.of_sheet(k), lines[k], {at.x + m.margin, at.y});
  }
}

}  // namespace convlens::viewer
