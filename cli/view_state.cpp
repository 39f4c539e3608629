#include "cli/view_state.h"

#include <cstdlib>
#include <limits>

#include "algorithms/output_file.h"
#include "algorithms/suggest.h"
#include "cli/numbers.h"
#include "cli/view_files.h"
#include "viewer/logic/model.h"
#include "viewer/logic/runs.h"
#include "viewer/logic/state_rules.h"
#include "viewer/logic/tour.h"

namespace convlens::cli {

namespace {

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
  const std::string file = user_state_file();
  viewer::KeptState kept = viewer::read_kept_state(file);
  if (file.empty()) kept.notice = "neither XDG_CONFIG_HOME nor HOME is set: what the window ends as is not kept";
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

// What is on show is never nothing: a picture that cannot be read is wrong usage here, and a notice in the window.
void refuse_picture(const ViewArguments& a, const viewer::State& state) {
  if (a.restores() || state.picture.empty() || state.picture == "random") return;
  const viewer::Photograph picture = read_image(state.picture, a.image.empty() ? "picture" : "--image");
  if (const viewer::Model model(state); model.problem()) viewer::picture_sources(*model.problem(), picture);
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
  if (!a.image.empty()) refuse_stream(a.image, "--image"), state.picture = a.image;
  if (!a.theme.empty()) state.dark = a.theme == "dark";
  if (a.scale > 0) state.scale = a.scale;
  state.step = a.step.value_or(state.step);
  state.block = a.block.value_or(state.block);
  if (!a.order.empty()) state.order = a.order;
  state.memory_limit = a.memory_limit.value_or(state.memory_limit);
  for (const std::string& field : a.fields) state = viewer::with_field(state, field);
  choose_cursor(a, state);
}

}  // namespace

std::vector<std::string> live_runs(const ViewArguments& a) {
  std::vector<std::string> names;
  const auto add = [&](const Run& run) { names.push_back(run_name(*run.algorithm, run.options)); };
  for (const std::string& text : a.live) add(parse_run(text));
  if (a.live.empty() && a.rows.algorithm_given())
    for (const Run& run : a.rows.runs()) add(run);
  return names;
}

viewer::KeptState state_to_show(const ViewArguments& arguments) {
  viewer::KeptState base = base_state(arguments);
  choose(arguments, base.state);
  refuse_wrong(arguments, base.state);
  refuse_picture(arguments, base.state);
  return base;
}

}  // namespace convlens::cli
