#include "cli/worker/server.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "algorithms/measure/device.h"
#include "algorithms/measure/machine.h"
#include "algorithms/worker/protocol.h"
#include "cli/output.h"
#include "cli/worker/bench.h"

namespace convlens::cli {

namespace {

using namespace worker;

constexpr int kLook = 100;              // ms between looks at whether the program is to end
constexpr double kRoundSeconds = 0.05;  // between two lines of samples
constexpr std::chrono::seconds kGrace{2};

// A socket on stdin means that a program speaks with this one, which lives no longer than it, even while it is stopped.
// Whoever has put it into the background by a shell has a file or a pipe there.
void end_with_asker() {
  struct stat input {};
  if (fstat(STDIN_FILENO, &input) == 0 && S_ISSOCK(input.st_mode)) prctl(PR_SET_PDEATHSIG, SIGKILL);
}

class Server {
 public:
  explicit Server(const Globals& globals) : threads_(globals.threads), bench_(globals) {}

  void serve() {
    const std::vector<Device*> gpus = devices();
    answer(Hello{kProtocol, revision(), machine().host, machine().cpu, gpus.empty() ? "" : gpus.front()->facts().name});
    std::thread reader([this] { read(); });
    try {
      while (const auto question = next()) {
        if (const auto* job = std::get_if<Job>(&*question)) work(*job);
        if (const auto* ask = std::get_if<AskCeilings>(&*question)) measure_ceilings(ask->gpu);
      }
    } catch (...) {
      stop_ = true;
      reader.join();
      throw;
    }
    stop_ = true;
    reader.join();
  }

 private:
  void answer(const Answer& answer) {
    const std::scoped_lock lock(output_);
    print(to_line(answer) + "\n");
  }

  // What is asked next; nothing when the program is to end.
  std::optional<Question> next() {
    std::unique_lock lock(mutex_);
    while (queue_.empty() && !ended_ && !interrupted()) more_.wait_for(lock, std::chrono::milliseconds(kLook));
    if (queue_.empty() || interrupted()) return std::nullopt;
    Question question = std::move(queue_.front());
    queue_.pop_front();
    if (const auto* job = std::get_if<Job>(&question)) working_on_ = job->id;
    return question;
  }

  bool cancelled(const Job& job) {
    if (interrupted()) return true;
    const std::scoped_lock lock(mutex_);
    return cancelled_.contains(job.id) || (job.endless && ended_);
  }

  void work(const Job& job) {
    try {
      measure(job);
    } catch (const Error& error) {
      answer(Refused{job.id, error.what(), error.exit()});
    } catch (const std::bad_alloc&) {
      answer(Refused{job.id, "memory: the system has no more"});
    }
    const std::scoped_lock lock(mutex_);
    cancelled_.erase(job.id);
    working_on_.reset();
  }

  void measure(const Job& job) {
    const auto stop = [&] { return cancelled(job); };
    if (stop()) return answer(Done{job.id, true, ""});
    if (job.traced) return answer(Done{job.id, false, bench_.trace(job)});
    answer(bench_.start(job));
    const auto begin = std::chrono::steady_clock::now();
    const auto enough = [&] {
      return !job.endless && bench_.timing().samples_ms.size() >= static_cast<std::size_t>(job.repeats) &&
             std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >= job.seconds;
    };
    // The first round is one sample, so that its line begins at once.
    for (double seconds = 0; !stop() && !enough(); seconds = kRoundSeconds)
      if (const std::vector<double> ms = bench_.round(seconds, stop); !ms.empty()) answer(Samples{job.id, ms});
    answer(Done{job.id, stop(), bench_.record()});
  }

  void measure_ceilings(bool gpu) {
    try {
      answer(measured_ceilings(gpu, threads_));
    } catch (const Error& error) {
      answer(NotUnderstood{error.what()});
    }
  }

  // The reading thread: lines as they come, until stdin ends.
  void read() {
    std::string text;
    std::array<char, 4096> some{};
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (!stop_) {
      if (poll(&input, 1, kLook) <= 0) continue;
      const ssize_t count = ::read(STDIN_FILENO, some.data(), some.size());
      if (count <= 0) break;
      text.append(some.data(), static_cast<std::size_t>(count));
      for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
        if (end > 0) take(text.substr(0, end));
    }
    if (!text.empty()) take(text);
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
      more_.notify_one();
    }
    watch_output();
  }

  // When nobody reads the answers any more, the thread that measures is told when it writes; one that hangs never is.
  void watch_output() {
    pollfd output{STDOUT_FILENO, 0, 0};
    while (!stop_ && poll(&output, 1, kLook) <= 0) continue;
    const auto end = std::chrono::steady_clock::now() + kGrace;
    while (!stop_ && std::chrono::steady_clock::now() < end) usleep(1000 * kLook);
    if (!stop_) _exit(static_cast<int>(Exit::ok));
  }

  void take(const std::string& line) {
    try {
      const Question question = parse_question(line);
      if (const auto* ping = std::get_if<Ping>(&question)) return answer_if_heard(Pong{ping->id});
      const std::scoped_lock lock(mutex_);
      if (const auto* cancel = std::get_if<Cancel>(&question))
        note_cancelled(cancel->id);
      else
        queue_.push_back(question);
      more_.notify_one();
    } catch (const BadInput& error) {
      answer_if_heard(NotUnderstood{error.what()});
    }
  }

  // Where nobody reads, reading ends; the thread that measures is told the same when it writes.
  void answer_if_heard(const Answer& said) {
    try {
      answer(said);
    } catch (const Finished&) {
      stop_ = true;
    } catch (const Error&) {
      stop_ = true;
    }
  }

  void note_cancelled(std::int64_t id) {
    const auto is_job = [id](const Question& question) {
      const auto* job = std::get_if<Job>(&question);
      return job != nullptr && job->id == id;
    };
    if (id == working_on_ || std::ranges::any_of(queue_, is_job)) cancelled_.insert(id);
  }

  const int threads_;
  WorkerBench bench_;
  std::mutex output_, mutex_;
  std::condition_variable more_;
  std::deque<Question> queue_;
  std::set<std::int64_t> cancelled_;  // jobs, queued or
  std::optional<std::int64_t> working_on_;
  bool ended_ = false;  // stdin
  std::atomic<bool> stop_{false};
};

}  // namespace

void serve(const Globals& globals) {
  end_with_asker();
  Server(globals).serve();
}

}  // namespace convlens::cli
