// `convlens run`: convolves a picture or an array, by one algorithm or by several that are checked against each other.
#include <algorithm>
#include <functional>
#include <memory>

#include "algorithms/check/cross_check.h"
#include "algorithms/measure/record.h"
#include "algorithms/problem/checked.h"
#include "algorithms/problem/parse.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/compute.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run_filter.h"
#include "cli/run_input.h"
#include "cli/run_output.h"
#include "cli/table.h"

namespace convlens::cli {

namespace {

struct RunArguments {
  std::string image, input, output, show;
  std::vector<std::string> filters;
  std::string pad, stride = "1", dilation = "1";
  RowArguments rows;
  StateArgument state;
};

constexpr const char* kSizeCharacters = "0123456789xX×-";

// A size option of a layer, as parse.h has it.
ConvSpec parse_option(const std::string& option, const std::string& text) {
  if (text.find_first_not_of(kSizeCharacters) != std::string::npos || text.empty())
    throw BadInput(option + ": " + text + ", must be a number, or numbers joined by x, as in 1 or 1x2");
  return parse_spec("1x1x1x1 --filter 1x1x1 " + option + " " + text);
}

// "same" keeps the size at stride 1: of an odd number of zeros the bottom and the right get one more.
void set_padding(ConvSpec& spec, const std::string& text) {
  if (text == "same") {
    const std::int64_t rows = checked::product("padding", {spec.dilation_h, spec.hf - 1});
    const std::int64_t columns = checked::product("padding", {spec.dilation_w, spec.wf - 1});
    spec.pad_top = rows / 2, spec.pad_bottom = rows - rows / 2;
    spec.pad_left = columns / 2, spec.pad_right = columns - columns / 2;
  } else if (text != "valid") {
    if (text.find_first_not_of(kSizeCharacters) != std::string::npos)
      throw BadInput("--pad: " + text + ", must be same, valid, a number, HxW or TxBxLxR");
    const ConvSpec padded = parse_option("--pad", text);
    spec.pad_top = padded.pad_top, spec.pad_bottom = padded.pad_bottom;
    spec.pad_left = padded.pad_left, spec.pad_right = padded.pad_right;
  }
}

ConvProblem problem_of(const RunArguments& arguments, const RunInput& input, const RunFilter& filter) {
  const ConvSpec stride = parse_option("--stride", arguments.stride);
  const ConvSpec dilation = parse_option("--dilation", arguments.dilation);
  const Shape& x = input.shape();
  ConvSpec spec{.n = x[0], .ci = x[1], .hi = x[2], .wi = x[3]};
  filter.describe(spec);
  spec.stride_h = stride.stride_h, spec.stride_w = stride.stride_w;
  spec.dilation_h = dilation.dilation_h, spec.dilation_w = dilation.dilation_w;
  set_padding(spec, !arguments.pad.empty() ? arguments.pad : input.is_picture() ? "same" : "valid");
  return ConvProblem(spec);
}

// One filter with the plans of the rows that will run, and the reasons of those that won't.
struct Job {
  RunFilter filter;
  ConvProblem problem;
  Show show;
  std::vector<std::shared_ptr<const Plan>> plans;
  std::vector<std::pair<std::string, std::string>> refused;  // run, reason
};

Job make_job(const RunArguments& arguments, const RunInput& input, const std::string& filter_text) {
  RunFilter filter(filter_text);
  const ConvProblem problem = problem_of(arguments, input, filter);
  const Show show = arguments.show.empty() ? filter.show() : parse_show(arguments.show);
  return {std::move(filter), problem, show, {}, {}};
}

void plan(Job& job, const RunArguments& arguments, const std::vector<Run>& runs, const RunInput& input,
          const Globals& globals) {
  const DType dtype = only(arguments.rows.dtypes({input.natural_dtype()}), "--dtype");
  const Layouts layouts = only(arguments.rows.layouts({Layouts{}}), "--layout");
  for (const Run& run : runs) {
    const Request request =
        make_request(job.problem, dtype, layouts, run.options, arguments.rows.place(*run.algorithm), globals);
    if (const Support support = run.algorithm->supports(request); support || !arguments.rows.leaves_out())
      job.plans.push_back(run.algorithm->plan(request));  // throws the reason
    else
      job.refused.emplace_back(run_name(*run.algorithm, request.options), support.reason);
  }
  if (job.plans.empty()) throw Unsupported(job.refused.front().second);
  if (job.plans.size() > 1) {
    const Request& request = job.plans.front()->request();
    const std::int64_t needed = checked::sum("bytes", {request.tensor_bytes(), CrossCheck::bytes(job.problem)});
    if (request.memory_limit && needed > *request.memory_limit)
      throw Unsupported("cross-check: tensors and float64 answer take " + std::to_string(needed) +
                        " bytes, must be ≤ the memory limit of " + std::to_string(*request.memory_limit) + " bytes");
  }
}

// What is told of the runs: a table for people, or one record a run.
class Report {
 public:
  Report(const std::string& input, const Globals& globals) : input_(input), globals_(globals) {
    if (globals.csv) print(csv_header() + "\n");
  }

