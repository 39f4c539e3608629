#include "viewer/ui/theme.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

namespace convlens::viewer {

namespace {

Palette g_palette;
ImFont* g_mono = nullptr;

constexpr float kTextPixels = 15, kMonoPixels = 13;

// Where Debian, Ubuntu, Fedora and Arch keep them.
constexpr std::array kTextFonts{"/usr/share/fonts/truetype/roboto/unhinted/RobotoTTF/Roboto-Regular.ttf",
                                "/usr/share/fonts/google-roboto/Roboto-Regular.ttf",
                                "/usr/share/fonts/TTF/Roboto-Regular.ttf",
                                "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"};
constexpr std::array kMonoFonts{"/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf",
                                "/usr/share/fonts/jetbrains-mono-fonts/JetBrainsMono-Regular.otf",
                                "/usr/share/fonts/TTF/JetBrainsMono-Regular.ttf",
                                "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"};

// Latin, combining marks (W̃), Greek, raised letters (Aᵀ), punctuation, superscripts, arrows, mathematics, boxes.
constexpr std::array<ImWchar, 19> kGlyphs{0x20,   0x17f,  0x2b0,  0x3ff,  0x1d2c, 0x1d6a, 0x1e00,
                                          0x1eff, 0x2010, 0x20cf, 0x2100, 0x22ff, 0x2300, 0x23ff,
                                          0x2500, 0x25ff, 0x2600, 0x27bf, 0};

bool exists(const char* file) {
  std::error_code unreadable;
  return std::filesystem::exists(file, unreadable);
}

ImFont* load(const auto& files, float pixels) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  for (const char* file : files)
    if (exists(file)) return atlas.AddFontFromFileTTF(file, pixels, nullptr, kGlyphs.data());
  ImFontConfig own;
  own.SizePixels = pixels;
  return atlas.AddFontDefault(&own);
}

// Roboto lacks some signs of mathematics (⌈, ⌉); they are taken from the other fonts.
void add_missing(float pixels) {
  ImFontConfig more;
  more.MergeMode = true;
  for (const auto* fonts : {&kMonoFonts, &kTextFonts})
    for (const char* file : *fonts)
      if (exists(file)) ImGui::GetIO().Fonts->AddFontFromFileTTF(file, pixels, &more, kGlyphs.data());
}

struct Rgb {
  double r, g, b;
};

std::uint32_t packed(const Rgb& c) {
  const auto byte = [](double v) { return static_cast<std::uint32_t>(std::lround(255 * std::clamp(v, 0.0, 1.0))); };
  return 0xff000000u | byte(c.b) << 16 | byte(c.g) << 8 | byte(c.r);
}

// Linear between evenly spaced colours.
template <std::size_t kCount>
std::uint32_t between(const std::array<Rgb, kCount>& colours, double t) {
  const double at = std::clamp(std::isnan(t) ? 0.0 : t, 0.0, 1.0) * (kCount - 1);
  const auto k = std::min(static_cast<std::size_t>(at), kCount - 2);
  const double f = at - static_cast<double>(k);
  const Rgb &a = colours[k], &b = colours[k + 1];
  return packed({a.r + f * (b.r - a.r), a.g + f * (b.g - a.g), a.b + f * (b.b - a.b)});
}

ImVec4 colour(unsigned rgb, float alpha = 1) {
  return {static_cast<float>(rgb >> 16 & 255) / 255, static_cast<float>(rgb >> 8 & 255) / 255,
          static_cast<float>(rgb & 255) / 255, alpha};
}
ImU32 packed_rgb(unsigned rgb, float alpha = 1) { return ImGui::ColorConvertFloat4ToU32(colour(rgb, alpha)); }

void set_palette(bool dark) {
  g_palette = {.cursor = packed_rgb(dark ? 0xffffff : 0x000000),
               .lit = packed_rgb(dark ? 0xffb000 : 0xd55e00),
               .also = packed_rgb(dark ? 0x56b4e9 : 0x0072b2),
               .padding = packed_rgb(dark ? 0x4a4220 : 0xeeebaf),
               .alignment = packed_rgb(dark ? 0x4a3b52 : 0xd8c9de),
               .line = packed_rgb(dark ? 0xffffff : 0x000000, 0.25f),
               .wrong = packed_rgb(dark ? 0xff6b6b : 0xc40000),
               .nan = packed_rgb(0xff00d4),
               .faint = packed_rgb(dark ? 0x9aa4b2 : 0x5d6673),
               .series = {packed_rgb(0x56b4e9), packed_rgb(0xe69f00), packed_rgb(0x009e73), packed_rgb(0xcc79a7),
                          packed_rgb(0x0072b2), packed_rgb(0xd55e00), packed_rgb(dark ? 0xf0e442 : 0x8a8200),
                          packed_rgb(dark ? 0xb8bec8 : 0x444a52)}};
}

}  // namespace

