// `convlens live`: one run measured without end in a terminal, while keys flip its options.
//
// A worker measures, here or on another machine (algorithms/worker/protocol.h). Each set of options has one line, with
// the median of its last samples and how long after its key it began. Keys come from a terminal, or from a pipe: then
// each set is measured for a while before the next key is read, and each line is written once, when it stands.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <memory>

#include "algorithms/worker/client.h"
#include "algorithms/worker/line.h"
#include "cli/arguments.h"
#include "cli/keyboard.h"
#include "cli/numbers.h"
#include "cli/output.h"

namespace convlens::cli {

namespace {

using namespace worker;

constexpr std::string_view kKeys = "123456789abcdefghijklmnoprstuvwxyz";  // q quits

struct LiveArguments {
  LayerArguments layers;
  RowArguments row;
  std::string worker;
  bool kernel_alone = false, cold_cache = false;
  std::uint64_t seed = 1;
  double seconds = 0.5;
};

class Live {
 public:
  Live(const LiveArguments& arguments, const Globals& globals)
      : arguments_(arguments),
        json_(globals.json),
        run_(only(arguments.row.algorithm_given() ? arguments.row.runs() : std::vector<Run>{}, "ROW")),
        layer_(only(arguments.layers.layers(), "layer")),
        client_(words(arguments, globals)) {
    for (const Option& option : run_.algorithm->options)
      if (!option.values.empty() && keys_.size() < kKeys.size()) keys_.push_back(&option);
  }

  void go() {
    say("keys: " + keys());
    ask();
    const bool rewrites = isatty(STDOUT_FILENO) && !json_;
    while (!interrupted()) {
      constexpr int kLook = 50;  // ms
      // From a pipe, a set of options has its time before the next key is read, unless the worker is silent.
      const bool listens = keyboard_.terminal() || stands() || silent();
      if (!listens) usleep(kLook * 1000);
      const char key = listens ? keyboard_.key(kLook) : Keyboard::kNone;
      poll_worker();
      if (!rewrites) say_trouble();
      if (rewrites) print("\r\033[K" + text());
      if (key == 'q') break;
      if (key != Keyboard::kNone) flip(key);
    }
    finish_line();
    if (measured_ || interrupted()) return;
    if (!refused_.empty()) throw Error(refused_exit_, refused_);
    if (silent()) throw NoDevice("--worker: " + client_.says());
  }

 private:
  static std::vector<std::string> words(const LiveArguments& arguments, const Globals& globals) {
    if (!arguments.worker.empty()) return shell_words(arguments.worker);
    std::vector<std::string> words = this_program();
    if (globals.threads > 0) words.insert(words.end(), {"--threads", std::to_string(globals.threads)});
    if (globals.memory_limit) words.insert(words.end(), {"--memory-limit", std::to_string(*globals.memory_limit)});
    if (globals.no_cache) words.emplace_back("--no-cache");
    return words;
  }

  std::string keys() const {
    std::string keys;
    for (std::size_t k = 0; k < keys_.size(); ++k) keys += std::string(1, kKeys[k]) + " " + keys_[k]->id + "  ";
    return keys + "q quits";
  }

  void ask() {
    line_ = {};
    line_.run = run_name(*run_.algorithm, run_.options);
    refused_.clear();
    asked_ = std::chrono::steady_clock::now();
    client_.measure({.id = ++id_,
                     .layer = layer_.name,
                     .spec = layer_.problem.spec(),
                     .run = line_.run,
                     .dtype = only(arguments_.row.dtypes({DType::f32}), "--dtype"),
                     .layouts = only(arguments_.row.layouts({Layouts{}}), "--layout"),
                     .kernel_alone = arguments_.kernel_alone,
                     .cold_cache = arguments_.cold_cache,
                     .seed = arguments_.seed,
                     .endless = true});
  }

  void poll_worker() {
    for (const Answer& answer : client_.poll()) take(answer);
    if (client_.state() == Client::State::other_version) throw Unsupported("--worker: " + client_.says());
    if (client_.state() == Client::State::gone) throw NoDevice("--worker: " + client_.says() + lost());
  }

  bool silent() const { return client_.state() == Client::State::silent; }

  // Each trouble once; where lines are rewritten they say it themselves.
  void say_trouble() {
    // What is said of the seconds that have passed changes with each.
    const std::string now = silent() ? "silent" : client_.trouble();
    if (now == trouble_said_) return;
    if (!now.empty()) say("live: the worker " + client_.trouble());
    trouble_said_ = now;
  }

  // What a worker that is gone leaves: the last line is not lost with it.
  std::string lost() const { return line_.ms.empty() ? "" : "; last: " + text(); }

