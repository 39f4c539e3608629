// `convlens live`: one run measured without end in a terminal, while keys flip its options.
//
// A worker measures, here or on another machine (algorithms/worker/protocol.h). Each set of options has one line, with
// the median of its last samples and how long after its key it began. Keys come from a terminal, or from a pipe: then
// each set is measured for a while before the next key is read, and each line is written once, when it stands.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <limits>
#include <memory>

#include "algorithms/measure/device.h"
#include "algorithms/worker/client.h"
#include "cli/arguments.h"
#include "cli/keyboard.h"
#include "cli/live_set.h"
#include "cli/live_signals.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace convlens::cli {

namespace {

using namespace worker;

constexpr std::string_view kKeys = "123456789abcdefghijklmnoprstuvwxyz";  // q quits
const std::string kEraseRow = "\r\033[K";

struct LiveArguments {
  LayerArguments layers;
  RowArguments row;
  StateArgument state;
  std::string worker;
  std::optional<bool> kernel_alone;
  bool cold_cache = false;
  std::uint64_t seed = 1;
  double seconds = 0.5;
};

class Live {
 public:
  Live(const LiveArguments& arguments, const Globals& globals)
      : arguments_(arguments),
        json_(globals.json),
        rewrites_(isatty(STDOUT_FILENO) != 0 && !json_),
        run_(only(arguments.row.algorithm_given() ? arguments.row.runs() : std::vector<Run>{}, "ROW")),
        layer_(only(arguments.layers.layers(), "layer")),
        dtype_(only(arguments.row.dtypes({run_.algorithm->unit == Unit::tc ? DType::f16 : DType::f32}), "--dtype")),
        layouts_(only(arguments.row.layouts({Layouts{}}), "--layout")),
        client_(words(arguments, globals)) {
    for (const Option& option : run_.algorithm->options)
      if (!option.values.empty() && keys_.size() < kKeys.size()) keys_.push_back(&option);
  }