const Palette& palette() { return g_palette; }
ImFont* mono() { return g_mono; }

void apply_theme(bool dark, float scale) {
  ImGuiStyle style;
  if (dark)
    ImGui::StyleColorsDark(&style);
  else
    ImGui::StyleColorsLight(&style);
  auto& c = style.Colors;
  c[ImGuiCol_WindowBg] = colour(dark ? 0x15181d : 0xf7f8fa);
  c[ImGuiCol_ChildBg] = colour(dark ? 0x1b1f26 : 0xffffff);
  c[ImGuiCol_MenuBarBg] = colour(dark ? 0x1b1f26 : 0xeceff3);
  c[ImGuiCol_PopupBg] = colour(dark ? 0x20252d : 0xffffff);
  c[ImGuiCol_Border] = colour(dark ? 0x2d343f : 0xd3d8df);
  c[ImGuiCol_Text] = colour(dark ? 0xe6e9ee : 0x1a1d22);
  c[ImGuiCol_TextDisabled] = colour(dark ? 0x9aa4b2 : 0x5d6673);
  c[ImGuiCol_FrameBg] = colour(dark ? 0x262c35 : 0xeceff3);
  c[ImGuiCol_FrameBgHovered] = colour(dark ? 0x313947 : 0xdfe5ec);
  c[ImGuiCol_FrameBgActive] = colour(dark ? 0x3a4556 : 0xd0d9e4);
  c[ImGuiCol_SliderGrab] = c[ImGuiCol_CheckMark] = colour(dark ? 0x56b4e9 : 0x0072b2);
  c[ImGuiCol_SliderGrabActive] = colour(dark ? 0x8fd0f5 : 0x005a8c);
  c[ImGuiCol_Header] = c[ImGuiCol_Button] = colour(dark ? 0x2b3440 : 0xe1e7ee);
  c[ImGuiCol_HeaderHovered] = c[ImGuiCol_ButtonHovered] = colour(dark ? 0x3a4656 : 0xd0dae5);
  c[ImGuiCol_HeaderActive] = c[ImGuiCol_ButtonActive] = colour(dark ? 0x4a5a6e : 0xbccadb);
  c[ImGuiCol_Tab] = c[ImGuiCol_TabUnfocused] = colour(dark ? 0x1f242c : 0xe9edf2);
  c[ImGuiCol_TabActive] = c[ImGuiCol_TabUnfocusedActive] = colour(dark ? 0x35506b : 0xc6dcef);
  c[ImGuiCol_TabHovered] = colour(dark ? 0x42648a : 0xb2d0ea);
  style.WindowRounding = 0;
  style.FrameBorderSize = 1;  // so that boxes and knobs that are off can be seen, too
  style.ChildRounding = style.FrameRounding = style.PopupRounding = style.GrabRounding = style.TabRounding = 4;
  style.FramePadding = {7, 4};
  style.ItemSpacing = {8, 6};
  style.ScaleAllSizes(scale);
  ImGui::GetStyle() = style;
  set_palette(dark);
}

