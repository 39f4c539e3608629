// A file that is written whole or not at all; and what its name may be.
//
// The bytes go to a temporary file in the same folder; `commit` flushes it to the disk and renames it over the target.
// Whatever goes wrong before that leaves an old file as it was, and no temporary file behind.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace convlens {

class OutputFile {
 public:
  // Opens the temporary file, so that a folder that cannot be written is found before any work is done. A symbolic
  // link is followed: the file it points to is replaced, not the link.
  // Throws BadInput, that names `parameter`, when the target is "-" or something other than a regular file, or its
  // folder cannot be written.
  explicit OutputFile(const std::filesystem::path& target, std::string parameter = "output");
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Both throw BadInput with the system's reason ("No space left on device").
  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string parameter_, asked_;  // as the user wrote it, for messages
  std::filesystem::path target_;
  std::string temporary_;
  int file_ = -1;
};

// "-" is no file's name, wherever one is asked for: a command reads standard input or writes standard output for it
// where what goes there is text and nothing else goes there, and refuses it everywhere else. A file of that name is
// ./-.
inline bool is_stream(const std::filesystem::path& path) { return path == "-"; }

// Throws BadInput that names `parameter`, as in "--image: -, must be a file".
void refuse_stream(const std::filesystem::path& path, const std::string& parameter);

// What is said to name a file, and the file; what is empty names none.
using NamedFiles = std::vector<std::pair<std::string, std::filesystem::path>>;

// Throws BadInput where a file that will be written is named twice, however it is spelled, or is one that is read, and
// so would be lost: "--html: a, must be another file than that of --from". What is read from standard input is the file
// that it comes from, if it does; standard output is none.
void refuse_same_file(const NamedFiles& written, const NamedFiles& read = {});

// ".png" of "a.PNG": the extension of `path` in small letters.
std::string small_extension(const std::filesystem::path& path);

// The folder that `folder` names, made where it is missing. Throws BadInput when it is a file or cannot be made.
void make_folder(const std::filesystem::path& folder);

}  // namespace convlens
