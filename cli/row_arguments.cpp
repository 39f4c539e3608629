// Which rows a command works on, on which device, with which element types and layouts.
#include <algorithm>
#include <map>

#include "algorithms/measure/device.h"
#include "algorithms/suggest.h"
#include "cli/arguments.h"
#include "cli/output.h"

namespace convlens::cli {

namespace {

// Every combination of the listed values of `options`; free texts keep their defaults.
std::vector<OptionSet> all_option_sets(const std::vector<Option>& options) {
  std::vector<OptionSet> sets{OptionSet::parse("", options)};
  for (const Option& option : options) {
    std::vector<OptionSet> more;
    for (const OptionSet& set : sets)
      for (const std::string& value : option.values) {
        more.push_back(set);
        more.back().set(option.id, value);
      }
    if (!more.empty()) sets = std::move(more);
  }
  return sets;
}

// "gpu" is GPU 0, "gpu1" and "cuda:1" are GPU 1; nothing for anything else.
std::optional<int> gpu_index(const std::string& device) {
  for (const std::string prefix : {"gpu", "cuda:", "cuda"}) {
    if (!device.starts_with(prefix)) continue;
    const std::string number = device.substr(prefix.size());
    if (number.empty()) return 0;
    if (number.size() <= 3 && number.find_first_not_of("0123456789") == std::string::npos) return std::stoi(number);
  }
  return std::nullopt;
}

bool wants_gpu(const std::string& device) {
  return device == "auto" ? why_no_device().empty() : gpu_index(device).has_value();
}

}  // namespace

void RowArguments::add_to(Command& command, Amount amount, Amount forms) {
  all_forms_ = forms == Amount::many;
  const std::string group = "Algorithms";
  const auto add = [&](const std::string& option, std::vector<std::string>& values, const std::string& type,
                       const std::string& sentence) {
    limit(command.text(option, values, type, sentence), amount).group(group);
  };
  const bool many = amount == Amount::many;
  const std::string repeated = ", or all; may be repeated", repeated_form = all_forms_ ? repeated : "";
  add("--algorithm", runs_, "NAME[:ID=VALUE,…]",
      "a row of `convlens list algorithms`, with options" + (many ? repeated : ""));
  add("--dtype", dtypes_, "TYPE", "f16, bf16, f32, f64" + repeated_form);
  add("--layout", layouts_, "LAYOUT", "NCHW, NHWC, CHWN, input,filter,output as in NCHW,OIHW,NCHW" + repeated_form);
  if (many)
    command.text("--options", options_, "WHICH", "default, or all: every combination of the options' listed values")
        .group(group);
  command
      .text("--device", device_, "DEVICE",
            "cpu, gpu, gpu1 …, or auto: a GPU where there is one; left out, each row runs where it can")
      .group(group);
}

void RowArguments::add_row_to(Command& command) {
  row_ = "ROW", all_forms_ = false;
  command.text(
      "ROW", [this](const std::string& run) { runs_ = {run}; }, "",
      "NAME[:ID=VALUE,…], a row of `convlens list algorithms`, with options");
  const auto add = [&](const std::string& option, std::vector<std::string>& values, const std::string& type,
                       const std::string& sentence) {
    limit(command.text(option, values, type, sentence), Amount::one).group("Algorithms");
  };
  add("--dtype", dtypes_, "TYPE", "f16, bf16, f32, f64");
  add("--layout", layouts_, "LAYOUT", "NCHW, NHWC, CHWN, input,filter,output as in NCHW,OIHW,NCHW");
}

bool RowArguments::asks_for_all() const { return runs_.empty() || std::ranges::find(runs_, "all") != runs_.end(); }

void RowArguments::when_left_out(const NamedByState& state) {
  if (runs_.empty()) {
    runs_ = state.chosen_runs();
    runs_of_state_ = !runs_.empty();
  }
  form_when_left_out(state);
}

void RowArguments::when_left_out(const NamedByState& state, OneRow use, const LayerArguments& layers) {
  form_when_left_out(state);
  if (!runs_.empty()) return;
  const std::vector<Layer> all = layers.layers();
  // A kernel is shown in the type that its unit computes in, whichever the state has.
  const bool any = use == OneRow::with_kernel || all.size() != 1;
  runs_ = {state.one_run(
      use, row_, [&](const Algorithm& row) { return takes(row); },
      [&](const Run& run) { return any || computes(run, all.front().problem); })};
}

void RowArguments::form_when_left_out(const NamedByState& state) {
  if (dtypes_.empty()) dtypes_ = {std::string(name(state.dtype()))}, dtype_of_state_ = true;
  if (layouts_.empty()) layouts_ = {text(state.layouts())};
}

bool RowArguments::takes(const Algorithm& row) const {
  if (device_.empty()) return true;
  return (row.unit != Unit::cpu) == wants_gpu(device_);
}

bool RowArguments::computes(const Run& run, const ConvProblem& problem) const {
  const Request request{problem, only(dtypes({}), "--dtype"), only(layouts({}), "--layout"), run.options,
                        place(*run.algorithm)};
  return static_cast<bool>(run.algorithm->supports(complete(*run.algorithm, request)));
}

// A family's bare name means its first row, with --device its first row there.
Run RowArguments::named(const std::string& text) const {
  const std::size_t end = std::min(text.find(':'), text.size());
  for (const Algorithm* row : algorithms())
    if (row->family == text.substr(0, end) && takes(*row)) return parse_run(row->id + text.substr(end));
  return parse_run(text);
}

Run RowArguments::parse(const std::string& text) const {
  Run run = named(text);
  if (takes(*run.algorithm)) return run;
  const bool on_gpu = run.algorithm->unit != Unit::cpu;
  if (on_gpu && device_ == "auto")
    throw NoDevice("device: auto, no GPU for " + run.algorithm->id + ": " + why_no_device());
  throw BadInput("device: " + device_ + ", must be " + (on_gpu ? "gpu" : "cpu") + " for " + run.algorithm->id);
}

std::vector<Run> RowArguments::runs() const {
  check_values();
  std::vector<Run> asked;
  for (const std::string& run : runs_)
    if (run != "all" && (!runs_of_state_ || takes(*parse_run(run).algorithm))) asked.push_back(parse(run));
  if (asks_for_all())
    for (const Algorithm* row : algorithms())
      if (takes(*row)) asked.push_back({row, OptionSet::parse("", row->options)});
  if (options_ == "default") return asked;

  std::vector<Run> every;
  for (const Run& run : asked)
    for (OptionSet& set : all_option_sets(run.algorithm->options)) every.push_back({run.algorithm, std::move(set)});
  return every;
}

std::vector<Run> RowArguments::runs_here() const {
  check_values();
  for (const std::string& text : runs_)
    if (text != "all" && !runs_of_state_)
      if (const Place where = place(*parse(text).algorithm); where.kind == Place::Kind::device)
        static_cast<void>(device(where));  // throws where there is none
  std::vector<Run> here = runs();
  if (!leaves_out()) return here;

  const Algorithm* first = here.empty() ? nullptr : here.front().algorithm;
  std::erase_if(here, [](const Run& run) { return !why_not_here(*run.algorithm).empty(); });
  if (runs_of_state_ && here.empty())
    throw NoDevice("state: none of its rows can run" +
                   (first == nullptr ? " on --device " + device_ : "; " + first->id + ": " + why_not_here(*first)));
  return here;
}

void RowArguments::say_left_out() const {
  if (!leaves_out()) return;
  std::vector<const Algorithm*> asked = algorithms();
  if (runs_of_state_) {
    asked.clear();
    for (const std::string& run : runs_) asked.push_back(parse_run(run).algorithm);
  }
  std::map<std::string, std::string> left_out;  // why, which rows
  for (const Algorithm* row : asked)
    if (const std::string why = why_not_here(*row); !why.empty() && takes(*row)) {
      std::string& rows = left_out[why];
      rows += (rows.empty() ? "" : ", ") + row->id;
    }
  for (const auto& [why, rows] : left_out) say("left out " + rows + ": " + why);
}

std::vector<DType> RowArguments::dtypes(std::vector<DType> otherwise) const {
  if (dtypes_.empty()) return otherwise;
  std::vector<DType> types;
  for (const std::string& name : dtypes_) {
    if (name == "all")
      types.insert(types.end(), kDTypes.begin(), kDTypes.end());
    else if (const auto dtype = parse_dtype(name))
      types.push_back(*dtype);
    else {
      std::vector<std::string> known{"f16", "bf16", "f32", "f64"};
      if (all_forms_) known.emplace_back("all");
      throw BadInput("dtype: " + name + suggestion(name, known));
    }
  }
  return types;
}

DType RowArguments::dtype_on_gpu(const Algorithm& row) const {
  const DType usual = row.unit == Unit::tc ? DType::f16 : DType::f32;
  const DType dtype = only(dtypes({usual}), "--dtype");
  return dtype_of_state_ && size_of(dtype) != size_of(usual) ? usual : dtype;
}

std::vector<Layouts> RowArguments::layouts(std::vector<Layouts> otherwise) const {
  if (layouts_.empty()) return otherwise;
  std::vector<Layouts> chosen;
  for (const std::string& name : layouts_) {
    const std::vector<Layouts> more =
        name == "all" ? all_layouts() : std::vector<Layouts>{parse_layouts(name, all_forms_)};
    chosen.insert(chosen.end(), more.begin(), more.end());
  }
  return chosen;
}

void RowArguments::check_values() const {
  const bool automatic = device_ == "auto";
  if (!device_.empty() && device_ != "cpu" && !automatic && !gpu_index(device_))
    throw BadInput("device: " + device_ +
                   suggestion(device_, std::vector<std::string>{"cpu", "auto", "gpu", "gpu0"},
                              "one of cpu | auto | gpu, or gpu and its number, as in gpu1"));
  if (options_ != "default" && options_ != "all")
    throw BadInput("--options: " + options_ + suggestion(options_, std::vector<std::string>{"default", "all"}));
  for (const std::string& run : runs_)
    if (run != "all") static_cast<void>(automatic || runs_of_state_ ? named(run) : parse(run));
  static_cast<void>(dtypes({}));
  static_cast<void>(layouts({}));
}

void RowArguments::check_device() const {
  check_values();
  if (device_.empty() || device_ == "cpu") return;
  if (device_ == "auto") {
    for (const std::string& run : runs_)
      if (run != "all" && !runs_of_state_) static_cast<void>(parse(run));  // throws where it needs what is not there
    const std::string why = why_no_device();
    return say(why.empty() ? "device auto: chose gpu0" : "device auto: chose the CPU, because there is no GPU: " + why);
  }
  static_cast<void>(device({Place::Kind::device, *gpu_index(device_)}));  // throws where there is none
}

Place RowArguments::place(const Algorithm& row) const {
  if (row.unit == Unit::cpu) return {};
  return {Place::Kind::device, gpu_index(device_).value_or(0)};
}

}  // namespace convlens::cli
