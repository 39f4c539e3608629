// `convlens view`: the viewer, in a window or as one picture drawn without any display. The one place where a face
// meets another: what is said here becomes plain data for the module convlens_viewer.
#include "viewer/viewer.h"

#include <filesystem>
#include <memory>

#include "algorithms/interface/module.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/image_file.h"
#include "cli/numbers.h"
#include "cli/sample_picture.h"

namespace convlens::cli {

namespace {

struct ViewArguments {
  LayerArguments layers;
  RowArguments rows;
  std::string panel, arrangement, tensor, at, size, state, screenshot, image, theme;
  double scale = 0;
};

viewer::Photograph to_photograph(const Picture& picture) {
  viewer::Photograph photograph{picture.height, picture.width, picture.colours(), {}};
  photograph.samples.reserve(static_cast<std::size_t>(picture.height * picture.width * picture.colours()));
  for (std::int64_t row = 0; row < picture.height; ++row)
    for (std::int64_t column = 0; column < picture.width; ++column)
      for (int channel = 0; channel < picture.colours(); ++channel)
        photograph.samples.push_back(static_cast<float>(picture.at(row, column, channel)) / 65535.0f);
  return photograph;
}

viewer::PictureFiles picture_files() {
  return {[](const std::string& file) {
            return to_photograph(file.empty() ? sample_picture() : PictureFile(file).decode());
          },
          [](const std::string& file, int width, int height, const std::vector<unsigned char>& rgba) {
            Picture picture{height, width, 3, {}};
            picture.samples.reserve(rgba.size() / 4 * 3);
            for (std::size_t pixel = 0; pixel < rgba.size(); pixel += 4)
              for (std::size_t channel = 0; channel < 3; ++channel)
                picture.samples.push_back(static_cast<std::uint16_t>(257 * rgba[pixel + channel]));
            OutputFile output(file);
            write_png(picture, output);
            output.commit();
          }};
}

// "0,0,5,7": at most six whole numbers.
Coord parse_at(const std::string& text) {
  Coord at{};
  std::size_t axis = 0;
  for (std::size_t from = 0; from <= text.size(); ++axis) {
    if (axis == kMaxRank) throw BadInput("--at: " + text + ", must be at most 6 coordinates");
    const std::size_t comma = std::min(text.find(',', from), text.size());
    at[axis] = parse_integer("--at", text.substr(from, comma - from), 0, std::numeric_limits<std::int64_t>::max());
    from = comma + 1;
  }
  return at;
}

void parse_view_size(const std::string& text, viewer::ViewOptions& options) {
  const std::size_t by = text.find('x');
  if (by == std::string::npos) throw BadInput("--size: " + text + ", must be WIDTHxHEIGHT, as in 1600x1000");
  options.width = static_cast<int>(parse_integer("--size", text.substr(0, by), 320, 16384));
  options.height = static_cast<int>(parse_integer("--size", text.substr(by + 1), 240, 16384));
}

std::string user_state_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (config != nullptr && *config != '\0') return std::string(config) + "/convlens/state.json";
  return home != nullptr && *home != '\0' ? std::string(home) + "/.config/convlens/state.json" : "";
}

viewer::State chosen_state(const ViewArguments& arguments) {
  viewer::State state = arguments.state.empty() ? viewer::first_state() : viewer::read_state(arguments.state);
  if (arguments.layers.given()) {
    const Layer layer = only(arguments.layers.layers(), "layer");
    state.layer = layer.name;
    state.spec = layer.problem.spec();
  }
  if (arguments.rows.algorithm_given()) {
    state.runs.clear();
    for (const Run& run : arguments.rows.runs()) state.runs.push_back(run_name(*run.algorithm, run.options));
  }
  if (arguments.rows.dtype_given()) state.dtype = only(arguments.rows.dtypes({}), "--dtype");
  if (arguments.rows.layout_given()) state.layouts = only(arguments.rows.layouts({}), "--layout");
  if (!arguments.panel.empty()) state.panel = arguments.panel;
  if (!arguments.arrangement.empty()) state.arrangement = arguments.arrangement;
  if (!arguments.image.empty()) state.picture = arguments.image;
  if (!arguments.at.empty()) state.cursor = {arguments.tensor.empty() ? "y" : arguments.tensor, parse_at(arguments.at)};
  if (!arguments.theme.empty()) state.dark = arguments.theme == "dark";
  if (arguments.scale > 0) state.scale = arguments.scale;
  return viewer::state_from_json(viewer::to_json(state));  // the same rules as for a file
}

void view(const ViewArguments& arguments) {
  viewer::ViewOptions options;
  options.state = chosen_state(arguments);
  options.pictures = picture_files();
  options.screenshot = arguments.screenshot;
  if (!arguments.size.empty()) parse_view_size(arguments.size, options);
  options.state_file = arguments.state.empty() ? user_state_file() : arguments.state;
  const Module& module = convlens::module("viewer");
  if (!module.missing.empty()) throw Unsupported("view: " + module.missing);
  static_cast<const viewer::Services*>(module.exports.services)->view(options);
}

}  // namespace

void add_view(CLI::App& app, const Globals&) {
  CLI::App* command = app.add_subcommand("view", "look at what algorithms do to the data, in a window or as a picture");
  show_examples(*command,
                {"convlens view --layer cv9 --algorithm im2win --panel layouts --at 0,0,5,7 --screenshot out.png",
                 "convlens view cv3 --batch 256 --panel memory --size 1280x720 --theme light --screenshot m.png"});
  const auto arguments = std::make_shared<ViewArguments>();
  ViewArguments* a = arguments.get();
  a->layers.add_to(*command, Amount::one);
  a->rows.add_to(*command, Amount::one);
  command->add_option("--panel", a->panel, "which panel is in front: layouts, memory")->type_name("PANEL");
  command->add_option("--arrangement", a->arrangement, "of the Layouts panel: grids, five, copies, ribbon, schedule")
      ->type_name("NAME");
  command->add_option("--tensor", a->tensor, "what --at points into: x, w, y, or a row and its stage")->type_name("ID");
  command->add_option("--at", a->at, "the cell to point at, as in 0,0,5,7")->type_name("I,J,…");
  command->add_option("--image", a->image, "a picture as the input, or `random`")->type_name("FILE");
  command->add_option("--size", a->size, "of the window or picture, in pixels; 1600x1000 when left out")
      ->type_name("WxH");
  add_number(
      *command, "--scale", 0.5, 4, [a](double v) { a->scale = v; }, "of everything; the monitor's when left out");
  command->add_option("--theme", a->theme, "dark or light")->check(CLI::IsMember({"dark", "light"}));
  command->add_option("--state", a->state, "start from a state file that the viewer wrote")->type_name("FILE");
  command->add_option("--screenshot", a->screenshot, "draw one picture into this PNG, without a display")
      ->type_name("FILE");
  command->callback([arguments] { view(*arguments); });
}

}  // namespace convlens::cli