namespace {

void coloured_text(ImU32 colour, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  wrapped_text(text);
  ImGui::PopStyleColor();
}

}  // namespace

// The same, where a word that spaces hold together has no room in a line, with spaces at which it may be broken.
static std::string breakable(const std::string& text, float room) {
  constexpr std::string_view kHeld = "\u00a0";
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    std::string word = text.substr(begin, end - begin);
    if (ImGui::CalcTextSize(word.c_str()).x > room)
      for (std::size_t at = word.find(kHeld); at != std::string::npos; at = word.find(kHeld))
        word.replace(at, kHeld.size(), " ");
    result += word + text.substr(end, 1);
    begin = end + 1;
  }
  return result;
}

// Dear ImGui also breaks after full stops and commas, in the middle of "im2win.cc" and "2.893".
void wrapped_text(const std::string& original) {
  const float room = ImGui::GetContentRegionAvail().x;
  const std::string text = breakable(original, room);
  std::string lines;
  std::size_t line = 0;  // where the last of them begins
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const std::size_t broken = word.rfind('\n');
    const std::string whole = lines.substr(line) + word.substr(0, word.find('\n'));
    if (lines.size() > line && ImGui::CalcTextSize(whole.c_str()).x > room) {
      lines.back() = '\n';  // in the place of the space
      line = lines.size();
    }
    if (broken != std::string::npos) line = lines.size() + broken + 1;
    lines += word + (end < text.size() ? " " : "");
    begin = end + 1;
  }
  ImGui::TextWrapped("%s", lines.c_str());
}

void faint_text(const std::string& text) { coloured_text(palette().faint, text); }

void wrong_text(const std::string& rule) {
  if (!rule.empty()) coloured_text(palette().wrong, rule);
}

void load_fonts(float scale) {
  ImGui::GetIO().Fonts->Clear();
  load(kTextFonts, std::round(kTextPixels * scale));
  add_missing(std::round(kTextPixels * scale));
  g_mono = load(kMonoFonts, std::round(kMonoPixels * scale));
}

std::uint32_t viridis(double t) {
  // Every tenth of the published table.
  static constexpr std::array<Rgb, 11> colours{{{0.267, 0.005, 0.329},
                                                {0.283, 0.141, 0.458},
                                                {0.254, 0.265, 0.530},
                                                {0.207, 0.372, 0.553},
                                                {0.164, 0.471, 0.558},
                                                {0.128, 0.567, 0.551},
                                                {0.135, 0.659, 0.518},
                                                {0.267, 0.749, 0.441},
                                                {0.478, 0.821, 0.318},
                                                {0.741, 0.873, 0.150},
                                                {0.993, 0.906, 0.144}}};
  return between(colours, t);
}

std::uint32_t diverging(double t) {
  static constexpr std::array<Rgb, 5> colours{{{0.230, 0.299, 0.754},
                                               {0.552, 0.690, 0.996},
                                               {0.865, 0.865, 0.865},
                                               {0.957, 0.598, 0.477},
                                               {0.706, 0.016, 0.150}}};
  return between(colours, (t + 1) / 2);
}

std::uint32_t cyclic(double angle) {
  // Lightness tells near 0 from near ±π, hue tells positive from negative.
  static constexpr std::array<Rgb, 5> colours{
      {{0.10, 0.09, 0.13}, {0.25, 0.45, 0.78}, {0.93, 0.93, 0.93}, {0.82, 0.38, 0.22}, {0.10, 0.09, 0.13}}};
  return between(colours, (angle / std::numbers::pi + 1) / 2);
}

std::uint32_t grey(double t) {
  static constexpr std::array<Rgb, 2> colours{{{0, 0, 0}, {1, 1, 1}}};
  return between(colours, t);
}

}  // namespace convlens::viewer
