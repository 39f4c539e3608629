// What `run` works on: a picture's file, an .npy array, or the picture that ships. Its shape is known before its
// elements are read, so that a plan can refuse before any memory is asked for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/image.h"
#include "cli/npy.h"

namespace convlens::cli {

class RunInput {
 public:
  // Each throws BadInput with one line that names the file.
  static RunInput sample();
  static RunInput picture(const std::filesystem::path& path);
  static constexpr const char* kInput = "--input";
  // H×W, C×H×W or N×C×H×W
  static RunInput array(const std::filesystem::path& path, const std::string& parameter = kInput);

  const std::string& name() const { return name_; }  // "sample picture", or the file's without its folder
  bool is_picture() const { return !array_; }
  const Shape& shape() const { return shape_; }  // N, C_i (colours, without alpha), H_i, W_i
  DType natural_dtype() const { return array_ ? cli::natural_dtype(*array_) : DType::f32; }

  // Reads the elements: a picture's colours from 0 to 1, an array's numbers as they are, rounded once to `dtype`.
  Tensor read(DType dtype, Layout layout);

  // The picture as it was read; its alpha channel is kept for the result.
  const Picture& pixels() const { return *pixels_; }
  bool has_alpha() const { return pixels_ ? pixels_->has_alpha() : file_ && file_->channels() % 2 == 0; }

 private:
  std::string name_;
  std::filesystem::path path_;
  Shape shape_{};
  std::optional<NpyHeader> array_;
  std::optional<PictureFile> file_;
  std::optional<Picture> pixels_;
};

}  // namespace convlens::cli
