// What is being measured for the Performance panel, and what has been: a worker, its live run, the lines that it left
// behind, and jobs with an end that are done one by one while the live run rests.
//
// Nothing waits. What was measured stays, whatever becomes of the worker; what a worker that is gone still owed is
// asked of the next.
#pragma once

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algorithms/worker/client.h"
#include "algorithms/worker/line.h"

namespace convlens::viewer {

// The samples of one job.
struct Curve {
  worker::Job job;
  worker::Line line;
  std::vector<double> seconds;  // of each sample: when it came, on the study's clock
  std::vector<float> tflops;    // of each sample
  std::vector<float> median;    // rolling, in TFLOPS, where each sample came
  std::string unit, refused;
  Exit refused_exit = Exit::unsupported;  // the kind of failure
  std::string made_on;      // of a record: the machine, the day, the revision; "" for what was measured here and now
  std::string measured_on;  // the same of what a worker has measured
  std::string record;       // of a job that is done
  int threads = 0;          // of a record that names them
  int beside = 0;           // of a record: how many option sets of its row were recorded with it
  double roof = std::numeric_limits<double>::quiet_NaN();  // TFLOPS over its layer, of a record that knows its floor
  double whole_ms = std::numeric_limits<double>::quiet_NaN();  // median of all samples; NaN while more come
  double whole_spread = std::numeric_limits<double>::quiet_NaN();
  bool forgets = false;   // whether it has had more samples than it keeps
  int passes_left = 0;    // of a job with an end
  bool finished = false;  // done, refused or cancelled

  bool answered() const { return !line.ms.empty() || !refused.empty() || (job.traced && !record.empty()); }

  void add(const std::vector<double>& ms, double from, double to);  // spread evenly over the time between
  void settle();                                                    // no more come for now

  // While samples come, of the last Line::kWindow of them; once it is settled, of all. NaN of none.
  bool settled() const;
  double median_ms() const;
  double spread() const;                     // (third quartile − first quartile) / median
  double rate() const;                       // FLOPs / median, in TFLOPS; direct-equivalent
  double executed_tflops() const;            // the same of those that are really executed
  std::string samples_text() const;          // of what the rate is the median: "median of the last 64 of 900 samples"
  double highest_median(double from) const;  // of the line since then; 0 where it has none

  static constexpr std::size_t kMostSamples = 20'000;  // the older half is forgotten then
};

// A job without its number and its length: what is measured, whoever asks.
std::string key_of(const worker::Job& job);

// Where and when something was measured, as it is written: "AMD …, 2026-11-30, revision a8d2d8e". `time` is one of
// records (measure/record.h).
std::string made_on_text(const std::string& machine, const std::string& time, const std::string& revision);

class Study {
 public:
  // The program that measures; none: nothing is measured. The worker is started when something is first wanted of it.
  explicit Study(std::vector<std::string> worker = {}, const worker::Patience& patience = {})
      : words_(std::move(worker)), patience_(patience) {}

  bool can_measure() const { return !words_.empty(); }
  void poll();  // takes what the worker has said

  // The run whose line moves. When it is another than before, the old line becomes a ghost. What was measured of this
  // one before is continued, and is a ghost no more: no run has two rates at a time.
  void show(const worker::Job& job);
  void rest();  // no live run

  // To be measured in this order, in several passes, so that slow drifts and other people's programs meet all alike;
  // each unless it is done already. A run that is asked for twice is measured once.
  void measure(const std::vector<worker::Job>& jobs);
  void cancel();  // of those; what they have so far is kept

  // Nothing is measured until the next `poll`, which goes on where this has stopped.
  void pause();
  void hold();     // the same for good: polls take nothing any more, and what is known stays as it is
  void restart();  // another worker in the place of one that is gone, silent or not wanted any more

  const Curve* live() const { return live_.get(); }
  bool moves() const;  // whether samples of the live run have come since it was wanted, and more are to come
  double unanswered_seconds() const;  // since the live run was wanted, while it has neither a sample nor a refusal
  const std::deque<std::shared_ptr<const Curve>>& ghosts() const { return ghosts_; }
  // How many older lines are drawn no more; what was measured of them is still known.
  std::size_t ghosts_gone() const { return ghosts_gone_.size(); }
  const Curve* find(const worker::Job& job) const;  // what was measured of it, the live line first; null for nothing
  bool has_samples() const;                         // of anything

  struct Progress {
    std::size_t done = 0, all = 0;  // jobs, each pass of them; all is 0 when none is wanted
    std::string now;                // what is being measured
    double seconds_left = 0;        // NaN before the first is done
  };
  Progress progress() const;
  const std::optional<worker::Ceilings>& ceilings(bool gpu);  // asks for them when they are not there yet
  const worker::Client* client() const { return client_ ? &*client_ : nullptr; }
  bool stalled() const;  // the worker is gone, or is asked nothing: what is wanted waits for another
  bool busy() const;     // whether something is to be heard of soon
  double now() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  static constexpr std::size_t kMostGhosts = 16;
  static constexpr int kPasses = 3;
  static constexpr int kPassRepeats = 3;       // samples of a job in a pass, at least
  static constexpr double kPassSeconds = 0.1;  // and so long

 private:
  using Clock = std::chrono::steady_clock;

  void take(const worker::Answer& answer);
  void ask_next();
  void ask(const std::shared_ptr<Curve>& curve, bool endless);
  void leave_live();

  std::vector<std::string> words_;
  worker::Patience patience_;
  std::optional<worker::Client> client_;
  Clock::time_point begin_ = Clock::now(), batch_begin_ = begin_;
  std::int64_t next_id_ = 0;
  std::map<std::int64_t, std::shared_ptr<Curve>> asked_;    // by number of the job
  std::map<std::string, std::shared_ptr<Curve>> measured_;  // by key_of
  std::shared_ptr<Curve> live_, working_;                   // working_: of the jobs with an end
  double live_since_ = 0;                                   // when it was wanted
  bool live_answered_ = false;                              // with samples since then
  bool held_ = false;
  std::int64_t live_id_ = 0, working_id_ = 0;  // 0: not asked for
  std::deque<std::shared_ptr<const Curve>> ghosts_;
  std::set<std::string> ghosts_gone_;  // by key_of
  std::deque<std::shared_ptr<Curve>> waiting_;
  std::size_t batch_done_ = 0;
  double heard_ = 0;  // when the samples before came
  std::optional<worker::Ceilings> ceilings_[2];
  bool asked_ceilings_[2] = {false, false};
};

}  // namespace convlens::viewer