  void go() {
    need_device();
    say("keys: " + keys());
    ask();
    while (!interrupted()) {
      if (signals_.stopping() && !goes_on_after_stop()) return;
      if (signals_.went_on()) go_on();
      constexpr int kLook = 50;  // ms
      // From a pipe, a set of options has its time before the next key is read, unless the worker is silent.
      const bool listens = keyboard_.terminal() || set_.stands(arguments_.seconds) || silent();
      if (!listens) usleep(kLook * 1000);
      const char key = listens ? keyboard_.key(kLook) : Keyboard::kNone;
      poll_worker();
      say_trouble();
      if (rewrites_) print(row());
      if (key == Keyboard::kEnd || key == 'q') break;
      if (key != Keyboard::kNone) flip(key);
    }
    finish_line();
    if (interrupted()) return;
    if (!hung_.empty()) throw NoDevice("--worker: " + hung_);
    if (!measured_ && !set_.refused().empty()) throw Error(set_.refused_exit(), set_.refused());
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

  // Where a row on a GPU is to be measured here and there is none, no key changes that.
  void need_device() const {
    const std::string why = arguments_.worker.empty() ? why_not_here(*run_.algorithm) : "";
    if (why.empty()) return;
    // What cannot be asked for is said on any machine.
    static_cast<void>(run_.algorithm->plan({layer_.problem, dtype_, layouts_, run_.options}));
    throw NoDevice(run_.algorithm->id + ": " + why);
  }

  std::string keys() const {
    std::string keys;
    for (std::size_t k = 0; k < keys_.size(); ++k) keys += std::string(1, kKeys[k]) + " " + keys_[k]->id + "  ";
    return keys + "q quits";
  }

  void ask() {
    set_ = LiveSet(run_name(*run_.algorithm, run_.options));
    client_.measure({.id = ++id_,
                     .layer = layer_.name,
                     .spec = layer_.problem.spec(),
                     .run = set_.run(),
                     .dtype = dtype_,
                     .layouts = layouts_,
                     .kernel_alone = arguments_.kernel_alone.value_or(false),
                     .cold_cache = arguments_.cold_cache,
                     .seed = arguments_.seed,
                     .endless = true});
  }

  // Ctrl-Z: whoever has the terminal meanwhile has all of it, and the cores. Who is told to end while stopped leaves it
  // to them.
  bool goes_on_after_stop() {
    finish_line();
    keyboard_.leave();
    signals_.obey_stop();
    if (interrupted()) return false;
    go_on();
    ask();
    return true;
  }

  // The terminal may have been another's, and no answer that is owed could be heard.
  void go_on() {
    keyboard_.take();
    client_.forgive_silence();
  }

  void poll_worker() {
    for (const Answer& answer : client_.poll())
      if (job_of(answer) == id_) set_.take(answer);
    measured_ = measured_ || set_.measured();
    if (client_.state() == Client::State::other_version) throw NoDevice("--worker: " + client_.says());
    // At a terminal somebody sees that, and decides.
    if (!keyboard_.terminal() && client_.idle_seconds() > kMostPreparation)
      throw NoDevice("--worker: " + client_.says());
    if (client_.state() != Client::State::gone) return;
    if (rewrites_) print(last_row());
    // What a worker that is gone leaves: the last line is not lost with it.
    throw NoDevice("--worker: " + client_.says() + (set_.measured() && !rewrites_ ? "; last: " + set_.text() : ""));
  }

  bool silent() const { return client_.state() == Client::State::silent; }

  // Each trouble once, of which revision the worker is where that is another, and why a set is refused where its line
  // may be too long for that.
  void say_trouble() {
    // What is said of the seconds that have passed changes with each.
    if (const std::string note = client_.note(); note != note_said_)
      say_apart("live: the worker " + note), note_said_ = note;
    const std::string now = silent() ? "silent" : client_.is_idle() ? "idle" : client_.trouble();
    if (now != trouble_said_ && !now.empty()) say_apart("live: the worker " + client_.trouble());
    trouble_said_ = now;
    if (rewrites_ && set_.refused() != refused_said_ && !set_.refused().empty())
      say_apart("live: " + set_.run() + ": " + set_.refused());
    refused_said_ = set_.refused();
  }

  // Not behind the line that is being rewritten.
  void say_apart(const std::string& what) const {
    if (rewrites_) print(kEraseRow);
    say(what);
  }

  // The line, over the one before: in one row, since only that can be rewritten. The last column stays free, because
  // terminals disagree about where the cursor is behind it.
  std::string row() const { return kEraseRow + set_.text_in(terminal_columns() - 1); }

  // The same as it is left behind, whole.
  std::string last_row() const { return kEraseRow + in_columns(set_.text(), std::numeric_limits<int>::max()) + "\n"; }

  // Ends the measurement of this set of options, and leaves its line as it stands.
  void finish_line() {
    client_.cancel(id_);
    if (silent()) hung_ = client_.says();
    if (!json_) return print(rewrites_ ? last_row() : set_.text() + "\n");
    wait_for_record();
    if (set_.record().empty()) return say(set_.text());
    print(set_.record() + "\n");
  }

  void wait_for_record() {
    constexpr std::chrono::milliseconds kGrace{500};  // for one who wants to leave
    const auto begin = std::chrono::steady_clock::now();
    const auto leaving = [&] { return interrupted() || signals_.stopping(); };
    const auto late = [&] { return leaving() && std::chrono::steady_clock::now() - begin > kGrace; };
    while (set_.refused().empty() && set_.record().empty() && !client_.unfinished().empty() && !silent() && !late()) {
      usleep(5000);
      poll_worker();
    }
  }

  void flip(char key) {
    if (std::isspace(static_cast<unsigned char>(key)) != 0) return;
    const std::size_t number = kKeys.find(key);
    if (number >= keys_.size()) {
      const bool shown = key > ' ' && key <= '~';
      return say_apart("key: " + (shown ? std::string(1, key) : "one that no letter is") + ", must be of: " + keys());
    }
    finish_line();
    const Option& option = *keys_[number];
    const auto now = std::ranges::find(option.values, run_.options[option.id]);
    const auto next = now == option.values.end() ? now : std::next(now);
    run_.options.set(option.id, next == option.values.end() ? option.values.front() : *next);
    ask();
  }

  const LiveArguments& arguments_;
  const bool json_, rewrites_;  // rewrites: the line moves in a terminal
  Run run_;
  Layer layer_;
  DType dtype_;
  Layouts layouts_;
  Client client_;
  const LiveSignals signals_;
  Keyboard keyboard_;
  std::vector<const Option*> keys_;  // what each key flips
  std::int64_t id_ = 0;
  LiveSet set_;
  bool measured_ = false;  // anything at all
  std::string trouble_said_, refused_said_, note_said_;
  std::string hung_;  // how the worker was when a set was left that it should have measured
};

void fill(LiveArguments& arguments) {
  const std::optional<NamedByState> state = arguments.state.read();
  if (!state) return;
  arguments.layers.when_left_out(*state);
  arguments.row.when_left_out(*state, OneRow::measured, arguments.layers);
  arguments.seed = state->seed();
  if (arguments.kernel_alone) return;
  arguments.kernel_alone = state->timed() == "kernel";
  arguments.cold_cache = arguments.cold_cache || state->timed() == "cold";
}

}  // namespace

void add_live(CLI::App& app, const Globals& globals) {
  Command command(app, "live", "one run measured without end, while keys flip its options",
                  {"convlens live direct.cpu --layer cv12", "convlens live direct.cpu --layer cv9 --timed kernel",
                   "convlens live im2win.cpu --layer cv9 --layout NHWC --cold --json",
                   "convlens live direct.cpu --state state.json --batch 1"});
  const auto arguments = std::make_shared<LiveArguments>();
  LiveArguments* a = arguments.get();
  a->row.add_row_to(command);
  a->layers.add_to(command, Amount::one);
  a->state.add_to(command,
                  "layer, type, layouts, seed, what its Performance panel times, and its row if it has just one");
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
      "with keys from a pipe: how long each set of options is measured, from its first sample; 0.5 when left out");
  command.run([arguments, &globals] {
    fill(*arguments);
    Live(*arguments, globals).go();
  });
}

}  // namespace convlens::cli
