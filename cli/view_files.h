// How files come in and go out of the viewer: by the program's own readers and writers.
#pragma once

#include <string>

#include "viewer/viewer.h"

namespace convlens::cli {

// An .npy array as it is, anything else as a picture; "" is the one that ships. Throws BadInput for what is neither.
viewer::Photograph read_image(const std::string& file);

viewer::Files view_files();

}  // namespace convlens::cli
