#include "algorithms/worker/client.h"

#include <algorithm>
#include <string_view>

#include "algorithms/error.h"

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
std::string quoted(const std::string& line) {
  constexpr std::size_t kMost = 80;
  std::string text = line.substr(0, std::min(kMost, line.find_last_not_of('\r') + 1));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return "\"" + text + (line.size() > kMost ? " …" : "") + "\"";
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
  unfinished_[job.id] = job;
  ask(job);
}
void Client::cancel(std::int64_t id) { ask(Cancel{id}); }
void Client::ask_ceilings(bool gpu) { ask(AskCeilings{gpu}); }

void Client::take_hello(const Hello& hello) {
  hello_ = hello;
  why_.clear();
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
    why_ = hello_ ? "has said what is none of its language: " + std::string(wrong.what()) : "has said " + quoted(line);
  }
  if (++nonsense_ == kMostNonsense) give_up("is none, or one gone wrong; last: " + why_);
}

// What no greeting is like is no worker's either, complete or not.
void Client::look_at_first_line() {
  const std::string& begun = child_->begun_line();
  if (!is_text(begun)) return give_up("is none: it writes what is no text, " + quoted(begun));
  if (begun.size() > kMostGreeting)
    give_up("is none: its first line has more than " + std::to_string(kMostGreeting) + " bytes, " + quoted(begun));
}

void Client::look_at_clock() {
  if (state_ == State::starting && waited() > patience_.hello)
    return give_up("has not said hello for " + std::to_string(static_cast<int>(waited())) +
                   " s after it was started; " + (trouble().empty() ? "it has said nothing" : trouble()));
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
    if (!hello_ && !is_text(line)) give_up("is none: it writes what is no text, " + quoted(line));
    if (child_) take_line(line, answers);
    if (!child_) return answers;
  }
  if (child_->ended()) {
    if (state_ == State::other_version) return child_.reset(), answers;
    const std::string half = child_->begun_line();
    give_up(child_->how_it_ended() + (half.empty() ? "" : ", in the middle of a line: " + quoted(half)));
    return answers;
  }
  if (state_ == State::starting) look_at_first_line();
  if (child_) look_at_clock();
  return answers;
}

std::string Client::trouble() const {
  if (state_ == State::starting && child_ && !child_->begun_line().empty())
    return "has begun a line and not ended it: " + quoted(child_->begun_line());
  return state_ == State::starting || state_ == State::ready ? why_ : says();
}

std::string Client::says() const {
  switch (state_) {
    case State::starting:
      return "is being started" + (trouble().empty() ? "" : "; it " + trouble());
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
