// Data files that the build puts into the program (see cmake/Embed.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace convlens {

struct EmbeddedFile {
  std::string_view name;  // "cv.layers"
  std::string_view text;
};

const std::vector<EmbeddedFile>& layer_files();
const std::vector<EmbeddedFile>& model_files();  // rows.model

}  // namespace convlens
