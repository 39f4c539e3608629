#include "viewer/platform/texture.h"

#include <GL/gl.h>

#include <utility>

namespace convlens::viewer {

Texture::~Texture() {
  if (name_ != 0) glDeleteTextures(1, &name_);
}

Texture::Texture(Texture&& other) noexcept : name_(std::exchange(other.name_, 0)) {}

Texture& Texture::operator=(Texture&& other) noexcept {
  std::swap(name_, other.name_);
  return *this;
}

void Texture::set(int width, int height, const std::vector<std::uint32_t>& pixels) {
  if (name_ == 0) glGenTextures(1, &name_);
  glBindTexture(GL_TEXTURE_2D, name_);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
}

}  // namespace convlens::viewer
