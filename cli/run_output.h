// Where the results of `run` go: nowhere, to one file, or to a folder with one file a filter.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/interface/plan.h"
#include "algorithms/output_file.h"
#include "cli/filters.h"
#include "cli/run_input.h"

namespace convlens::cli {

class RunOutput {
 public:
  struct Result {
    std::string filter;
    Shape shape{};
  };

  // `text` is "" for nowhere, FILE.png, FILE.npy, or FOLDER/, which is made where it is missing. Throws BadInput,
  // before anything is computed or touched, when the results don't fit there: several for one file, two of one name, or
  // for a picture of other than 1 or 3 channels.
  RunOutput(const std::string& text, const RunInput& input, const std::vector<Result>& results);

  // The file that the result of `filter` goes to, opened; null for nowhere. Throws BadInput when it can't be written.
  std::unique_ptr<OutputFile> open(const std::string& filter) const;

  bool makes_folder() const;  // which is missing, and made by `open`

  // What will be written, which must be none of the files that are read.
  NamedFiles files() const;

  // Writes y, the result of `plan`, to what `open` gave, and says so on stderr.
  void write(OutputFile& file, const std::string& filter, const Tensor& y, const Plan& plan, const RunInput& input,
             Show show) const;

 private:
  std::filesystem::path path_of(const std::string& filter) const;

  std::filesystem::path target_;  // empty: nowhere
  std::vector<std::string> filters_;
  bool folder_ = false;
  std::string extension_;  // ".png" or ".npy"
};

}  // namespace convlens::cli