  void take(const Answer& answer) {
    if (const auto* started = std::get_if<Started>(&answer); started != nullptr && started->id == id_)
      line_.flops = started->flops, line_.executed = started->executed_flops;
    if (const auto* samples = std::get_if<Samples>(&answer); samples != nullptr && samples->id == id_) {
      if (line_.ms.empty()) began_after_ = waited();
      line_.ms.insert(line_.ms.end(), samples->ms.begin(), samples->ms.end());
      measured_ = true;
    }
    if (const auto* refused = std::get_if<Refused>(&answer); refused != nullptr && refused->id == id_)
      refused_ = refused->why, refused_exit_ = refused->exit;
    if (const auto* done = std::get_if<Done>(&answer); done != nullptr && done->id == id_) record_ = done->record;
  }

  // Seconds since this set of options was asked for.
  double waited() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - asked_).count(); }

  bool stands() const { return !refused_.empty() || (!line_.ms.empty() && waited() >= arguments_.seconds); }

  std::string text() const {
    const std::string trouble = client_.trouble();
    return line_text() + (trouble.empty() ? "" : "; the worker " + trouble);
  }

  std::string line_text() const {
    if (!refused_.empty()) return line_.run + "  refused: " + refused_;
    if (line_.ms.empty()) return line_.run + "  ...";
    return line_.run + "  " + rate_text(line_.tflops()) + "  (median of the last " +
           std::to_string(std::min(line_.ms.size(), Line::kWindow)) + " of " + std::to_string(line_.ms.size()) +
           " samples: " + significant(line_.median_ms(), 4) + " ms; the first after " + significant(began_after_, 2) +
           " s)";
  }

  // Ends the measurement of this set of options, and leaves its line as it stands.
  void finish_line() {
    client_.cancel(id_);
    if (json_) {
      record_.clear();
      while (refused_.empty() && record_.empty() && !client_.unfinished().empty() && !silent() && !interrupted()) {
        usleep(5000);
        poll_worker();
      }
      if (!record_.empty()) print(record_ + "\n");
      if (record_.empty()) say(text());
      return;
    }
    print((isatty(STDOUT_FILENO) ? "\r\033[K" : "") + text() + "\n");
  }

  void flip(char key) {
    if (std::isspace(static_cast<unsigned char>(key)) != 0) return;
    const std::size_t number = kKeys.find(key);
    if (number >= keys_.size()) {
      const bool shown = key > ' ' && key <= '~';
      if (isatty(STDOUT_FILENO) != 0 && !json_) print("\r\033[K");
      return say("key: " + (shown ? std::string(1, key) : "one that no letter is") + ", must be of: " + keys());
    }
    finish_line();
    const Option& option = *keys_[number];
    const auto now = std::ranges::find(option.values, run_.options[option.id]);
    const auto next = now == option.values.end() ? now : std::next(now);
    run_.options.set(option.id, next == option.values.end() ? option.values.front() : *next);
    ask();
  }

  const LiveArguments& arguments_;
  const bool json_;
  Run run_;
  Layer layer_;
  Client client_;
  Keyboard keyboard_;
  std::vector<const Option*> keys_;  // what each key flips
  std::int64_t id_ = 0;
  Line line_;
  std::string refused_, record_;
  Exit refused_exit_ = Exit::unsupported;
  double began_after_ = 0;  // s, from the key to the first sample
  bool measured_ = false;   // anything at all
  std::string trouble_said_;
  std::chrono::steady_clock::time_point asked_;
};

}  // namespace

void add_live(CLI::App& app, const Globals& globals) {
  Command command(app, "live", "one run measured without end, while keys flip its options",
                  {"convlens live direct.cpu --layer cv12", "convlens live direct.cpu --layer cv9 --timed kernel",
                   "convlens live im2win.cpu --layer cv9 --layout NHWC --cold --json"});
  const auto arguments = std::make_shared<LiveArguments>();
  LiveArguments* a = arguments.get();
  a->row.add_row_to(command);
  a->layers.add_to(command, Amount::one);
  command.text(
      "--timed",
      [a](const std::string& value) {
        if (value != "call" && value != "kernel") throw BadInput("--timed: " + value + ", must be call or kernel");
        a->kernel_alone = value == "kernel";
      },
      "WHAT", "call: all that a caller pays, when left out; kernel: what follows packing and transforming x and w");
  command.flag("--cold", a->cold_cache, "empty the caches before each sample");
  command.text("--worker", a->worker, "COMMAND", "a worker elsewhere, as in 'ssh host convlens worker'");
  command.number(
      "--seconds", 0, 1e6, [a](double v) { a->seconds = v; },
      "with keys from a pipe: how long each set of options is measured; 0.5 when left out");
  command.run([arguments, &globals] { Live(*arguments, globals).go(); });
}

}  // namespace convlens::cli
