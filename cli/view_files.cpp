#include "cli/view_files.h"

#include <memory>
#include <span>

#include "algorithms/output_file.h"
#include "cli/image_file.h"
#include "cli/run_input.h"
#include "cli/sample_picture.h"

namespace convlens::cli {

namespace {

viewer::Photograph to_photograph(const Picture& picture) {
  viewer::Photograph photograph{picture.height, picture.width, picture.colours(), {}, nullptr};
  photograph.samples.reserve(static_cast<std::size_t>(picture.height * picture.width * picture.colours()));
  for (std::int64_t row = 0; row < picture.height; ++row)
    for (std::int64_t column = 0; column < picture.width; ++column)
      for (int channel = 0; channel < picture.colours(); ++channel)
        photograph.samples.push_back(static_cast<float>(picture.at(row, column, channel)) / 65535.0f);
  return photograph;
}

}  // namespace

viewer::Photograph read_image(const std::string& file, const std::string& parameter) {
  if (file.empty()) return to_photograph(sample_picture());
  refuse_stream(file, parameter);
  if (!file.ends_with(".npy")) return to_photograph(PictureFile(file, parameter).decode());
  RunInput input = RunInput::array(file, parameter);
  const Tensor x = input.read(DType::f64, Layout::NCHW);
  const double* const first = x.as<double>().data;
  viewer::Photograph photograph;
  photograph.numbers = std::make_shared<const viewer::Numbers>(
      viewer::Numbers{input.shape(), std::vector<double>(first, first + x.size())});
  return photograph;
}

viewer::Files view_files(const ViewArguments& a) {
  // What a window writes has no option.
  const auto option = [picture = a.screenshot, data = a.export_data, state = a.save](const std::string& file) {
    return file == picture ? "--screenshot" : file == data ? "--export" : file == state ? "--save" : "file";
  };
  return {[](const std::string& file) { return read_image(file, "picture"); },
          [option](const std::string& file, int width, int height, const std::vector<unsigned char>& rgba) {
            Picture picture{height, width, 3, {}};
            picture.samples.reserve(rgba.size() / 4 * 3);
            for (std::size_t pixel = 0; pixel < rgba.size(); pixel += 4)
              for (std::size_t channel = 0; channel < 3; ++channel)
                picture.samples.push_back(static_cast<std::uint16_t>(257 * rgba[pixel + channel]));
            OutputFile output(file, option(file));
            write_png(picture, output);
            output.commit();
          },
          [option](const std::string& file, const std::string& text) {
            OutputFile output(file, option(file));
            output.write(std::as_bytes(std::span(text)));
            output.commit();
          }};
}

}  // namespace convlens::cli
