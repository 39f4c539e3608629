// What the command writes: results to stdout, and nothing else there; everything that is said about them to stderr.
#pragma once

#include <string>
#include <string_view>

namespace convlens::cli {

// Writes to stdout at once. Throws Finished when nobody reads any more (`| head`), BadInput when it cannot be written.
void print(std::string_view text);

// One line on stderr.
void say(std::string_view line);

// A file that is written whole or not at all: lines go to a temporary file beside it, which takes its name at the end.
class WholeFile {
 public:
  // Throws BadInput, naming the path and the reason, when nothing can be written there.
  explicit WholeFile(std::string path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::string_view text);
  void keep();  // without this the file stays as it was

 private:
  std::string path_, temporary_;
  int descriptor_ = -1;
};

}  // namespace convlens::cli
