// `convlens paper`: the evaluation of the paper that im2win.tc is from, rerun: measured on this machine's GPU, or drawn
// from recorded runs.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "algorithms/output_file.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/paper/measure.h"
#include "cli/paper/report.h"
#include "cli/state_argument.h"

namespace convlens::cli {

namespace {

constexpr std::int64_t kBatch = 256;  // of the paper
constexpr int kRepeats = 50;
constexpr std::uint64_t kSeed = 1;

struct PaperArguments {
  LayerArguments layers;
  StateArgument state;
  std::optional<int> repeats;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> from;
  std::string output, html;
};

void write(OutputFile& file, const std::string& text) { file.write(std::as_bytes(std::span(text))); }

// "12 of direct.cc, f32 NCHW; 4 of …"
std::string counts(const std::map<std::string, std::int64_t>& of) {
  std::string text;
  for (const auto& [run, count] : of) text += (text.empty() ? "" : "; ") + std::to_string(count) + " of " + run;
  return text;
}

constexpr std::size_t kLongest = std::size_t{64} << 20;  // bytes of a record, of more samples than anybody takes

// The next line, without its end, or the beginning of one that is longer than kLongest; false where there is none.
bool next_line(std::istream& stream, std::string& line) {
  line.clear();
  int c = 0;
  while (line.size() <= kLongest && (c = stream.get()) != EOF && c != '\n') line += static_cast<char>(c);
  if (interrupted()) throw Finished{Exit::interrupted};  // which ends the wait for standard input
  return c != EOF || !line.empty();
}

// Adds the records of a stream, and returns how many they are.
std::int64_t add(std::istream& stream, const std::string& source, paper::Results& results) {
  std::int64_t number = 0;
  for (std::string line; next_line(stream, line);) {
    if (line.empty()) continue;
    const std::string where = source + ", record " + std::to_string(++number);
    if (line.size() > kLongest) throw BadInput(where + ": must be at most " + std::to_string(kLongest) + " bytes");
    results.add(line, where);
  }
  return number;
}

// The records of all files, as one evaluation.
paper::Results read(const std::vector<std::string>& paths) {
  paper::Results results;
  if (std::ranges::count_if(paths, is_stream) > 1) throw BadInput("--from: -, must be given once");
  for (const std::string& name : paths) {
    const bool streams = is_stream(name);
    if (!streams && std::filesystem::is_directory(name))
      throw BadInput("--from: " + name + ", must be a file, is a folder");
    std::ifstream file;
    if (!streams) file.open(name);
    if (!file) throw BadInput("--from: " + name + ", cannot be read");
    const std::string path = streams ? "standard input" : name;
    const auto before = results.left_out();
    const std::int64_t number = add(streams ? std::cin : file, path, results);
    std::int64_t others = 0;
    auto left_out = results.left_out();
    for (const auto& [run, count] : before) left_out[run] -= count;
    std::erase_if(left_out, [](const auto& run) { return run.second == 0; });
    for (const auto& [run, count] : left_out) others += count;
    if (number == 0) throw BadInput("--from: " + path + ", must hold records of `convlens paper`, holds none");
    if (number == others)
      throw BadInput(
          "--from: " + path + ", must hold records of `convlens paper`; " +
          (number == 1 ? "its one record is of no" : "of its " + std::to_string(number) + " records none is of a") +
          " run that takes part: " + counts(left_out));
    if (others > 0)
      say(std::to_string(others) + (others == 1 ? " record of " : " records of ") + path +
          (others == 1 ? " is of a run that does not take part: " : " are of runs that do not take part: ") +
          counts(left_out));
  }
  if (!results.replaced().empty()) say("of several records of a run the last is drawn: " + counts(results.replaced()));
  return results;
}

paper::Results measure(const PaperArguments& arguments, const Globals& globals, OutputFile* records,
                       std::map<std::string, std::int64_t>& left_out) {
  paper::Results results;
  RulerOptions ruler{.repeats = arguments.repeats.value_or(kRepeats), .cold_cache = true, .stop = interrupted};
  left_out = paper::measure(arguments.layers.layers(), ruler, arguments.seed.value_or(kSeed), globals,
                            [&](const Measurement& measurement) {
                              const std::string json = to_json(measurement);
                              if (records != nullptr) write(*records, json + "\n");
                              results.add(json, "measured");
                            });
  if (results.empty())
    throw Unsupported("nothing could be measured" + (left_out.empty() ? "" : ": " + left_out.begin()->first));
  return results;
}

void refuse_what_measures(const PaperArguments& a) {
  const std::pair<bool, const char*> given[]{
      {a.state.given(), "--state"},        {a.layers.given() || a.layers.parts_given(), "layers"},
      {a.layers.batch_given(), "--batch"}, {a.repeats.has_value(), "--repeats"},
      {a.seed.has_value(), "--seed"},      {!a.output.empty(), "--output"}};
  for (const auto& [is_given, what] : given)
    if (is_given) throw BadInput(std::string("--from: given with ") + what + ", must be alone: nothing is measured");
}

void paper_command(const PaperArguments& arguments, const Globals& globals) {
  if (!arguments.from.empty()) refuse_what_measures(arguments);
  NamedFiles read_ones{{"--state", arguments.state.file()}};
  for (const std::string& from : arguments.from) read_ones.emplace_back("--from", from);
  refuse_same_file({{"--output", arguments.output}, {"--html", arguments.html}}, read_ones);
  std::map<std::string, std::int64_t> left_out;
  std::unique_ptr<OutputFile> records, page;
  if (!arguments.output.empty()) records = std::make_unique<OutputFile>(arguments.output, "--output");
  if (!arguments.html.empty()) page = std::make_unique<OutputFile>(arguments.html, "--html");
  const paper::Results results =
      arguments.from.empty() ? measure(arguments, globals, records.get(), left_out) : read(arguments.from);
  if (records) records->commit();
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
      "--repeats", 1, 1'000'000, [a](std::int64_t v) { a->repeats = static_cast<int>(v); },
      "samples of each run; 50 when left out");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  command.integer(
      "--seed", 0, most, [a](std::int64_t v) { a->seed = static_cast<std::uint64_t>(v); },
      "which random numbers the tensors are filled with");
  command
      .text("--from", a->from, "FILE",
            "draw the report from recorded runs, with - from standard input, and measure nothing; may be repeated")
      .repeated();
  command.text("-o,--output", a->output, "FILE", "records as JSON Lines, written whole or not at all");
  command.text("--html", a->html, "FILE", "the report as one HTML file, its figures inside");
  command.run([arguments, &globals] {
    if (const std::optional<NamedByState> state = arguments->state.read()) arguments->layers.when_left_out(*state);
    paper_command(*arguments, globals);
  });
}

}  // namespace convlens::cli
