#include "viewer/logic/in_symbols.h"

#include <algorithm>
#include <cctype>

#include "viewer/logic/layer_sizes.h"

namespace convlens::viewer {

namespace {

// Letters of any script: bytes of UTF-8 beyond ASCII belong to words as well.
bool in_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_';
}

}  // namespace

std::string in_symbols(const std::string& sentence) {
  std::string said;
  for (auto at = sentence.begin(); at != sentence.end();) {
    const auto end = std::find_if(at, sentence.end(), [](char c) { return !in_word(c); });
    const std::string word(at, end);
    const auto size = std::ranges::find(kLayerSizes, word, &LayerSize::name);
    said += size == kLayerSizes.end() ? word : size->symbol;
    at = end;
    if (at != sentence.end()) said += *at++;
  }
  return said;
}

}  // namespace convlens::viewer
