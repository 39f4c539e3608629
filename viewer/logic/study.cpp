#include "viewer/logic/study.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/measure/record.h"
#include "algorithms/measure/ruler.h"

namespace convlens::viewer {

using worker::Job;

namespace {

std::string measured_now_on(const worker::Hello& there, const std::string& unit) {
  return made_on_text(unit == "cpu" ? there.cpu : there.gpu, utc_now(), there.revision);
}

}  // namespace

void Curve::add(const std::vector<double>& ms, double from, double to) {
  for (std::size_t k = 0; k < ms.size(); ++k) {
    line.ms.push_back(ms[k]);
    seconds.push_back(from + (to - from) * static_cast<double>(k + 1) / static_cast<double>(ms.size()));
    tflops.push_back(static_cast<float>(convlens::tflops(line.flops, ms[k])));
    median.push_back(static_cast<float>(line.tflops()));
  }
  whole_ms = whole_spread = std::numeric_limits<double>::quiet_NaN();
  if (line.ms.size() <= kMostSamples) return;
  forgets = true;
  const auto halve = [](auto& all) { all.erase(all.begin(), all.begin() + kMostSamples / 2); };
  halve(line.ms), halve(seconds), halve(tflops), halve(median);
}

void Curve::settle() {
  const Timing all{.samples_ms = line.ms};
  whole_ms = all.median_ms(), whole_spread = all.spread();
}

bool Curve::settled() const { return !std::isnan(whole_ms); }
double Curve::median_ms() const { return settled() ? whole_ms : line.median_ms(); }
double Curve::spread() const { return settled() ? whole_spread : line.spread(); }
double Curve::rate() const { return convlens::tflops(line.flops, median_ms()); }
double Curve::executed_tflops() const { return convlens::tflops(line.executed, median_ms()); }

std::string Curve::samples_text() const {
  const std::string all = std::to_string(line.ms.size()), samples = line.ms.size() == 1 ? " sample" : " samples";
  const bool rolls = !settled() && line.ms.size() > worker::Line::kWindow;
  if (rolls) return "median of the last " + std::to_string(worker::Line::kWindow) + " of " + all + samples;
  return (forgets ? "median of the last " : "median of ") + all + samples;
}

double Curve::highest_median(double from) const {
  float most = 0;
  for (std::size_t k = 0; k < median.size(); ++k)
    if (seconds[k] >= from && std::isfinite(median[k])) most = std::max(most, median[k]);
  return static_cast<double>(most);
}

std::string made_on_text(const std::string& machine, const std::string& time, const std::string& revision) {
  constexpr std::size_t kDay = 10, kRevision = 7;  // letters of "2026-11-30T…", and of a revision as it is written
  return machine + ", " + time.substr(0, kDay) + ", revision " + revision.substr(0, kRevision);
}

std::string key_of(const Job& job) {
  Job what = job;
  what.id = 0, what.repeats = 1, what.seconds = 0, what.endless = false, what.layer.clear();
  return to_line(worker::Question(what));
}

void Study::ask(const std::shared_ptr<Curve>& curve, bool endless) {
  Job job = curve->job;
  job.id = ++next_id_;
  job.endless = endless;
  if (!endless) job.seconds = kPassSeconds, job.repeats = kPassRepeats;
  (endless ? live_id_ : working_id_) = job.id;
  asked_[job.id] = curve;
  heard_ = now();
  client_->measure(job);
}

// One thing at a time: jobs with an end first, then the live run.
void Study::ask_next() {
  if (!can_measure() || working_id_ != 0) return;
  if (waiting_.empty() && (live_ == nullptr || live_id_ != 0 || !live_->refused.empty())) return;
  if (!client_) client_.emplace(words_, patience_);
  if (stalled()) return;
  if (waiting_.empty()) return ask(live_, true);
  if (live_id_ != 0) client_->cancel(std::exchange(live_id_, 0));
  working_ = waiting_.front();
  waiting_.pop_front();
  ask(working_, false);
}

void Study::poll() {
  if (held_) return;
  if (client_)
    for (const worker::Answer& answer : client_->poll()) take(answer);
  ask_next();
}

void Study::take(const worker::Answer& answer) {
  if (const auto* ceilings = std::get_if<worker::Ceilings>(&answer)) {
    ceilings_[ceilings->gpu ? 1 : 0] = *ceilings;
    return;
  }
  const std::int64_t id = worker::job_of(answer).value_or(0);
  const auto found = asked_.find(id);
  if (found == asked_.end()) return;
  Curve& curve = *found->second;
  if (const auto* started = std::get_if<worker::Started>(&answer)) {
    curve.line = {started->run, started->flops, started->executed_flops, std::move(curve.line.ms)};
    curve.unit = started->unit;
    curve.measured_on = measured_now_on(*client_->hello(), curve.unit);
    heard_ = now();
  } else if (const auto* samples = std::get_if<worker::Samples>(&answer)) {
    curve.add(samples->ms, heard_, now());
    heard_ = now();
    live_answered_ |= id == live_id_;
    if (found->second != live_ && id != working_id_) curve.settle();  // it was left, and this was on its way
  } else {
    if (const auto* refused = std::get_if<worker::Refused>(&answer))
      curve.refused = refused->why, curve.refused_exit = refused->exit;
    if (const auto* done = std::get_if<worker::Done>(&answer)) curve.record = done->record;
    curve.finished = id != working_id_ || --curve.passes_left <= 0 || !curve.refused.empty();
    if (found->second != live_) curve.settle();
    if (!curve.refused.empty()) std::erase(waiting_, found->second);
    if (id == working_id_) working_id_ = 0, working_.reset(), ++batch_done_;
    if (id == live_id_) live_id_ = 0;
    asked_.erase(id);
  }
}

void Study::leave_live() {
  if (live_id_ != 0 && client_) client_->cancel(live_id_);
  live_id_ = 0;
  if (live_ && !live_->line.ms.empty()) {
    live_->settle();
    measured_[key_of(live_->job)] = live_;
    ghosts_.push_back(live_);
    if (ghosts_.size() > kMostGhosts) {
      ghosts_gone_.insert(key_of(ghosts_.front()->job));
      ghosts_.pop_front();
    }
  }
  live_.reset();
}

void Study::show(const Job& job) {
  if (!can_measure() || (live_ && key_of(live_->job) == key_of(job))) return;
  leave_live();
  const std::string key = key_of(job);
  std::erase_if(ghosts_, [&](const auto& ghost) { return key_of(ghost->job) == key; });
  ghosts_gone_.erase(key);
  const auto before = measured_.find(key);
  if (before != measured_.end() && before->second && !before->second->line.ms.empty()) {
    live_ = before->second;
    live_->refused.clear();
  } else {
    live_ = std::make_shared<Curve>();
    live_->job = job;
    live_->line.run = job.run;
  }
  live_since_ = now();
  live_answered_ = false;
  ask_next();
}

void Study::rest() {
  if (live_id_ != 0 && client_) client_->cancel(live_id_);
  live_id_ = 0;
  if (live_ && !live_->line.ms.empty()) live_->settle(), measured_[key_of(live_->job)] = live_;
  live_.reset();
}

void Study::measure(const std::vector<Job>& jobs) {
  if (!can_measure()) return;
  if (waiting_.empty() && !working_) batch_done_ = 0, batch_begin_ = Clock::now();
  std::vector<std::shared_ptr<Curve>> wanted;
  for (const Job& job : jobs) {
    std::shared_ptr<Curve>& curve = measured_[key_of(job)];
    const auto known = [&] { return curve->finished && curve->answered(); };
    if (curve && (known() || curve == working_ || std::ranges::find(waiting_, curve) != waiting_.end())) continue;
    if (!curve || curve == live_) {
      curve = std::make_shared<Curve>();
      curve->job = job;
      curve->line.run = job.run;
    }
    curve->passes_left = job.traced ? 1 : kPasses;
    wanted.push_back(curve);
  }
  for (int pass = 0; pass < kPasses; ++pass)
    std::ranges::copy_if(wanted, std::back_inserter(waiting_), [&](const auto& c) { return pass < c->passes_left; });
  ask_next();
}

void Study::pause() {
  if (!client_) return;
  if (live_id_ != 0) client_->cancel(std::exchange(live_id_, 0));
  if (working_id_ == 0) return;
  client_->cancel(std::exchange(working_id_, 0));
  waiting_.push_front(std::move(working_));
}

void Study::cancel() {
  waiting_.clear();
  if (stalled()) working_.reset(), working_id_ = 0;
  if (working_id_ != 0 && client_) client_->cancel(working_id_);
}

void Study::hold() {
  pause();
  held_ = true;
}

void Study::restart() {
  if (working_) waiting_.push_front(working_);
  working_.reset();
  working_id_ = live_id_ = 0;
  live_answered_ = false;
  asked_.clear();
  asked_ceilings_[0] = asked_ceilings_[1] = false;
  client_.reset();
  ask_next();
}

const Curve* Study::find(const Job& job) const {
  const std::string key = key_of(job);
  if (live_ && !live_->line.ms.empty() && key_of(live_->job) == key) return live_.get();
  const auto found = measured_.find(key);
  return found != measured_.end() && found->second->answered() ? found->second.get() : nullptr;
}

Study::Progress Study::progress() const {
  Progress progress{batch_done_, batch_done_ + waiting_.size() + (working_ ? 1 : 0), working_ ? working_->job.run : "",
                    std::numeric_limits<double>::quiet_NaN()};
  if (progress.all == batch_done_) return {};
  const double passed = std::chrono::duration<double>(Clock::now() - batch_begin_).count();
  if (batch_done_ > 0)
    progress.seconds_left =
        passed / static_cast<double>(batch_done_) * static_cast<double>(progress.all - progress.done);
  return progress;
}

const std::optional<worker::Ceilings>& Study::ceilings(bool gpu) {
  const std::size_t which = gpu ? 1 : 0;
  if (client_ && !asked_ceilings_[which] && client_->state() == worker::Client::State::ready &&
      (!gpu || !client_->hello()->gpu.empty())) {
    asked_ceilings_[which] = true;
    if (live_id_ != 0) client_->cancel(std::exchange(live_id_, 0));  // asked for again once they are measured
    client_->ask_ceilings(gpu);
  }
  return ceilings_[which];
}

bool Study::moves() const {
  return live_answered_ && live_ && live_->refused.empty() && client_ &&
         client_->state() == worker::Client::State::ready;
}

double Study::unanswered_seconds() const {
  return live_ && live_->line.ms.empty() && live_->refused.empty() ? now() - live_since_ : 0;
}

bool Study::has_samples() const {
  const auto has = [](const auto& curve) { return !curve->line.ms.empty(); };
  return (live_ && has(live_)) || std::ranges::any_of(ghosts_, has) ||
         std::ranges::any_of(measured_, [&](const auto& entry) { return has(entry.second); });
}

bool Study::stalled() const {
  using State = worker::Client::State;
  return client_ && (client_->state() == State::gone || client_->state() == State::other_version);
}

bool Study::busy() const {
  return client_ && !stalled() && (live_ || working_ || !waiting_.empty() || !asked_.empty());
}

}  // namespace convlens::viewer
