// `convlens view`: the viewer, in a window or as one picture drawn without any display. The one place where a face
// meets another: what is said here becomes plain data for the module convlens_viewer.
#include "viewer/viewer.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <span>

#include "algorithms/interface/module.h"
#include "algorithms/output_file.h"
#include "algorithms/suggest.h"
#include "algorithms/worker/child.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/image_file.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/run_input.h"
#include "cli/sample_picture.h"
#include "viewer/logic/model.h"
#include "viewer/logic/runs.h"
#include "viewer/logic/schedule.h"
#include "viewer/logic/state_rules.h"
#include "viewer/logic/steps.h"
#include "viewer/logic/table.h"
#include "viewer/logic/tour.h"

namespace convlens::cli {

namespace {

struct ViewArguments {
  LayerArguments layers;
  RowArguments rows;
  std::string panel, arrangement, order, tensor, at, size, state, image, theme;
  std::string screenshot, export_data, save;  // without any of these a window opens
  std::vector<std::string> live, fields;
  std::optional<std::int64_t> memory_limit;
  std::string chart, timed, swept, worker;
  std::optional<std::int64_t> step, block, tour;
  double scale = 0, measure_seconds = 0;

  bool draws() const { return !screenshot.empty() || !export_data.empty(); }
  bool window() const { return !draws() && save.empty(); }

