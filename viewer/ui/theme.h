// Colours, fonts and sizes: dark and light, at any scale. Colours that carry meaning can be told apart by the
// colour-blind.
#pragma once

#include <imgui/imgui.h>

#include <cstdint>
#include <string>

namespace convlens::viewer {

// The colours that carry a meaning, beside the maps below.
struct Palette {
  ImU32 cursor;     // the cell under the pointer
  ImU32 lit;        // what belongs to it
  ImU32 also;       // the same place elsewhere: in other rows' tensors, and further copies
  ImU32 padding;    // zeros of the layer's padding
  ImU32 alignment;  // cells that only round a size up
  ImU32 line;       // between blocks of a sheet
  ImU32 wrong;      // a value that breaks a rule
  ImU32 nan;        // a value that is not finite: in none of the maps below
  ImU32 faint;      // secondary text
  ImU32 series[8];  // Okabe & Ito's eight, "Color Universal Design", 2008
};
const Palette& palette();

// Sets Dear ImGui's style and the palette. Sizes are those of a 96 dpi monitor times `scale`.
void apply_theme(bool dark, float scale);

// On as many lines as it takes, broken between words: text, secondary text, and a rule that is broken, where there is
// one.
void wrapped_text(const std::string& text);
void faint_text(const std::string& text);
void wrong_text(const std::string& rule);

// Builds the fonts for `scale`: Roboto and JetBrains Mono where the system has them, else Dear ImGui's own.
void load_fonts(float scale);
ImFont* mono();

// 0 … 1 to dark blue … yellow: viridis (van der Walt & Smith 2015), ordered in lightness.
std::uint32_t viridis(double t);

// −1 … 1 to blue … grey … red: Moreland 2009, "Diverging Color Maps for Scientific Visualization".
std::uint32_t diverging(double t);

// An angle in radians, round and round: bright at 0, red at π/2, dark at ±π, blue at −π/2.
std::uint32_t cyclic(double angle);

// 0 … 1 to black … white.
std::uint32_t grey(double t);

}  // namespace convlens::viewer
