// A picture that OpenGL can draw.
#pragma once

#include <cstdint>
#include <vector>

namespace convlens::viewer {

class Texture {
 public:
  Texture() = default;
  ~Texture();
  Texture(Texture&& other) noexcept;
  Texture& operator=(Texture&& other) noexcept;

  // Replaces the picture: one 0xAABBGGRR a pixel, rows from top to bottom. Pixels are drawn as squares, not smoothed.
  void set(int width, int height, const std::vector<std::uint32_t>& pixels);

  void* id() const { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(name_)); }  // as Dear ImGui wants it
  bool empty() const { return name_ == 0; }

 private:
  unsigned name_ = 0;
};

}  // namespace convlens::viewer