  // Whether anything of what is shown is said, be it as the first state has it.
  bool says_state() const {
    const auto given = [](const auto&... texts) { return (!texts.empty() || ...); };
    return layers.given() || layers.batch_given() || layers.parts_given() || rows.algorithm_given() ||
           rows.dtype_given() || rows.layout_given() || memory_limit || step || block || tour || scale > 0 ||
           given(panel, arrangement, order, tensor, at, state, image, theme, live, fields, chart, timed, swept);
  }
  bool restores() const { return window() && !says_state(); }  // what the last window showed
};

viewer::Photograph to_photograph(const Picture& picture) {
  viewer::Photograph photograph{picture.height, picture.width, picture.colours(), {}, nullptr};
  photograph.samples.reserve(static_cast<std::size_t>(picture.height * picture.width * picture.colours()));
  for (std::int64_t row = 0; row < picture.height; ++row)
    for (std::int64_t column = 0; column < picture.width; ++column)
      for (int channel = 0; channel < picture.colours(); ++channel)
        photograph.samples.push_back(static_cast<float>(picture.at(row, column, channel)) / 65535.0f);
  return photograph;
}

// An .npy array as it is, anything else as a picture; "" is the one that ships.
viewer::Photograph read_image(const std::string& file) {
  if (file.empty()) return to_photograph(sample_picture());
  if (!file.ends_with(".npy")) return to_photograph(PictureFile(file).decode());
  RunInput input = RunInput::array(file);
  const Tensor x = input.read(DType::f64, Layout::NCHW);
  const double* const first = x.as<double>().data;
  viewer::Photograph photograph;
  photograph.numbers = std::make_shared<const viewer::Numbers>(
      viewer::Numbers{input.shape(), std::vector<double>(first, first + x.size())});
  return photograph;
}

viewer::Files files() {
  return {read_image,
          [](const std::string& file, int width, int height, const std::vector<unsigned char>& rgba) {
            Picture picture{height, width, 3, {}};
            picture.samples.reserve(rgba.size() / 4 * 3);
            for (std::size_t pixel = 0; pixel < rgba.size(); pixel += 4)
              for (std::size_t channel = 0; channel < 3; ++channel)
                picture.samples.push_back(static_cast<std::uint16_t>(257 * rgba[pixel + channel]));
            OutputFile output(file);
            write_png(picture, output);
            output.commit();
          },
          [](const std::string& file, const std::string& text) {
            OutputFile output(file);
            output.write(std::as_bytes(std::span(text)));
            output.commit();
          }};
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

// What --tensor names: the whole of a tensor's name, or its end where that is unique: "im2win" for "im2win.ref/im2win".
std::string parse_tensor(const std::string& text, const viewer::Model& model) {
  std::vector<std::string> names, ends, known;
  for (const viewer::Exhibit& exhibit : model.exhibits()) {
    if (exhibit.id == text) return text;
    names.push_back(exhibit.id);
    known.push_back(exhibit.id.substr(exhibit.id.find('/') + 1));
    if (exhibit.id.ends_with("/" + text)) ends.push_back(exhibit.id);
  }
  if (ends.size() == 1) return ends.front();
  throw BadInput("--tensor: " + text + suggestion(text, closest(text, known).empty() ? names : known));
}

// "0,0,5,7": at most as many whole numbers as the tensor has axes, each below its extent.
Coord parse_at(const std::string& text, const viewer::Exhibit& exhibit) {
  std::string extents;
  for (const Axis& axis : exhibit.axes) extents += (extents.empty() ? "" : ",") + std::to_string(axis.extent);
  const auto refuse = [&] {
    throw BadInput("--at: " + text + ", must be at most " + std::to_string(exhibit.axes.size()) +
                   " whole numbers, each below its own of " + extents + " (" + exhibit.id + ")");
  };
  Coord at{};
  std::size_t axis = 0;
  for (std::size_t from = 0; from <= text.size(); ++axis) {
    if (axis == exhibit.axes.size()) refuse();
    const std::size_t comma = std::min(text.find(',', from), text.size());
    at[axis] = parse_integer("--at", text.substr(from, comma - from), 0, std::numeric_limits<std::int64_t>::max());
    if (at[axis] >= exhibit.axes[axis].extent) refuse();
    from = comma + 1;
  }
  return at;
}

// A window that is told nothing of what to show starts as the last one ended; every other call starts from the state in
// a file or from the first one, so that the same call, copied from a window even, always gives the same.
viewer::KeptState base_state(const ViewArguments& a) {
  if (!a.state.empty()) return {read_state_argument(a.state), "", ""};
  if (!a.window()) return {viewer::first_state(), "", ""};
  viewer::KeptState kept = viewer::read_kept_state(user_state_file());
  if (!a.restores()) kept.state = viewer::first_state();
  return kept;
}

void choose_cursor(const ViewArguments& a, viewer::State& state) {
  const viewer::Model model(state);
  if (!model.problem()) return;
  if (a.at.empty() && a.tensor.empty()) {
    // Another layer or row than the state's own moves a cursor that nobody has placed.
    if (a.layers.given() || a.layers.batch_given() || a.layers.parts_given() || a.rows.algorithm_given())
      state.cursor = model.valid(state.cursor);
    return;
  }
  viewer::Cursor cursor{"y", {}};
  if (!a.tensor.empty()) cursor.tensor = parse_tensor(a.tensor, model);
  if (!a.at.empty()) cursor.at = parse_at(a.at, *model.find(cursor.tensor));
  state.cursor = cursor;
}

// The runs that the Performance panel is to show, the last of them in the end: those of --live, or the algorithms.
std::vector<std::string> live_runs(const ViewArguments& a) {
  std::vector<std::string> names;
  const auto add = [&](const Run& run) { names.push_back(run_name(*run.algorithm, run.options)); };
  for (const std::string& text : a.live) add(parse_run(text));
  if (a.live.empty() && a.rows.algorithm_given())
    for (const Run& run : a.rows.runs()) add(run);
  return names;
}

// A state that was asked for is shown as it is, or not at all; the last session's may be mended in its window.
void refuse_wrong(const ViewArguments& a, const viewer::State& state) {
  const viewer::Model model(state);
  if (const std::string wrong = viewer::wrong_block(state, model); a.block && !wrong.empty())
    throw BadInput("--" + wrong);
  if (a.restores()) return;
  if (!model.overflow().empty()) throw Unsupported(model.overflow());
  if (const std::vector<std::string> wrong = viewer::wrong_in(state, model); !wrong.empty())
    throw BadInput("state: " + wrong.front());
}

void choose(const ViewArguments& a, viewer::State& state) {
  if (a.tour) state = viewer::at_tour_step(state, *a.tour);
  if (a.layers.given() || a.layers.batch_given() || a.layers.parts_given()) {
    LayerArguments layers = a.layers;
    layers.when_left_out(NamedByState(state));
    const Layer layer = only(layers.layers(), "layer");
    state.layer = layer.name;
    state.spec = layer.problem.spec();
  }
  if (a.rows.algorithm_given()) {
    state.runs.clear();
    for (const Run& run : a.rows.runs()) state.runs.push_back(run_name(*run.algorithm, run.options));
    state.runs = viewer::distinct_runs(state.runs);
    state.arrangement = "grids";
  }
  if (a.rows.dtype_given()) state.dtype = only(a.rows.dtypes({}), "--dtype");
  if (a.rows.layout_given()) state.layouts = only(a.rows.layouts({}), "--layout");
  if (!a.panel.empty()) state.panel = a.panel;
  if (!a.arrangement.empty()) state.arrangement = a.arrangement;
  if (const std::vector<std::string> live = live_runs(a); !live.empty()) state.performance.run = live.back();
  if (!a.chart.empty()) state.performance.chart = a.chart;
  if (!a.timed.empty()) state.performance.timed = a.timed;
  if (!a.swept.empty()) state.performance.swept = a.swept;
  if (!a.image.empty()) state.picture = a.image;
  if (!a.theme.empty()) state.dark = a.theme == "dark";
  if (a.scale > 0) state.scale = a.scale;
  state.step = a.step.value_or(state.step);
  state.block = a.block.value_or(state.block);
  if (!a.order.empty()) state.order = a.order;
  state.memory_limit = a.memory_limit.value_or(state.memory_limit);
  for (const std::string& field : a.fields) state = viewer::with_field(state, field);
  choose_cursor(a, state);
  refuse_wrong(a, state);
  // What is on show is never nothing: a picture that cannot be read is wrong usage here, and a notice in the window.
  if (a.restores() || state.picture.empty() || state.picture == "random") return;
  const viewer::Photograph picture = read_image(state.picture);
  if (const viewer::Model model(state); model.problem()) viewer::picture_sources(*model.problem(), picture);
}

// Two files of one name, of which one would be lost.
void refuse_same_file(const ViewArguments& a) {
  namespace fs = std::filesystem;
  std::map<fs::path, std::string> options;  // by the file that they write
  for (const auto& [option, file] : {std::pair{"--screenshot", &a.screenshot}, std::pair{"--export", &a.export_data},
                                     std::pair{"--save", &a.save}}) {
    if (file->empty()) continue;
    std::error_code none;
    const auto [other, is_new] = options.emplace(fs::weakly_canonical(fs::absolute(*file, none), none), option);
    if (!is_new)
      throw BadInput(std::string(option) + ": " + *file + ", must be another file than that of " + other->second);
  }
}

// What would be measured and shown nowhere, or not measured at all.
void refuse_measuring(const ViewArguments& a, const viewer::State& state) {
  if (!a.draws() && a.measure_seconds > 0)
    throw BadInput("--measure: must come with --screenshot or --export; a window measures while it is open");
  if (a.window()) return;
  if (a.measure_seconds > 0 && state.panel != "performance" && state.panel != "kernel")
    throw BadInput("--measure: nothing is measured for the panel " + state.panel +
                   ", must be with --panel performance or kernel");
  if (!a.worker.empty() && (a.measure_seconds <= 0 || state.panel != "performance"))
    throw BadInput("--worker: " + a.worker +
                   ", must come with --measure and --panel performance where a picture or "
                   "data is written");
}

// Before anything is drawn or planned, which takes its time.
void refuse_outputs(const ViewArguments& a) {
  if (!a.screenshot.empty()) viewer::require_picture_name("--screenshot", a.screenshot);
  if (!a.export_data.empty()) viewer::require_table_name("--export", a.export_data);
}

void view(const ViewArguments& arguments) {
  refuse_same_file(arguments);
  viewer::KeptState base = base_state(arguments);
  choose(arguments, base.state);
  viewer::ViewOptions options;
  options.state = base.state;
  options.state_file = base.file;
  options.notice = base.notice;
  options.files = files();
  options.say = say;
  options.interrupted = interrupted;
  options.screenshot = arguments.screenshot;
  options.export_data = arguments.export_data;
  // Pictures and data measure nothing unless they are told to, so that the same call always gives the same.
  refuse_outputs(arguments);
  refuse_measuring(arguments, base.state);
  if (!arguments.save.empty()) viewer::write_state(base.state, arguments.save);
  if (!arguments.window() && !arguments.draws()) return;
  if (arguments.window() || arguments.measure_seconds > 0)
    options.worker = arguments.worker.empty() ? worker::this_program() : worker::shell_words(arguments.worker);
  options.measure_seconds = arguments.measure_seconds;
  options.measured_runs = live_runs(arguments);
  if (options.measured_runs.empty()) options.measured_runs = {base.state.performance.run};
  if (arguments.draws()) options.width = 1600, options.height = 1000;
  if (!arguments.size.empty()) parse_view_size(arguments.size, options);
  const Module& module = convlens::module("viewer");
  if (!module.missing.empty())
    throw Unsupported("view: " + module.missing + "; it is built where Dear ImGui, GLFW 3.3 and EGL are found");
  static_cast<const viewer::Services*>(module.exports.services)->view(options);
}

}  // namespace

void add_view(CLI::App& app, const Globals& globals) {
  Command command(app, "view", "look at what algorithms do to the data, in a window or as a picture",
                  {"convlens view --layer cv9 --algorithm im2win --panel layouts --at 0,0,5,7 --screenshot out.png",
                   "convlens view cv3 --batch 256 --panel memory --size 1280x720 --theme light --screenshot m.png",
                   "convlens view --layer cv9 --arrangement ribbon --at 0,0,5,7 --export ribbon.csv",
                   "convlens view --layer cv9 --algorithm im2win.cpu --layout NHWC --save im2win.json"});
  const auto arguments = std::make_shared<ViewArguments>();
  ViewArguments* a = arguments.get();
  a->layers.add_to(command, Amount::one);
  a->rows.add_to(command, Amount::many);
  command.one_of("--panel", a->panel, viewer::panel_names(), "which panel is in front");
  command.one_of("--arrangement", a->arrangement, viewer::arrangement_names(), "of the Layouts panel");
  command.one_of("--chart", a->chart, viewer::chart_names(), "of the Performance panel");
  command
      .text(
          "--live", a->live, "NAME",
          "NAME[:ID=VALUE,…], the run that the Performance panel shows; with --measure, each in turn; may be repeated")
      .repeated();
  command.one_of("--timed", a->timed, viewer::time_names(),
                 "of the Performance panel: cold is a call with cold caches");
  command.one_of("--sweep", a->swept, viewer::swept_names(), "of the Performance panel: what its sweep varies");
  command.text("--worker", a->worker, "COMMAND",
               "what measures for the Performance panel, as in 'ssh host convlens worker'; this program when left out");
  command.number(
      "--measure", 0, 3600, [a](double v) { a->measure_seconds = v; },
      "before a picture or data of the Performance panel: measure for so many seconds, and what it is compared with; "
      "before a picture of the Kernel panel: check and time the kernel");
  command.text("--tensor", a->tensor, "ID", "what --at points into: x, w, y, or a row and its stage");
  command.text("--at", a->at, "I,J,…", "the cell to point at, as in 0,0,5,7");
  command.integer(
      "--step", 0, viewer::kSteps, [a](std::int64_t v) { a->step = v; },
      "of the arrangement `five`: how far the algorithms have come");
  command.integer(
      "--block", 0, viewer::kMostBlocks, [a](std::int64_t v) { a->block = v; },
      "of the arrangement `schedule`: which of an image's blocks");
  command.one_of("--order", a->order, viewer::order_names(),
                 "of the arrangement `schedule`: as blocks are launched, or as it happened on a GPU");
  command.integer(
      "--tour", 1, static_cast<long>(viewer::tour().size()), [a](std::int64_t v) { a->tour = v; },
      "start with this step of the guided tour, from 1");
  command.text("--image", a->image, "FILE", "a picture as the input, an .npy array of the input's shape, or `random`");
  command.text("--size", a->size, "WxH",
               "in pixels; when left out, of a window what fits the monitor, of a picture 1600x1000");
  command.number(
      "--scale", viewer::kLeastScale, viewer::kMostScale, [a](double v) { a->scale = v; },
      "of everything; the monitor's when left out");
  command.one_of("--theme", a->theme, {"dark", "light"}, "of the colours");
  command.text(
      "--state", a->state, "FILE",
      "start from a state file that the viewer wrote, or with - from standard input; without it a window that is "
      "told nothing of what to show starts as the last one ended, and all else from the first state");
  command
      .text("--set", a->fields, "FIELD=VALUE",
            "of a state file, for what has no option of its own, as in numerics.injection=nan; may be repeated")
      .repeated();
  command.text("--screenshot", a->screenshot, "FILE", "draw one picture into this PNG, without a display");
  command.text("--export", a->export_data, "FILE",
               "write what the panel shows into this .csv or .json, without a display");
  command.text("--save", a->save, "FILE", "write the whole state into this file, without a display");
  command.run([arguments, &globals] {
    arguments->memory_limit = globals.memory_limit;
    view(*arguments);
  });
}

}  // namespace convlens::cli
