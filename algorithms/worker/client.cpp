#include "algorithms/worker/client.h"

#include <algorithm>
#include <string_view>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/measure/machine.h"

namespace convlens::worker {

namespace {

constexpr std::size_t kMostGreeting = std::size_t{1} << 16;  // bytes of a line

constexpr std::string_view kOfTerminals = "\t\r\a\b\x1b";  // control characters of a greeting, colours and all

bool is_text(const std::string& line) {
  return std::ranges::none_of(line, [](unsigned char c) {
    return c < ' ' && kOfTerminals.find(static_cast<char>(c)) == std::string_view::npos;
  });
}

// The beginning of a line, as any terminal and any font can show it.
std::string in_quotes(const std::string& line) {
  constexpr std::size_t kMost = 80;
  std::string text = line.substr(0, std::min(kMost, line.find_last_not_of('\r') + 1));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return "\"" + text + (line.size() > kMost ? " …" : "") + "\"";
}

// A run by its full name, however it is written; what names no run here is left as it is.
std::string whole_name(const std::string& text) try {
  const Run run = parse_run(text);
  return run_name(*run.algorithm, run.options);
} catch (const BadInput&) {
  return text;
}

}  // namespace

Client::Client(const std::vector<std::string>& words, const Patience& patience) : patience_(patience) {
  try {
    child_.emplace(words);
  } catch (const Unsupported& error) {
    give_up(error.what());
  }
}

void Client::ask(const Question& question) {
  if (state_ == State::gone || state_ == State::other_version) return;
  if (state_ == State::starting)
    kept_.push_back(to_line(question) + "\n");
  else
    child_->write(to_line(question) + "\n");
}

void Client::measure(const Job& job) {
  if (unfinished_.empty()) worked_ = Clock::now();
  unfinished_[job.id] = job;
  ask(job);
}
void Client::cancel(std::int64_t id) {
  if (unfinished_.contains(id)) cancelled_.try_emplace(id, Clock::now());
  ask(Cancel{id});
}
void Client::forgive_silence() {
  worked_ = heard_ = pinged_ = Clock::now();
  for (auto& [id, since] : cancelled_) since = worked_;
}
void Client::ask_ceilings(bool gpu) { ask(AskCeilings{gpu}); }

void Client::take_hello(const Hello& hello) {
  hello_ = hello;
  why_.clear();
  worked_ = Clock::now();
  state_ = hello.protocol == kProtocol ? State::ready : State::other_version;
  if (state_ == State::ready)
    for (const std::string& line : kept_) child_->write(line);
  kept_.clear();
}

void Client::take(const Answer& answer, std::vector<Answer>& answers) {
  if (const auto* hello = std::get_if<Hello>(&answer)) return take_hello(*hello);
  if (!hello_) return;  // what comes before the hello is not said to us
  if (state_ == State::silent) state_ = State::ready;
  if (const auto* pong = std::get_if<Pong>(&answer)) {
    pongs_ = pong->id;
  } else if (const auto* wrong = std::get_if<NotUnderstood>(&answer)) {
    why_ = "did not understand: " + wrong->why;
  } else {
    refuse_unasked(answer);
    worked_ = Clock::now();
    if (const auto* samples = std::get_if<Samples>(&answer)) note_disobedience(samples->id);
    if (std::holds_alternative<Done>(answer) || std::holds_alternative<Refused>(answer))
      unfinished_.erase(*job_of(answer)), cancelled_.erase(*job_of(answer));
    answers.push_back(answer);
  }
}

// What is about a job that is not there, or starts another run than the one that was asked for, is no answer.
void Client::refuse_unasked(const Answer& answer) const {
  const std::optional<std::int64_t> id = job_of(answer);
  if (!id) return;
  const auto job = unfinished_.find(*id);
  if (job == unfinished_.end())
    throw BadInput("answer: id: " + std::to_string(*id) + ", must be of a measurement that it owes");
  const auto* started = std::get_if<Started>(&answer);
  if (started == nullptr) return;
  const std::string asked = whole_name(job->second.run);
  if (whole_name(started->run) != asked)
    throw BadInput("answer: run: " + in_quotes(started->run) + ", must be " + asked);
}

// One line of samples may have been under way, and a link that was stalled hands over many at once. But who still makes
// them has not heard the cancel, and never will.
void Client::note_disobedience(std::int64_t id) {
  constexpr double kStillMaking = 1;  // s
  const auto cancelled = cancelled_.find(id);
  if (cancelled == cancelled_.end() || since(cancelled->second) < patience_.obey) return;
  if (!disobeyed_) disobeyed_ = Clock::now();
  if (since(*disobeyed_) > kStillMaking)
    give_up("is one gone wrong: it goes on with what was cancelled " +
            std::to_string(static_cast<int>(since(cancelled->second))) + " s ago");
}

void Client::give_up(const std::string& why) {
  child_.reset();
  state_ = State::gone;
  why_ = why;
}

// A server may greet before the worker is started, in text; after its hello every line is the worker's own.
void Client::take_line(const std::string& line, std::vector<Answer>& answers) {
  try {
    return take(parse_answer(line), answers);
  } catch (const WrongHello& wrong) {
    return give_up("is none, or one gone wrong: " + std::string(wrong.what()));
  } catch (const BadInput& wrong) {
    why_ =
        hello_ ? "has said what is none of its language: " + std::string(wrong.what()) : "has said " + in_quotes(line);
  }
  if (++nonsense_ == kMostNonsense) give_up("is none, or one gone wrong; last: " + why_);
}

// How it has ended, with its last words, to stderr and to stdout.
void Client::look_at_end() {
  if (!child_->ended()) return;
  if (state_ == State::other_version) return child_.reset();
  const std::string half = child_->begun_line();
  give_up(child_->how_it_ended() + (!half.empty()   ? ", in the middle of a line: " + in_quotes(half)
                                    : !why_.empty() ? "; it " + why_
                                                    : ""));
}

// What no greeting is like is no worker's either, complete or not.
void Client::look_at_first_line() {
  const std::string& begun = child_->begun_line();
  if (!is_text(begun)) return give_up("is none: it writes what is no text, " + in_quotes(begun));
  if (begun.size() > kMostGreeting)
    give_up("is none: its first line has more than " + std::to_string(kMostGreeting) + " bytes, " + in_quotes(begun));
}

void Client::look_at_clock() {
  if (state_ == State::starting && waited() > patience_.hello)
    return give_up("has not said hello for " + std::to_string(static_cast<int>(waited())) +
                   " s after it was started; " + (trouble().empty() ? "it has said nothing" : trouble()));
  if (state_ != State::ready && state_ != State::silent) return;
  // Another answer shows that it lives: a pong may have to wait behind a long line. But not behind line after line.
  constexpr int kManyLines = 100, kManyTimes = 4;
  if (pings_ > pongs_ && waited() > patience_.pong) state_ = State::silent;
  if (pings_ > pongs_ && lines_since_ping_ > kManyLines && since(pinged_) > kManyTimes * patience_.pong)
    return give_up("is one gone wrong: it talks on, and has not answered for " +
                   std::to_string(static_cast<int>(since(pinged_))) + " s");
  if (pings_ > pongs_ || since(pinged_) < patience_.ping_every) return;
  heard_ = pinged_ = Clock::now();  // from here on an answer is owed
  lines_since_ping_ = 0;
  ask(Ping{++pings_});
}

std::vector<Answer> Client::poll() {
  std::vector<Answer> answers;
  if (!child_) return answers;
  for (const std::string& line : child_->read_lines()) {
    if (hello_) heard_ = Clock::now(), ++lines_since_ping_;
    if (state_ == State::other_version) break;
    if (!hello_ && !is_text(line)) give_up("is none: it writes what is no text, " + in_quotes(line));
    if (child_) take_line(line, answers);
    if (!child_) return answers;
  }
  look_at_end();
  if (child_ && state_ == State::starting) look_at_first_line();
  if (child_) look_at_clock();
  return answers;
}

std::string Client::trouble() const {
  if (state_ == State::starting && child_ && !child_->begun_line().empty())
    return "has begun a line and not ended it: " + in_quotes(child_->begun_line());
  if (state_ == State::starting && child_ && why_.empty() && !child_->last_error().empty())
    return "has said " + in_quotes(child_->last_error());
  return state_ == State::starting ? why_ : says();
}

std::string Client::note() const {
  if (!hello_ || state_ == State::other_version || hello_->revision == revision()) return "";
  const std::string there =
      hello_->revision.empty() ? "of no revision that it names" : "of revision " + in_quotes(hello_->revision);
  return "is " + there + ", this program of \"" + revision() + "\"";
}

double Client::idle_seconds() const { return unfinished_.empty() ? 0 : since(worked_); }

std::string Client::says() const {
  switch (state_) {
    case State::starting:
      return "is being started" + (trouble().empty() ? "" : "; it " + trouble());
    case State::ready:
      if (!is_idle()) return why_;
      return (why_.empty() ? "" : why_ + "; it ") + "has measured nothing for " +
             std::to_string(static_cast<int>(idle_seconds())) + " s, though it answers";
    case State::silent:
      return "has not answered for " + std::to_string(static_cast<int>(waited())) + " s";
    case State::other_version:
      return "is of another version: it speaks protocol " + std::to_string(hello_->protocol) + ", this program " +
             std::to_string(kProtocol);
    case State::gone:
      return why_;
  }
  return why_;
}

std::vector<Job> Client::unfinished() const {
  std::vector<Job> jobs;
  for (const auto& [id, job] : unfinished_) jobs.push_back(job);
  return jobs;
}

}  // namespace convlens::worker
