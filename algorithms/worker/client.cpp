#include "algorithms/worker/client.h"

#include <cstdio>

#include "algorithms/error.h"

namespace convlens::worker {

Client::Client(const std::vector<std::string>& words, const Patience& patience) : patience_(patience) {
  try {
    child_.emplace(words);
  } catch (const Unsupported& error) {
    state_ = State::gone;
    why_ = error.what();
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
  unfinished_[job.id] = job;
  ask(job);
}
void Client::cancel(std::int64_t id) { ask(Cancel{id}); }
void Client::ask_ceilings(bool gpu) { ask(AskCeilings{gpu}); }

void Client::take_hello(const Hello& hello) {
  hello_ = hello;
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
    if (const auto* done = std::get_if<Done>(&answer)) unfinished_.erase(done->id);
    if (const auto* refused = std::get_if<Refused>(&answer)) unfinished_.erase(refused->id);
    answers.push_back(answer);
  }
}

void Client::look_at_clock() {
  if (state_ == State::starting && waited() > patience_.hello) {
    why_ = "said nothing for " + std::to_string(static_cast<int>(waited())) + " s after it was started" +
           (why_.empty() ? "" : "; last: " + why_);
    child_.reset();
    state_ = State::gone;
    return;
  }
  if (state_ != State::ready && state_ != State::silent) return;
  const Clock::time_point now = Clock::now();
  if (pings_ > pongs_ && waited() > patience_.pong) state_ = State::silent;
  if (pings_ > pongs_ || std::chrono::duration<double>(now - pinged_).count() < patience_.ping_every) return;
  if (pings_ == pongs_) heard_ = now;  // from here on an answer is owed
  pinged_ = now;
  ask(Ping{++pings_});
}

std::vector<Answer> Client::poll() {
  std::vector<Answer> answers;
  if (!child_) return answers;
  for (const std::string& line : child_->read_lines()) {
    if (hello_) heard_ = Clock::now();
    if (state_ == State::other_version) break;
    try {
      take(parse_answer(line), answers);
    } catch (const BadInput& error) {
      // A server may greet before the worker is started; after its hello, every line is the worker's own.
      why_ = hello_ ? error.what() : line.substr(0, line.find('\r'));
      if (++nonsense_ < kMostNonsense) continue;
      state_ = State::gone;
      why_ = "is none, or one gone wrong; last: " + why_;
      child_.reset();
      return answers;
    }
  }
  if (child_->ended()) {
    if (state_ != State::other_version) {
      state_ = State::gone;
      why_ = child_->how_it_ended();
    }
    child_.reset();
    return answers;
  }
  look_at_clock();
  return answers;
}

std::string Client::says() const {
  switch (state_) {
    case State::starting:
      return "is being started";
    case State::ready:
      return why_;
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
