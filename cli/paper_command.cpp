// `convlens paper`: the evaluation of the paper that im2win.tc is from, rerun: measured on this machine's GPU, or drawn
// from recorded runs.
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/paper/measure.h"
#include "cli/paper/report.h"

namespace convlens::cli {

namespace {

constexpr std::int64_t kBatch = 256;  // of the paper
constexpr int kRepeats = 50;

struct PaperArguments {
  LayerArguments layers;
  StateArgument state;
  RulerOptions ruler{.repeats = kRepeats, .cold_cache = true, .stop = interrupted};
  std::uint64_t seed = 1;
  std::vector<std::string> from;
  std::string output, html;
};

void write(OutputFile& file, const std::string& text) { file.write(std::as_bytes(std::span(text))); }

void read(const std::string& path, paper::Results& results) {
  std::ifstream file(path);
  if (!file) throw BadInput("--from: " + path + ", cannot be read");
  std::int64_t number = 0;
  const std::int64_t before = results.left_out();
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) results.add(line, path + ", record " + std::to_string(++number));
  if (number == results.left_out() - before)
    throw BadInput("--from: " + path + ", must hold records of `convlens paper`; of its " + std::to_string(number) +
                   " records none is of a run that takes part");
  if (const std::int64_t others = results.left_out() - before; others > 0)
    say(std::to_string(others) + " records of " + path + " are of runs that do not take part");
}

void paper_command(const PaperArguments& arguments, const Globals& globals) {
  paper::Results results;
  std::map<std::string, std::int64_t> left_out;
  std::unique_ptr<OutputFile> records, page;
  if (!arguments.output.empty()) records = std::make_unique<OutputFile>(arguments.output);
  if (!arguments.html.empty()) page = std::make_unique<OutputFile>(arguments.html);
  if (!arguments.from.empty()) {
    if (arguments.layers.given() || records)
      throw BadInput("--from: given with layers or --output, must be alone: nothing is measured");
    for (const std::string& path : arguments.from) read(path, results);
  } else {
    left_out = paper::measure(arguments.layers.layers(), arguments.ruler, arguments.seed, globals,
                              [&](const Measurement& measurement) {
                                const std::string json = to_json(measurement);
                                if (records) write(*records, json + "\n");
                                results.add(json, "measured");
                              });
    if (results.empty())
      throw Unsupported("nothing could be measured" + (left_out.empty() ? "" : ": " + left_out.begin()->first));
    if (records) records->commit();
  }
  const paper::Report report = paper::make_report(results, left_out);
  if (page) {
    write(*page, paper::html(report));
    page->commit();
  }
  print(globals.json ? paper::json(report).dump(2) + "\n" : paper::text(report));
}

}  // namespace

void add_paper(CLI::App& app, const Globals& globals) {
  Command command(app, "paper", "the im2win paper's evaluation, rerun on a GPU or drawn from its records",
                  {"convlens paper --from recorded.jsonl", "convlens paper --from recorded.jsonl --html paper.html",
                   "convlens paper --from recorded.jsonl --json"});
  const auto arguments = std::make_shared<PaperArguments>();
  PaperArguments* a = arguments.get();
  a->layers.when_left_out("cv", kBatch);
  a->layers.add_to(command, Amount::many);
  a->state.add_to(command, "layer");
  command.integer(
      "--repeats", 1, 1'000'000, [a](std::int64_t v) { a->ruler.repeats = static_cast<int>(v); },
      "samples of each run; 50 when left out");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  command.integer(
      "--seed", 0, most, [a](std::int64_t v) { a->seed = static_cast<std::uint64_t>(v); },
      "which random numbers the tensors are filled with");
  command.text("--from", a->from, "FILE", "draw the report from recorded runs and measure nothing; may be repeated")
      .repeated();
  command.text("-o,--output", a->output, "FILE", "records as JSON Lines, written whole or not at all");
  command.text("--html", a->html, "FILE", "the report as one HTML file, its figures inside");
  command.run([arguments, &globals] {
    if (const std::optional<NamedByState> state = arguments->state.read()) arguments->layers.when_left_out(*state);
    paper_command(*arguments, globals);
  });
}

}  // namespace convlens::cli
