// What can be said about a PNG or JPEG file without decoding it.
//
// The decoder takes a damaged file for a good one (it checks no checksums and invents what is missing), so the file's
// structure is walked first:
//   PNG   every chunk's CRC-32, up to IEND         (ISO/IEC 15948, https://www.w3.org/TR/png-3/)
//   JPEG  every marker segment, up to EOI, and the sizes of Huffman tables     (ITU-T T.81); the EXIF orientation
//         (CIPA DC-008) is read on the way
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace convlens::cli {

struct ImageFile {
  std::string damage;                   // what is wrong with the file, or ""
  std::uint32_t height = 0, width = 0;  // PNG: as its header says; a JPEG's are left to the decoder
  bool colour_key = false;              // PNG: one colour is transparent (tRNS), so the picture has an alpha channel
  int orientation = 1;                  // JPEG: 1 to 8, how the camera was held
};

ImageFile inspect(std::span<const std::byte> bytes);

}  // namespace convlens::cli
