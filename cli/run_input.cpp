#include "cli/run_input.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "algorithms/error.h"
#include "algorithms/output_file.h"
#include "cli/sample_picture.h"

namespace convlens::cli {

namespace {

int colours(int channels) { return channels >= 3 ? 3 : 1; }

// Whether the file begins so, if there is such a file.
bool begins_with(const std::filesystem::path& path, std::string_view magic) {
  std::string start(magic.size(), '\0');
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) &&
         std::ifstream(path, std::ios::binary).read(start.data(), std::ssize(start)) && start == magic;
}

}  // namespace

RunInput RunInput::sample() {
  RunInput input;
  input.name_ = "sample picture";
  input.pixels_ = sample_picture();
  input.shape_ = {1, input.pixels_->colours(), input.pixels_->height, input.pixels_->width};
  return input;
}

RunInput RunInput::picture(const std::filesystem::path& path) {
  refuse_stream(path, "--image");
  RunInput input;
  input.name_ = path.filename().string();
  if (begins_with(path, "\x93NUMPY"))
    throw BadInput("--image: " + path.string() + ", must be a PNG or JPEG file; an .npy array goes with --input");
  input.file_.emplace(path, "--image");
  input.shape_ = {1, colours(input.file_->channels()), input.file_->height(), input.file_->width()};
  return input;
}

RunInput RunInput::array(const std::filesystem::path& path, const std::string& parameter) {
  refuse_stream(path, parameter);
  RunInput input;
  input.name_ = path.filename().string();
  input.path_ = path;
  if (begins_with(path, "\x89PNG") || begins_with(path, "\xff\xd8\xff"))
    throw BadInput(parameter + ": " + path.string() + ", must be an .npy array" +
                   (parameter == kInput ? "; a picture goes with --image" : ""));
  input.array_ = read_npy_header(path, parameter);
  const std::vector<std::int64_t>& extents = input.array_->shape;
  if (extents.size() < 2 || extents.size() > 4)
    throw BadInput(input.array_->name + ", an array of " + std::to_string(extents.size()) +
                   " axes, must have 2 (H, W), 3 (C, H, W) or 4 (N, C, H, W)");
  input.shape_ = {1, 1, 1, 1};
  std::ranges::copy(extents, input.shape_.end() - std::ssize(extents));
  return input;
}

Tensor RunInput::read(DType dtype, Layout layout) {
  Tensor x(dtype, layout, shape_);
  if (array_) {
    read_npy(path_, *array_, x.view());
    return x;
  }
  if (file_) {
    pixels_ = file_->decode();
    file_.reset();
  }
  to_tensor(*pixels_, x.view());
  return x;
}

}  // namespace convlens::cli
