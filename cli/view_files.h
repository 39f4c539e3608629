// How files come in and go out of the viewer: by the program's own readers and writers.
#pragma once

#include <string>

#include "cli/view_arguments.h"
#include "viewer/viewer.h"

namespace convlens::cli {

// An .npy array as it is, anything else as a picture; "" is the one that ships. Throws BadInput that
// names `parameter` for what is neither.
viewer::Photograph read_image(const std::string& file, const std::string& parameter);

// Of the files that `arguments` name, messages say by which option.
viewer::Files view_files(const ViewArguments& arguments);

}  // namespace convlens::cli
