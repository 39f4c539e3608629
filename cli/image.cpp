#include "cli/image.h"

#include <fstream>
#include <limits>
#include <memory>

#include "algorithms/error.h"
#include "algorithms/problem/checked.h"
#include "cli/image_file.h"

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#include <stb_image.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb_image_write.h>

namespace convlens::cli {

namespace {

constexpr std::int64_t kMostSamples = std::int64_t{1} << 28;
constexpr std::int64_t kMostBytes = std::numeric_limits<int>::max();

std::vector<std::byte> read_file(const std::filesystem::path& path, const std::string& name) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw BadInput(name + ", no such file");
  if (!std::filesystem::is_regular_file(path, error)) throw BadInput(name + ", must be a regular file");
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  if (error || size > kMostBytes)
    throw BadInput(name + ", a file of " + std::to_string(size) + " bytes, must be < 2^31");
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(bytes.data()), size)) throw BadInput(name + ", cannot be read");
  return bytes;
}

const stbi_uc* stb_bytes(const std::vector<std::byte>& bytes) { return reinterpret_cast<const stbi_uc*>(bytes.data()); }

// Where the upright pixel (row, column) is in the file: orientations 5 to 8 exchange rows and columns; in 2, 3, 7 and 8
// the file's columns run backwards, in 3, 4, 6 and 7 its rows.
struct Turn {
  int orientation;
  std::int64_t file_height, file_width;

  bool exchanges() const { return orientation >= 5; }
  std::int64_t pixel(std::int64_t row, std::int64_t column) const {
    std::int64_t r = exchanges() ? column : row, c = exchanges() ? row : column;
    if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8) c = file_width - 1 - c;
    if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7) r = file_height - 1 - r;
    return r * file_width + c;
  }
};

}  // namespace

void check_size(const std::string& name, std::int64_t height, std::int64_t width, int channels) {
  if (checked::product("samples of a picture", {height, width, channels}) > kMostSamples)
    throw BadInput(name + ", " + std::to_string(width) + "x" + std::to_string(height) + "x" + std::to_string(channels) +
                   " samples, must be ≤ 2^28");
}

PictureFile::PictureFile(const std::filesystem::path& path, const std::string& parameter)
    : name_(parameter + ": " + path.string()), bytes_(read_file(path, name_)) {
  const ImageFile file = inspect(bytes_);
  if (!file.damage.empty()) throw BadInput(name_ + ", " + file.damage + ", must be a whole PNG or JPEG file");
  check_size(name_, file.height, file.width, 1);  // the decoder gives no reason for what is far too large
  int width = 0, height = 0;
  if (stbi_info_from_memory(stb_bytes(bytes_), static_cast<int>(bytes_.size()), &width, &height, &channels_) == 0)
    throw BadInput(name_ + ", " + stbi_failure_reason() + ", must be a PNG or JPEG file that can be decoded");
  if (file.colour_key && channels_ % 2 == 1) ++channels_;
  check_size(name_, height, width, channels_);
  orientation_ = file.orientation;
  height_ = orientation_ >= 5 ? width : height;
  width_ = orientation_ >= 5 ? height : width;
}

Picture PictureFile::decode() const {
  int width = 0, height = 0, ignored = 0;
  const std::unique_ptr<stbi_us, decltype(&stbi_image_free)> decoded(
      stbi_load_16_from_memory(stb_bytes(bytes_), static_cast<int>(bytes_.size()), &width, &height, &ignored,
                               channels_),
      &stbi_image_free);
  if (decoded == nullptr)
    throw BadInput(name_ + ", " + stbi_failure_reason() + ", must be a PNG or JPEG file that can be decoded");

  Picture picture{height_, width_, channels_, {}};
  picture.samples.reserve(static_cast<std::size_t>(height_ * width_ * channels_));
  const Turn turn{orientation_, height, width};
  for (std::int64_t row = 0; row < height_; ++row)
    for (std::int64_t column = 0; column < width_; ++column) {
      const stbi_us* pixel = decoded.get() + turn.pixel(row, column) * channels_;
      picture.samples.insert(picture.samples.end(), pixel, pixel + channels_);
    }
  return picture;
}

void to_tensor(const Picture& picture, const TensorView& x) {
  fill(x, [&](std::int64_t, std::int64_t c, std::int64_t h, std::int64_t w) {
    return picture.at(h, w, static_cast<int>(c)) / 65535.0;
  });
}

void write_png(const Picture& picture, OutputFile& file) {
  std::vector<std::uint8_t> bytes(picture.samples.size());
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<std::uint8_t>((picture.samples[k] + 128) / 257);
  std::vector<std::byte> png;
  const auto append = [](void* to, void* data, int size) {
    const auto* begin = static_cast<const std::byte*>(data);
    auto* all = static_cast<std::vector<std::byte>*>(to);
    all->insert(all->end(), begin, begin + size);
  };
  const int width = static_cast<int>(picture.width), height = static_cast<int>(picture.height);
  const int row_bytes = width * picture.channels;
  if (stbi_write_png_to_func(append, &png, width, height, picture.channels, bytes.data(), row_bytes) == 0)
    throw Unsupported("memory: for the PNG file of a picture of " + std::to_string(bytes.size()) +
                      " samples, more than the host has");
  file.write(png);
}

}  // namespace convlens::cli