  void add(const Job& job, const Plan& plan, const Computed& computed, const Verdict& verdict) {
    table_.add({job.filter.name(), plan.run_name(), fixed(computed.timing.median_ms(), 2) + " ms",
                verdict.made ? significant(verdict.ratio, 2) : "–", grouped(plan.workspace_bytes()),
                verdict.kept ? "" : verdict.line()});
    Measurement measurement{.plan = plan, .layer = "", .timing = computed.timing, .bytes = computed.bytes};
    measurement.pattern = input_ + ", " + job.filter.name();
    measurement.seed = 0;
    if (verdict.made) measurement.error_over_bound = verdict.ratio;
    if (globals_.json) print(to_json(measurement) + "\n");
    if (globals_.csv) print(to_csv(measurement) + "\n");
  }
  void add_refusals(const Job& job) {
    for (const auto& [run, reason] : job.refused) {
      table_.add({job.filter.name(), run, "–", "–", "–", reason});
      if (globals_.json || globals_.csv) say(job.filter.name() + ": left out " + run + ", " + reason);
    }
  }
  void finish() const {
    if (!globals_.json && !globals_.csv) print(table_.text());
  }

 private:
  std::string input_;
  const Globals& globals_;
  Table table_{{{"Filter"}, {"Algorithm"}, {"Time", true}, {"Error/bound", true}, {"Workspace, B", true}, {"Remark"}}};
};

// Runs every plan of the job, writes what the first computed when all agree, and returns whether they did.
bool work(const Job& job, const RunInput& input, const Tensor& x, const RunOutput& output, OutputFile* target,
          Report& report, const std::function<void(const Plan&)>& started) {
  const Request& request = job.plans.front()->request();
  const Tensor w = job.filter.read(job.problem, request.dtype, request.layouts.w);
  const bool checks = job.plans.size() > 1;
  std::unique_ptr<const CrossCheck> check;
  if (checks) check = std::make_unique<CrossCheck>(job.problem, x, w);

  const RulerOptions ruler{.warmup = checks ? 1 : 0, .repeats = checks ? 3 : 1, .stop = interrupted};
  std::optional<Tensor> y;
  bool agree = true;
  for (const auto& plan : job.plans) {
    started(*plan);
    Computed computed = compute(*plan, x, w, ruler);
    if (interrupted()) return agree;
    const Verdict verdict = check ? check->judge(*plan, computed.y) : Verdict{};
    agree = agree && verdict.kept;
    report.add(job, *plan, computed, verdict);
    if (!y) y = std::move(computed.y);
  }
  report.add_refusals(job);
  if (agree && target != nullptr) output.write(*target, job.filter.name(), *y, *job.plans.front(), input, job.show);
  return agree;
}

// Named filters are no files.
NamedFiles files_read(const RunArguments& arguments) {
  NamedFiles files{{"--image", arguments.image}, {"--input", arguments.input}, {"--state", arguments.state.file()}};
  for (const std::string& filter : arguments.filters)
    if (find_filter(filter) == nullptr) files.emplace_back("--filter", filter);
  return files;
}

// Of the layer nothing is taken: it is the picture's and the filter's.
void fill(RunArguments& arguments) {
  const std::optional<NamedByState> state = arguments.state.read();
  if (!state) return;
  arguments.rows.when_left_out(*state);
  if (!arguments.image.empty() || !arguments.input.empty()) return;
  if (state->picture() == "random")
    return say("run: the state's input is random, the picture that ships takes its place");
  (state->picture().ends_with(".npy") ? arguments.input : arguments.image) = state->picture();
}

void run(const RunArguments& arguments, const Globals& globals) {
  if (!arguments.image.empty() && !arguments.input.empty()) throw BadInput("--input: given with --image, must be one");
  if (arguments.filters.empty())
    throw BadInput("--filter: none given, must be a name or FILE.npy (see convlens run --help)");
  RunInput input = !arguments.input.empty()   ? RunInput::array(arguments.input)
                   : !arguments.image.empty() ? RunInput::picture(arguments.image)
                                              : RunInput::sample();
  static_cast<void>(only(arguments.rows.dtypes({input.natural_dtype()}), "--dtype"));
  static_cast<void>(only(arguments.rows.layouts({Layouts{}}), "--layout"));
  std::vector<Job> jobs;
  std::vector<RunOutput::Result> results;
  for (const std::string& filter : arguments.filters) {
    jobs.push_back(make_job(arguments, input, filter));
    results.push_back({jobs.back().filter.name(), jobs.back().problem.y_shape()});
  }
  const RunOutput output(arguments.output, input, results);
  refuse_same_file(output.files(), files_read(arguments));

  // All files are opened before the first is written: what cannot be written is said while nothing has been. A folder
  // is made only for what can be computed.
  std::vector<std::unique_ptr<OutputFile>> targets;
  const auto open = [&] {
    for (const Job& job : jobs) targets.push_back(output.open(job.filter.name()));
  };
  arguments.rows.check_values();
  if (!output.makes_folder()) open();
  arguments.rows.check_device();
  const std::vector<Run> rows = arguments.rows.runs_here();
  std::int64_t runs = 0;
  for (Job& job : jobs) {
    plan(job, arguments, rows, input, globals);
    runs += std::ssize(job.plans);
  }
  if (targets.empty()) open();

  const Request& request = jobs.front().plans.front()->request();
  const Tensor x = input.read(request.dtype, request.layouts.x);
  Report report(input.name(), globals);
  Progress progress("run", runs);
  std::int64_t done = 0;
  std::string disagreeing;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    const Job& job = jobs[k];
    const auto started = [&](const Plan& plan) { progress.show(done++, job.filter.name() + " by " + plan.run_name()); };
    if (!work(job, input, x, output, targets[k].get(), report, started)) disagreeing += " " + job.filter.name();
    if (interrupted()) break;
  }
  progress.clear();
  report.finish();
  arguments.rows.say_left_out();
  if (!disagreeing.empty())
    throw Error(Exit::check_failed, "run: algorithms disagree on" + disagreeing + ", nothing was written for it");
}

constexpr const char* kDescription = R"(convolves a picture or an .npy array, and cross-checks algorithms on it

A picture's values are 0 to 1; a 2-D filter goes over each colour on its own, and alpha is kept. In the picture that
is written sobel-x and sobel-y show |y|, laplacian ½ + y, all others y; each clipped to 0 … 1 and stored in 8 bits.
An array is N×C×H×W, C×H×W or H×W; a filter C_o×(C_i/groups)×H_f×W_f, C_o×H_f×W_f (depthwise) or H_f×W_f (the same
for every channel). Cross-correlation: the filter is not flipped. Without --algorithm all rows run, and are checked.)";

