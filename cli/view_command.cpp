// `convlens view`: the viewer, in a window or as one picture drawn without any display. The one place where a face
// meets another: what is said here becomes plain data for the module convlens_viewer.
#include "viewer/viewer.h"

#include <memory>

#include "algorithms/interface/module.h"
#include "algorithms/output_file.h"
#include "algorithms/worker/child.h"
#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/view_files.h"
#include "cli/view_state.h"
#include "viewer/logic/schedule.h"
#include "viewer/logic/state_input.h"
#include "viewer/logic/steps.h"
#include "viewer/logic/table.h"
#include "viewer/logic/tour.h"

namespace convlens::cli {

namespace {

void parse_view_size(const std::string& text, viewer::ViewOptions& options) {
  const std::size_t by = text.find('x');
  if (by == std::string::npos) throw BadInput("--size: " + text + ", must be WIDTHxHEIGHT, as in 1600x1000");
  options.width = static_cast<int>(parse_integer("--size", text.substr(0, by), 320, 16384));
  options.height = static_cast<int>(parse_integer("--size", text.substr(by + 1), 240, 16384));
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

// No two outputs are one file, and none is the picture. The state that was read may be saved over, which is what saving
// it usually means: it is one state before and after. A picture or numbers in its place would lose it.
void refuse_lost_files(const ViewArguments& a, const std::string& picture) {
  const NamedFiles drawn{{"--screenshot", a.screenshot}, {"--export", a.export_data}};
  NamedFiles written = drawn;
  written.emplace_back("--save", a.save);
  const std::string image = picture == "random" ? "" : picture;
  refuse_same_file(written, {{a.image.empty() ? "picture" : "--image", image}});
  refuse_same_file(drawn, {{"--state", a.state}});
}

void view(const ViewArguments& arguments) {
  refuse_lost_files(arguments, arguments.image);
  arguments.rows.check_values();
  const viewer::KeptState base = state_to_show(arguments);
  refuse_lost_files(arguments, base.state.picture);  // the state may name another
  viewer::ViewOptions options;
  options.state = base.state;
  options.state_file = base.file;
  options.notice = base.notice;
  options.files = view_files(arguments);
  options.say = say;
  options.interrupted = interrupted;
  options.screenshot = arguments.screenshot;
  options.export_data = arguments.export_data;
  // Pictures and data measure nothing unless they are told to, so that the same call always gives the same.
  refuse_outputs(arguments);
  refuse_measuring(arguments, base.state);
  arguments.rows.check_device();
  if (is_stream(arguments.save))
    print(viewer::state_text(base.state));
  else if (!arguments.save.empty())
    options.files.write_text(arguments.save, viewer::state_text(base.state));
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
  a->rows.add_to(command, Amount::many, Amount::one);
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
  command.text("--save", a->save, "FILE",
               "write the whole state into this file, or with - to standard output, without a display");
  command.run([arguments, &globals] {
    arguments->memory_limit = globals.memory_limit;
    view(*arguments);
  });
}

}  // namespace convlens::cli
