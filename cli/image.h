// Pictures: PNG and JPEG files in, PNG files out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "algorithms/output_file.h"
#include "algorithms/tensor/tensor.h"

namespace convlens::cli {

// Samples of 16 bits, rows of pixels, the channels of a pixel side by side: grey, grey + alpha, RGB or RGBA. Eight-bit
// files are widened exactly, v → 257·v, so that v/255 = 257·v/65535.
struct Picture {
  std::int64_t height = 0, width = 0;
  int channels = 3;  // 1 to 4
  std::vector<std::uint16_t> samples;

  bool has_alpha() const { return channels % 2 == 0; }
  int colours() const { return channels - (has_alpha() ? 1 : 0); }  // 1 or 3
  std::uint16_t at(std::int64_t row, std::int64_t column, int channel) const {
    return samples[static_cast<std::size_t>((row * width + column) * channels + channel)];
  }
};

// Throws BadInput, beginning with `name`, for a picture of more than 2^28 samples.
void check_size(const std::string& name, std::int64_t height, std::int64_t width, int channels);

// A picture's file, read but not decoded: its size is known before memory for its pixels is asked for.
class PictureFile {
 public:
  // Throws BadInput with one line that names `parameter` and the file: missing, damaged, not PNG or JPEG, or more than
  // 2^28 samples.
  explicit PictureFile(const std::filesystem::path& path, const std::string& parameter);

  std::int64_t height() const { return height_; }
  std::int64_t width() const { return width_; }
  int channels() const { return channels_; }

  // Upright, whichever way the camera was held.
  Picture decode() const;

 private:
  std::string name_;
  std::vector<std::byte> bytes_;
  std::int64_t height_ = 0, width_ = 0;
  int channels_ = 0, orientation_ = 1;
};

// The colours (not alpha) of `picture` as values from 0 to 1, into an x of shape 1 × colours × height × width.
void to_tensor(const Picture& picture, const TensorView& x);

// Writes an 8-bit PNG.
void write_png(const Picture& picture, OutputFile& file);

}  // namespace convlens::cli