std::string filter_names() {
  std::string text;
  for (const NamedFilter& filter : named_filters()) text += (text.empty() ? "" : ", ") + filter.name;
  return text;
}

}  // namespace

void add_run(CLI::App& app, const Globals& globals) {
  Command command(app, "run", kDescription,
                  {"convlens run --algorithm all --filter sobel-x --filter gaussian -o out/",
                   "convlens run --image photo.jpg --filter sharpen --algorithm im2win -o sharp.png",
                   "convlens run --input x.npy --filter w.npy --stride 2 --pad 1 -o y.npy",
                   "convlens run --filter identity -o sample.png",
                   "convlens run --state state.json --filter sobel-y -o edges.png"});
  const auto arguments = std::make_shared<RunArguments>();
  const auto add = [&](const std::string& option, std::string& value, const char* type, const char* sentence) {
    command.text(option, value, type, sentence);
  };
  add("--image", arguments->image, "FILE",
      "a PNG or JPEG; the picture that ships when there is neither --image nor --input");
  add("--input", arguments->input, "FILE.npy", "an array of float16/32/64, bool or integers, in C or Fortran order");
  command.text("--filter", arguments->filters, "NAME|FILE.npy", filter_names() + ", or FILE.npy; may be repeated")
      .repeated();
  add("-o,--output", arguments->output, "FILE|FOLDER/",
      "a .png, an .npy, or a folder, ending in /, for one file a filter; written whole or not at all, and not when "
      "algorithms disagree");
  add("--pad", arguments->pad, "P",
      "same, valid, a number, HxW or TxBxLxR; same for pictures and valid for arrays when left out");
  add("--stride", arguments->stride, "S|HxW", "stride, 1 when left out");
  add("--dilation", arguments->dilation, "D|HxW", "dilation, 1 when left out");
  add("--show", arguments->show, "HOW", "how a picture shows y: clip (y), magnitude (|y|) or offset (½ + y)");
  arguments->rows.add_to(command, Amount::many, Amount::one);
  arguments->state.add_to(command, "picture, rows, type and layouts");
  command.run([arguments, &globals] {
    fill(*arguments);
    run(*arguments, globals);
  });
}

}  // namespace convlens::cli
