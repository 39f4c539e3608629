#include "tests/viewer/frames/drawn_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace convlens::testing {

namespace {

struct Quad {
  Area area, uv;
};

// Two triangles that are a rectangle with some of the texture; filled shapes show one point of it.
std::optional<Quad> quad_at(const ImDrawList& list, const ImDrawCmd& command, unsigned first) {
  const auto vertex = [&](unsigned k) -> const ImDrawVert& {
    return list.VtxBuffer[static_cast<int>(list.IdxBuffer[static_cast<int>(first + k)] + command.VtxOffset)];
  };
  const ImDrawVert &a = vertex(0), &b = vertex(2);
  const bool rectangle = list.IdxBuffer[static_cast<int>(first)] == list.IdxBuffer[static_cast<int>(first + 3)] &&
                         list.IdxBuffer[static_cast<int>(first + 2)] == list.IdxBuffer[static_cast<int>(first + 4)];
  if (!rectangle || a.uv.x >= b.uv.x || a.uv.y >= b.uv.y) return std::nullopt;
  return Quad{{a.pos.x, a.pos.y, b.pos.x, b.pos.y}, {a.uv.x, a.uv.y, b.uv.x, b.uv.y}};
}

constexpr float kTexel = 1e-5f;

// The glyph of which a rectangle shows all, or, having been cut, a part.
const ImFontGlyph* glyph_of(const Area& uv) {
  for (const ImFont* font : ImGui::GetIO().Fonts->Fonts)
    for (const ImFontGlyph& glyph : font->Glyphs)
      if (uv.left >= glyph.U0 - kTexel && uv.right <= glyph.U1 + kTexel && uv.top >= glyph.V0 - kTexel &&
          uv.bottom <= glyph.V1 + kTexel)
        return &glyph;
  return nullptr;
}

void read_command(const ImDrawList& list, const ImDrawCmd& command, std::vector<DrawnLetter>& letters) {
  const Area clip{command.ClipRect.x, command.ClipRect.y, command.ClipRect.z, command.ClipRect.w};
  if (command.GetTexID() != ImGui::GetIO().Fonts->TexID) return;
  for (unsigned k = 0; k + 6 <= command.ElemCount; k += 3) {
    const std::optional<Quad> quad = quad_at(list, command, command.IdxOffset + k);
    if (!quad) continue;
    k += 3;
    const ImFontGlyph* glyph = glyph_of(quad->uv);
    if (glyph == nullptr) continue;
    const Area& a = quad->area;
    if (a.right <= clip.left || a.left >= clip.right || a.bottom <= clip.top || a.top >= clip.bottom) continue;
    const auto part = [](float shown, float whole) { return shown < whole - kTexel; };
    letters.push_back({list._OwnerName == nullptr ? "" : list._OwnerName, glyph->Codepoint, a,
                       a.left < clip.left - 1 || a.right > clip.right + 1 ||
                           part(quad->uv.right - quad->uv.left, glyph->U1 - glyph->U0),
                       a.top < clip.top - 1 || a.bottom > clip.bottom + 1 ||
                           part(quad->uv.bottom - quad->uv.top, glyph->V1 - glyph->V0)});
  }
}

// The text around a letter, for messages.
std::string around(const std::vector<DrawnLetter>& letters, std::size_t at) {
  constexpr std::size_t kLetters = 24;
  std::string text;
  for (std::size_t k = at - std::min(at, kLetters); k <= std::min(at + 4, letters.size() - 1); ++k) {
    if (letters[k].window != letters[at].window) continue;
    const unsigned code = letters[k].code;
    text += code < 128 ? std::string(1, static_cast<char>(code)) : "<" + std::to_string(code) + ">";
  }
  return letters[at].window + " \"" + text + "\" at " + letters[at].area.text();
}

// How much of the smaller of two letters lies under the other.
float shared(const Area& a, const Area& b) {
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const auto size = [](const Area& r) { return (r.right - r.left) * (r.bottom - r.top); };
  return width <= 0 || height <= 0 ? 0 : width * height / std::max(1.0f, std::min(size(a), size(b)));
}

bool is_mark(unsigned code) { return code >= 0x300 && code < 0x370; }  // stands above another letter

}  // namespace

std::vector<DrawnLetter> drawn_letters() {
  std::vector<DrawnLetter> letters;
  const ImDrawData& data = *ImGui::GetDrawData();
  for (int k = 0; k < data.CmdListsCount; ++k)
    for (const ImDrawCmd& command : data.CmdLists[k]->CmdBuffer) read_command(*data.CmdLists[k], command, letters);
  return letters;
}

std::string drawn_text() {
  std::string letters;
  for (const DrawnLetter& letter : drawn_letters()) letters += static_cast<char>(letter.code < 128 ? letter.code : '?');
  return letters;
}

std::vector<std::string> faults_of_text(const std::vector<DrawnLetter>& letters,
                                        const std::vector<Screen::Window>& windows) {
  std::map<std::string, Point> scrolls;  // how far a window, or one that it lies in, can be scrolled
  for (const Screen::Window& window : windows) {
    const Point& outer = scrolls[window.parent];
    scrolls[window.name] = {std::max(outer.x, window.scroll_most.x), std::max(outer.y, window.scroll_most.y)};
  }
  std::vector<std::string> faults;
  for (std::size_t k = 0; k < letters.size(); ++k) {
    const DrawnLetter& letter = letters[k];
    const Point scroll = scrolls[letter.window];
    if ((letter.cut_across && scroll.x <= 0) || (letter.cut_down && scroll.y <= 0))
      faults.push_back("cut: " + around(letters, k));
    constexpr unsigned kEllipsis = 0x2026;
    const bool after = k > 0 && letters[k - 1].window == letter.window &&
                       letters[k - 1].area.top < letter.area.bottom &&
                       std::abs(letter.area.left - letters[k - 1].area.right) < 0.2f * ImGui::GetFontSize();
    if (letter.code == kEllipsis && after) faults.push_back("shortened: " + around(letters, k));
  }
  // Letters that follow each other closely touch; those that were drawn before do not reach into a later one.
  for (std::size_t k = 0; k < letters.size(); ++k)
    for (std::size_t other = k + 1; other < letters.size(); ++other) {
      const DrawnLetter &a = letters[k], &b = letters[other];
      if (a.window != b.window || is_mark(a.code) || is_mark(b.code) || a.code == b.code) continue;
      if (shared(a.area, b.area) > 0.35f)
        faults.push_back("on top of each other: " + around(letters, k) + " and " + around(letters, other));
    }
  return faults;
}

}  // namespace convlens::testing
