// What the command writes: results to stdout, and nothing else there; everything that is said about them to stderr.
#pragma once

#include <string>
#include <string_view>

namespace convlens::cli {

// Writes to stdout at once. Throws Finished when nobody reads any more (`| head`), BadInput when it cannot be written.
void print(std::string_view text);

// One line on stderr.
void say(std::string_view line);

}  // namespace convlens::cli
