#include "cli/run_output.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "algorithms/error.h"
#include "cli/output.h"

namespace convlens::cli {

namespace fs = std::filesystem;

namespace {

void check_drawable(const std::string& filter, const Shape& y, const RunInput& input) {
  if (y[1] != 1 && y[1] != 3)
    throw BadInput("--output: " + filter + " gives " + std::to_string(y[1]) +
                   " channels, must be 1 or 3 for a .png (an .npy takes any)");
  check_size("--output: " + filter, y[2], y[3], static_cast<int>(y[1]) + (input.has_alpha() ? 1 : 0));
}

// y as a picture. An output's alpha is that of the pixel in the middle of its window.
Picture to_picture(const ConstTensorView& y, const ConvProblem& problem, const RunInput& input, Show show) {
  const Picture& original = input.pixels();
  const int colours = static_cast<int>(problem.co());
  Picture picture{problem.ho(), problem.wo(), colours + (original.has_alpha() ? 1 : 0), {}};
  picture.samples.reserve(static_cast<std::size_t>(picture.height * picture.width * picture.channels));
  for (std::int64_t p = 0; p < picture.height; ++p)
    for (std::int64_t q = 0; q < picture.width; ++q) {
      for (int o = 0; o < colours; ++o) {
        const double value = brightness(show, element(y, 0, o, p, q));
        const double clipped = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
        picture.samples.push_back(static_cast<std::uint16_t>(std::lround(65535 * clipped)));
      }
      if (!original.has_alpha()) continue;
      const std::int64_t row = problem.input_row(p, 0) + (problem.extent_h() - 1) / 2;
      const std::int64_t column = problem.input_column(q, 0) + (problem.extent_w() - 1) / 2;
      picture.samples.push_back(original.at(std::clamp<std::int64_t>(row, 0, original.height - 1),
                                            std::clamp<std::int64_t>(column, 0, original.width - 1),
                                            original.colours()));
    }
  return picture;
}

}  // namespace

RunOutput::RunOutput(const std::string& text, const RunInput& input, const std::vector<Result>& results)
    : target_(text) {
  if (text.empty()) return;
  folder_ = text.ends_with('/');
  std::error_code none;
  if (!folder_ && fs::is_directory(target_, none))
    throw BadInput("--output: " + text + ", is a folder, must be a file, or end in / to write files into it");
  if (!folder_ && results.size() > 1)
    throw BadInput("--output: " + text + ", must be a folder and end in / for " + std::to_string(results.size()) +
                   " filters");
  extension_ = folder_ ? (input.is_picture() ? ".png" : ".npy") : small_extension(target_);
  if (extension_ != ".png" && extension_ != ".npy")
    throw BadInput("--output: " + text + ", must end in .png, .npy or / (a folder)");
  if (extension_ == ".png" && !input.is_picture())
    throw BadInput("--output: " + text + ", must end in .npy, or / for a folder, for an .npy input");

  std::set<std::string> names;
  for (const Result& result : results) {
    if (!names.insert(result.filter).second)
      throw BadInput("--output: " + path_of(result.filter).string() + ", would be written twice");
    if (extension_ == ".png") check_drawable(result.filter, result.shape, input);
    filters_.push_back(result.filter);
  }
}

fs::path RunOutput::path_of(const std::string& filter) const {
  return folder_ ? target_ / (filter + extension_) : target_;
}

bool RunOutput::makes_folder() const {
  std::error_code none;
  return folder_ && !fs::exists(target_, none);
}

NamedFiles RunOutput::files() const {
  NamedFiles files;
  for (const std::string& filter : filters_) files.emplace_back("--output", path_of(filter));
  return files;
}

std::unique_ptr<OutputFile> RunOutput::open(const std::string& filter) const {
  if (target_.empty()) return nullptr;
  if (folder_) make_folder(target_);
  return std::make_unique<OutputFile>(path_of(filter), "--output");
}

void RunOutput::write(OutputFile& file, const std::string& filter, const Tensor& y, const Plan& plan,
                      const RunInput& input, Show show) const {
  if (extension_ == ".npy")
    write_npy(y.view(), file);
  else
    write_png(to_picture(y.view(), plan.problem(), input, show), file);
  file.commit();
  say("wrote " + path_of(filter).string());
}

}  // namespace convlens::cli
