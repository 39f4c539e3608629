#include "cli/image_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace convlens::cli {

namespace {

using Bytes = std::span<const std::byte>;

std::uint32_t byte(Bytes b, std::size_t at) { return std::to_integer<std::uint32_t>(b[at]); }
std::uint32_t big16(Bytes b, std::size_t at) { return byte(b, at) << 8 | byte(b, at + 1); }
std::uint32_t big32(Bytes b, std::size_t at) { return big16(b, at) << 16 | big16(b, at + 2); }
std::string_view text(Bytes b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

// CRC-32 with the reflected polynomial 0xEDB88320, as PNG's annex D has it.
std::uint32_t crc32(Bytes b) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t k = 0; k < 256; ++k) {
      t[k] = k;
      for (int bit = 0; bit < 8; ++bit) t[k] = t[k] >> 1 ^ (t[k] & 1 ? 0xedb88320u : 0);
    }
    return t;
  }();
  std::uint32_t crc = 0xffffffffu;
  for (std::byte value : b) crc = crc >> 8 ^ table[(crc ^ std::to_integer<std::uint32_t>(value)) & 0xff];
  return ~crc;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

ImageFile damaged(const std::string& how) {
  ImageFile file;
  file.damage = how;
  return file;
}

// A chunk: length (4 bytes), name (4), data, CRC of name and data (4).
ImageFile inspect_png(Bytes b) {
  constexpr std::size_t kFirst = 8, kHeaderLength = 13;
  ImageFile file;
  for (std::size_t at = kFirst;;) {
    if (b.size() - at < 12) return damaged("truncated");
    const std::size_t length = big32(b, at);
    if (b.size() - at - 12 < length) return damaged("truncated");
    const std::string_view name = text(b.subspan(at + 4, 4));
    if (!std::ranges::all_of(name, is_letter)) return damaged("corrupt: a chunk without a name");
    if (crc32(b.subspan(at + 4, length + 4)) != big32(b, at + 8 + length))
      return damaged("corrupt: wrong checksum of its " + std::string(name) + " chunk");
    if (at == kFirst && (name != "IHDR" || length != kHeaderLength))
      return damaged("corrupt: does not begin with its header");
    if (at == kFirst) file.width = big32(b, at + 8), file.height = big32(b, at + 12);
    if (name == "IEND") return file;
    file.colour_key = file.colour_key || name == "tRNS";
    at += length + 12;
  }
}

// The orientation of an APP1 segment, "Exif\0\0" and a TIFF file: entry 0x0112 of its first directory.
int exif_orientation(Bytes segment) {
  if (!text(segment).starts_with(std::string_view("Exif\0\0", 6))) return 1;
  const Bytes tiff = segment.subspan(6);
  if (tiff.size() < 8) return 1;
  const bool little = text(tiff).starts_with("II");
  const auto u16 = [&](std::size_t at) { return little ? byte(tiff, at + 1) << 8 | byte(tiff, at) : big16(tiff, at); };
  const auto u32 = [&](std::size_t at) { return little ? u16(at + 2) << 16 | u16(at) : big32(tiff, at); };
  const std::size_t directory = u32(4);
  if (directory > tiff.size() || tiff.size() - directory < 2) return 1;
  for (std::size_t entry = 0; entry < u16(directory); ++entry) {
    const std::size_t at = directory + 2 + 12 * entry;
    if (at + 12 > tiff.size()) return 1;
    if (u16(at) == 0x0112) return u16(at + 8) >= 1 && u16(at + 8) <= 8 ? static_cast<int>(u16(at + 8)) : 1;
  }
  return 1;
}

// A DHT segment: tables of a class and number (1 byte), how many codes there are of each length from 1 to 16, and a
// value for each code. The decoder writes beyond its tables when there are more than 256.
bool sound_huffman_tables(Bytes segment) {
  constexpr std::size_t kLengths = 16, kMostCodes = 256;
  while (!segment.empty()) {
    if (segment.size() < 1 + kLengths) return false;
    std::size_t codes = 0;
    for (std::size_t k = 1; k <= kLengths; ++k) codes += byte(segment, k);
    if (codes > kMostCodes || segment.size() - 1 - kLengths < codes) return false;
    segment = segment.subspan(1 + kLengths + codes);
  }
  return true;
}

// A segment: 0xFF, a marker and, but for a few markers, a length (2 bytes, itself included) and data. After SOS come
// the entropy-coded bytes, in which 0xFF is followed by 0 or a restart marker.
ImageFile inspect_jpeg(Bytes b) {
  constexpr std::uint32_t kStartOfScan = 0xda, kEndOfImage = 0xd9, kApp1 = 0xe1, kHuffmanTables = 0xc4;
  const auto stands_alone = [](std::uint32_t marker) { return marker <= 1 || (marker >= 0xd0 && marker <= 0xd8); };
  ImageFile file;
  for (std::size_t at = 2;;) {
    while (at < b.size() && byte(b, at) == 0xff) ++at;  // fill bytes before a marker
    if (at >= b.size()) return damaged("truncated");
    const std::uint32_t marker = byte(b, at++);
    if (marker == kEndOfImage) return file;
    if (!stands_alone(marker)) {
      if (b.size() - at < 2) return damaged("truncated");
      const std::size_t length = big16(b, at);
      if (length < 2) return damaged("corrupt: a segment of length " + std::to_string(length));
      if (b.size() - at < length) return damaged("truncated");
      const Bytes data = b.subspan(at + 2, length - 2);
      if (marker == kApp1 && file.orientation == 1) file.orientation = exif_orientation(data);
      if (marker == kHuffmanTables && !sound_huffman_tables(data))
        return damaged("corrupt: a Huffman table of wrong size");
      at += length;
    }
    if (marker == kStartOfScan)
      while (at + 1 < b.size() && !(byte(b, at) == 0xff && !stands_alone(byte(b, at + 1)) && byte(b, at + 1) != 0xff))
        ++at;
    if (at + 1 >= b.size()) return damaged("truncated");
    if (byte(b, at) != 0xff) return damaged("corrupt: no marker where one must be");
  }
}

}  // namespace

ImageFile inspect(Bytes bytes) {
  if (text(bytes).starts_with("\x89PNG\r\n\x1a\n")) return inspect_png(bytes);
  if (text(bytes).starts_with("\xff\xd8\xff")) return inspect_jpeg(bytes);
  return damaged("not a PNG or JPEG file");
}

}  // namespace convlens::cli
