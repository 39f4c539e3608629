#include "viewer/ui/measuring.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "algorithms/error.h"
#include "algorithms/shortened.h"
#include "viewer/logic/comparisons.h"

namespace convlens::viewer {

namespace {

constexpr double kMostSilence = 5;   // s without an answer, on top of what makes a worker silent
constexpr double kLiveOnceMore = 1;  // s, beside what was measured meanwhile

// A worker that is no more, or of which nothing is to be had.
struct Lost {
  std::string what;
};

// A study whose worker is held to its word: nobody is there to see that it has ended, and to start another.
class Measuring {
 public:
  Measuring(Study& study, const std::function<bool()>& interrupted) : study_(study), interrupted_(interrupted) {}

  // Lets the worker work until `enough`, or until it is interrupted.
  void until(const std::function<bool()>& enough) {
    const double begin = study_.now();
    while (!enough() && !interrupted_()) {
      study_.poll();
      look_at_worker();
      if (study_.now() - begin > worker::kMostPreparation) throw Lost{"has measured nothing for 10 minutes"};
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  void for_seconds(double seconds) {
    const double end = study_.now() + seconds;
    until([&] { return study_.now() >= end || !study_.busy(); });
  }

  // The live run's time begins when its first sample has come, not when the worker is started.
  void live(const worker::Job& job, double seconds) {
    study_.show(job);
    const auto live = [&]() -> const Curve& { return *study_.live(); };
    until([&] { return !live().line.ms.empty() || !live().refused.empty(); });
    if (!live().refused.empty())
      throw Error(live().refused_exit,
                  "--measure: " + job.run + ", cannot be measured: " + live().refused + "; nothing is written");
    for_seconds(seconds);
  }

  // The same of everything that is compared: from when the first of it is done.
  void compared(const std::vector<worker::Job>& jobs, double seconds) {
    study_.measure(jobs);
    const auto over = [&] { return study_.progress().all == 0; };
    until([&] { return over() || study_.progress().done > 0; });
    const double end = study_.now() + seconds;
    until([&] { return over() || study_.now() >= end; });
    study_.cancel();
  }

 private:
  void look_at_worker() {
    const worker::Client* client = study_.client();
    if (client == nullptr) return;
    using State = worker::Client::State;
    if (client->state() == State::other_version || client->state() == State::gone) throw Lost{client->says()};
    if (client->state() != State::silent) silent_since_ = study_.now();
    if (study_.now() - silent_since_ > kMostSilence) throw Lost{client->says()};
  }

  Study& study_;
  const std::function<bool()>& interrupted_;
  double silent_since_ = study_.now();
};

// What the live run is compared with, for as long again.
void measure_compared(Measuring& measuring, Study& study, const Comparisons& compared, const ViewOptions& options) {
  study.ceilings(compared.run.algorithm->unit != Unit::cpu);
  const std::vector<worker::Job> wanted = compared.wanted(options.state.performance.chart);
  measuring.compared(wanted, options.measure_seconds);
  measuring.for_seconds(kLiveOnceMore);
  const auto missing =
      std::ranges::count_if(wanted, [&](const worker::Job& job) { return study.find(job) == nullptr; });
  if (missing > 0)
    options.say("view: " + std::to_string(missing) + " of the " + std::to_string(wanted.size()) +
                " runs that are compared were not measured: " +
                (options.interrupted() ? "it was interrupted" : "the time of --measure was over"));
}

// What was thrown away of a worker that went on: the last of it, in one line.
void say_trouble(const Study& study, const ViewOptions& options) {
  const worker::Client* client = study.client();
  if (client == nullptr || client->state() != worker::Client::State::ready || client->is_idle()) return;
  if (const std::string trouble = client->trouble(); !trouble.empty())
    options.say("view: the worker " + trouble + "; that is left out");
}

}  // namespace

Measured measure_runs(App& app, const ViewOptions& options) {
  if (app.state().spec.n == 0) throw Unsupported("n: 0, must be ≥ 1 for --measure: there is nothing to measure");
  Study& study = app.study();
  Measuring measuring(study, options.interrupted);
  State next = app.state();
  try {
    std::optional<Comparisons> compared;
    for (const std::string& run : options.measured_runs) {
      next.performance.run = run;
      compared = comparisons(next);
      if (!compared) throw BadInput("performance.run: " + shortened(run) + ", must be a row with options that it has");
      measuring.live(compared->job, options.measure_seconds / static_cast<double>(options.measured_runs.size()));
      if (options.interrupted()) break;
    }
    app.change(next);
    if (options.interrupted()) {
      options.say(std::string("view: interrupted, ") + (study.has_samples()
                                                            ? "what was measured until then is written"
                                                            : "before anything was measured; nothing is written"));
      return {study.has_samples(), {}};
    }
    measure_compared(measuring, study, *compared, options);
    say_trouble(study, options);
    return {true, {}};
  } catch (const Lost& lost) {
    app.change(next);
    return {study.has_samples(),
            NoDevice("--worker: it " + lost.what +
                     (study.has_samples() ? "; what was measured before is written" : "; nothing is written"))};
  }
}

}  // namespace convlens::viewer
