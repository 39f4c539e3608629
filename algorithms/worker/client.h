// The side that asks: a worker as a child process, and what state it is in.
//
// Nothing here waits: `poll` takes what has come since it was last called. A worker that ends, does not answer or
// speaks another version is said to be so, and so is one that talks on whatever it is asked; what it had been asked and
// has not finished is `unfinished`, to be asked of the next.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/worker/child.h"
#include "algorithms/worker/protocol.h"

namespace convlens::worker {

// Seconds.
struct Patience {
  double hello = 20;      // for the first line: a machine far away, whose program has to be started
  double pong = 5;        // for the answer to a ping, before the worker is called silent
  double ping_every = 2;  // while it is asked for something
  double obey = 5;        // for what was cancelled to come to its end
  double measure = 15;    // for anything of what it is asked, while it answers pings, before that is said
};

// Seconds after which a worker is given up that has measured nothing, where nobody is there to decide that. A cold
// compile, or one call of a slow row on a large layer, takes long too.
inline constexpr double kMostPreparation = 600;

class Client {
 public:
  enum class State : std::uint8_t {
    starting,       // its first line has not come yet
    ready,          // it answers
    silent,         // it owes an answer, and is still waited for
    other_version,  // it speaks another protocol, and is asked nothing
    gone,
  };

  // Starts the program: its first word, with the others as arguments. Where that fails the state is `gone`.
  explicit Client(const std::vector<std::string>& words, const Patience& patience = {});

  // What it has answered since the last call: Started, Samples, Done, Refused and Ceilings.
  std::vector<Answer> poll();

  // Asked once the worker is ready; until then it is kept.
  void measure(const Job& job);
  void cancel(std::int64_t id);
  void ask_ceilings(bool gpu);

  // This program was stopped: what it has not heard meanwhile is held against nobody.
  void forgive_silence();

  State state() const { return state_; }
  std::string says() const;     // the state, for people: "has not answered for 7 s"
  double idle_seconds() const;  // since it began, went on with or ended anything that it is asked; 0 where that is none
  bool is_idle() const { return state_ == State::ready && idle_seconds() > patience_.measure; }
  std::string trouble() const;  // the same where something is not as it should be, or ""
  // What is no trouble and yet to be known with what it measures: of which other revision it is; else "".
  std::string note() const;
  const std::optional<Hello>& hello() const { return hello_; }

  // Jobs that are asked for and neither done nor refused, in the order of their numbers.
  std::vector<Job> unfinished() const;

 private:
  using Clock = std::chrono::steady_clock;

  void ask(const Question& question);
  void take(const Answer& answer, std::vector<Answer>& answers);
  void take_hello(const Hello& hello);
  void take_line(const std::string& line, std::vector<Answer>& answers);
  void refuse_unasked(const Answer& answer) const;
  void note_disobedience(std::int64_t id);
  void give_up(const std::string& why);
  void look_at_end();
  void look_at_first_line();
  void look_at_clock();
  static double since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }
  double waited() const { return since(heard_); }

  std::optional<Child> child_;
  Patience patience_;
  State state_ = State::starting;
  std::optional<Hello> hello_;
  std::string why_;                // of the state, where there is more to say
  std::vector<std::string> kept_;  // lines for a worker that has not said hello
  std::map<std::int64_t, Job> unfinished_;
  Clock::time_point worked_ = Clock::now();  // when it was last known to
  Clock::time_point heard_ = Clock::now(), pinged_ = heard_;
  std::int64_t pings_ = 0, pongs_ = 0;
  int nonsense_ = 0;                                     // lines that were no answers
  int lines_since_ping_ = 0;                             // that were not its pong
  std::map<std::int64_t, Clock::time_point> cancelled_;  // of those that are unfinished, since when
  std::optional<Clock::time_point> disobeyed_;           // when samples first came that should have ended

  static constexpr int kMostNonsense = 100;  // then it is given up: whatever it is, it is no worker
};

}  // namespace convlens::worker
