#include "cli/run_input.h"

#include <algorithm>

#include "algorithms/error.h"
#include "cli/sample_picture.h"

namespace convlens::cli {

namespace {

int colours(int channels) { return channels >= 3 ? 3 : 1; }

}  // namespace

RunInput RunInput::sample() {
  RunInput input;
  input.name_ = "sample picture";
  input.pixels_ = sample_picture();
  input.shape_ = {1, input.pixels_->colours(), input.pixels_->height, input.pixels_->width};
  return input;
}

RunInput RunInput::picture(const std::filesystem::path& path) {
  RunInput input;
  input.name_ = path.filename().string();
  input.file_.emplace(path);
  input.shape_ = {1, colours(input.file_->channels()), input.file_->height(), input.file_->width()};
  return input;
}

RunInput RunInput::array(const std::filesystem::path& path) {
  RunInput input;
  input.name_ = path.filename().string();
  input.path_ = path;
  input.array_ = read_npy_header(path);
  const std::vector<std::int64_t>& extents = input.array_->shape;
  if (extents.size() < 2 || extents.size() > 4)
    throw BadInput(path.string() + ": an array of " + std::to_string(extents.size()) +
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
