// What the Performance panel measures: the live line and its ghosts, jobs with an end, and workers that fail.
#include "viewer/logic/study.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/viewer/states.h"
#include "viewer/logic/comparisons.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;
using worker::Job;

const std::vector<std::string> kWorker{std::string(CONVLENS_BINARY_DIR) + "/convlens", "worker"};

State small() {
  State state = testing::state_of({.n = 1, .ci = 8, .hi = 16, .wi = 16, .co = 8, .hf = 3, .wf = 3}, {});
  state.performance.run = "direct.cpu";
  return state;
}

bool comes_true(Study& study, const std::function<bool()>& question) {
  for (int k = 0; k < 60'000 && !question(); ++k) {
    study.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return question();
}

std::size_t samples(const Curve* curve) { return curve == nullptr ? 0 : curve->line.ms.size(); }

}  // namespace

TEST_CASE("the live line moves, and leaves a ghost when an option is flipped") {
  Study study(kWorker);
  const State state = small();
  const Job first = job_of(state, "direct.cpu"), second = job_of(state, "direct.cpu:simd=off");
  study.show(first);
  REQUIRE(comes_true(study, [&] { return samples(study.live()) > 5; }));
  study.show(first);
  CHECK(study.ghosts().empty());
  study.show(second);
  REQUIRE(comes_true(study, [&] { return samples(study.live()) > 5; }));
  CHECK(study.live()->line.run == "direct.cpu:simd=off");
  REQUIRE(study.ghosts().size() == 1);
  CHECK(study.ghosts().front()->line.run == "direct.cpu");
  CHECK(samples(study.ghosts().front().get()) > 5);
  CHECK(study.live()->seconds.front() >= study.ghosts().front()->seconds.front());
  CHECK(study.live()->median.size() == samples(study.live()));
  CHECK(study.find(first) == study.ghosts().front().get());
}

TEST_CASE("a run that is live again is no ghost, and its live line is what is known of it") {
  Study study(kWorker);
  const State state = small();
  const Job first = job_of(state, "direct.cpu"), second = job_of(state, "direct.cpu:simd=off");
  for (const Job& job : {first, second, first, second, first}) {
    study.show(job);
    REQUIRE(comes_true(study, [&] { return samples(study.live()) > 2; }));
    CHECK(study.find(job) == study.live());
    for (const auto& ghost : study.ghosts()) CHECK(ghost->job.run != job.run);
    CHECK(study.ghosts().size() <= 1);
  }
  CHECK(study.find(second) == study.ghosts().front().get());
}

TEST_CASE("a run that is live again goes on with its line, and does not move before it has new samples") {
  Study study(kWorker);
  const State state = small();
  const Job first = job_of(state, "direct.cpu"), second = job_of(state, "direct.cpu:simd=off");
  study.show(first);
  REQUIRE(comes_true(study, [&] { return samples(study.live()) > 5; }));
  CHECK(study.moves());
  const std::vector<double> seconds = study.live()->seconds;
  study.show(second);
  CHECK_FALSE(study.moves());
  REQUIRE(comes_true(study, [&] { return study.moves(); }));
  study.show(first);
  CHECK_FALSE(study.moves());
  CHECK(samples(study.live()) >= seconds.size());
  const std::size_t before = samples(study.live());
  REQUIRE(comes_true(study, [&] { return samples(study.live()) > before + 5; }));
  CHECK(study.moves());
  CHECK(std::equal(seconds.begin(), seconds.end(), study.live()->seconds.begin()));
  CHECK(study.ghosts().size() == 1);
  study.rest();
  CHECK_FALSE(study.moves());
  study.show(first);
  CHECK(samples(study.live()) > before + 5);
}

TEST_CASE("many lines that were left stay as ghosts, each with the median of all its samples, and more are counted") {
  Study study(kWorker);
  State state = small();
  const auto job = [&](std::size_t k) {
    state.spec.hi = static_cast<std::int64_t>(8 + k);
    return job_of(state, "direct.cpu");
  };
  for (std::size_t k = 0; k < Study::kMostGhosts + 3; ++k) {
    study.show(job(k));
    REQUIRE(comes_true(study, [&] { return study.moves(); }));
  }
  CHECK(study.ghosts().size() == Study::kMostGhosts);
  CHECK(study.ghosts_gone() == 2);
  for (const auto& ghost : study.ghosts()) {
    CHECK(ghost->settled());
    CHECK(ghost->median_ms() == ghost->line.median_ms(0));
  }
  // One of those that are drawn no more is continued, and so no longer gone; the line that it takes the place of
  // drives another out.
  const std::size_t before = samples(study.find(job(0)));
  CHECK(before > 0);
  study.show(job(0));
  CHECK(samples(study.live()) >= before);
  CHECK(study.ghosts_gone() == 2);
}

TEST_CASE("the rate of a line that moves is of its last samples, of one that was left of all, and it says which") {
  Curve curve;
  curve.line.flops = 1'000'000'000;
  CHECK(std::isnan(curve.rate()));
  curve.add(std::vector<double>(900, 50), 0, 10);
  curve.add(std::vector<double>(100, 125), 10, 11);
  CHECK(curve.rate() == Approx(0.008));
  CHECK(curve.samples_text() == "median of the last 64 of 1000 samples");
  curve.settle();
  CHECK(curve.rate() == Approx(0.02));
  CHECK(curve.spread() == 0);
  CHECK(curve.samples_text() == "median of 1000 samples");
  curve.add({125}, 11, 12);
  CHECK(curve.rate() == Approx(0.008));
  const std::vector<double> many(Curve::kMostSamples, 10);
  curve.add(many, 12, 13);
  curve.settle();
  CHECK(curve.samples_text() == "median of the last " + std::to_string(curve.line.ms.size()) + " samples");
  Curve one;
  one.add({2}, 0, 1);
  CHECK(one.samples_text() == "median of 1 sample");
}

TEST_CASE("the highest median is that of the line, not of single samples, and only of the time that is asked for") {
  Curve curve;
  curve.line.flops = 1'000'000'000;
  CHECK(curve.highest_median(0) == 0);
  curve.add(std::vector<double>(200, 50), 0, 10);    // 20 GFLOPS
  curve.add(std::vector<double>(200, 125), 10, 20);  // 8 GFLOPS
  curve.add({1}, 20, 21);                            // a sample that sticks out
  CHECK(curve.line.tflops() == Approx(0.008));
  CHECK(curve.highest_median(0) == Approx(0.02));
  CHECK(curve.highest_median(15) == Approx(0.008));
  CHECK(curve.highest_median(22) == 0);
}

TEST_CASE("jobs are measured in passes while the live run rests, and it goes on after them") {
  Study study(kWorker);
  const State state = small();
  const Comparisons compared = *comparisons(state);
  study.show(compared.job);
  REQUIRE(comes_true(study, [&] { return samples(study.live()) > 0; }));
  study.measure(compared.wanted("live"));
  study.measure(compared.wanted("live"));  // no second time
  CHECK(study.progress().all == compared.wanted("live").size() * Study::kPasses);
  REQUIRE(comes_true(study, [&] { return study.progress().all == 0; }));
  for (const Change& change : compared.changes) {
    INFO(change.job.run);
    if (change.option == nullptr) continue;  // the live line is what is known of it
    CHECK(samples(study.find(change.job)) >= Study::kPasses * Study::kPassRepeats);
  }
  const std::size_t before = samples(study.live());
  CHECK(comes_true(study, [&] { return samples(study.live()) > before; }));
  study.measure(compared.wanted("live"));
  CHECK(study.progress().all == 0);  // all of it is known
}

TEST_CASE("a pause stops all that is measured, and then it goes on where it stopped") {
  Study study(kWorker);
  const Comparisons compared = *comparisons(small());
  const auto jobs = compared.wanted("live");
  study.show(compared.job);
  study.measure(jobs);
  REQUIRE(comes_true(study, [&] { return study.progress().done > 1; }));
  const std::size_t all = study.progress().all;
  study.pause();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // what the worker does in the meantime is too much
  study.poll();
  std::size_t before = 0;
  for (const worker::Job& job : jobs) before += samples(study.find(job));
  CHECK(before > 0);
  CHECK(study.progress().all >= all);
  REQUIRE(comes_true(study, [&] { return study.progress().all == 0; }));
  for (const worker::Job& job : jobs) CHECK(samples(study.find(job)) > 0);
}

TEST_CASE("what is held stays as it is, whatever the worker still says") {
  Study study(kWorker);
  study.show(job_of(small(), "direct.cpu"));
  REQUIRE(comes_true(study, [&] { return samples(study.live()) > 5; }));
  study.hold();
  const std::size_t before = samples(study.live());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  for (int k = 0; k < 10; ++k) study.poll();
  CHECK(samples(study.live()) == before);
  CHECK(study.find(job_of(small(), "direct.cpu")) == study.live());
}

TEST_CASE("a trace is asked for once, and refused in words where there is no GPU") {
  Study study(kWorker);
  Job job = job_of(small(), "direct.cc");
  job.traced = true;
  study.measure({job});
  CHECK(study.progress().all == 1);
  REQUIRE(comes_true(study, [&] { return study.progress().all == 0; }));
  const Curve* const curve = study.find(job);
  REQUIRE(curve != nullptr);
  CHECK(curve->record.empty() != curve->refused.empty());
  study.measure({job});
  CHECK(study.progress().all == 0);  // all of it is known
}

TEST_CASE("what is cancelled keeps what it has") {
  Study study(kWorker);
  const Comparisons compared = *comparisons(small());
  const auto jobs = compared.wanted("live");
  study.measure(jobs);
  REQUIRE(comes_true(study, [&] { return samples(study.find(jobs[0])) > 0 && study.progress().done > 0; }));
  study.cancel();
  REQUIRE(comes_true(study, [&] { return study.progress().all == 0; }));
  CHECK(samples(study.find(jobs[0])) > 0);
  study.measure(jobs);
  CHECK(study.progress().all > 0);
}

TEST_CASE("a worker that dies loses nothing: another does what it owed") {
  const TemporaryFolder folder;
  // Dies after its first samples, once; the next is a real one.
  const std::string script =
      "if [ -e " + folder.path() + "/died ]; then exec " + kWorker[0] + " worker; fi; touch " + folder.path() +
      R"(/died; echo '{"is":"hello","protocol":2,"revision":"","host":"h","cpu":"c","gpu":""}'; read line;
echo '{"is":"started","id":1,"run":"direct.cpu","unit":"cpu","flops":1000,"executed_flops":1000,"tensor_bytes":1,"workspace_bytes":1}'
echo '{"is":"samples","id":1,"ms":[4.5]}'; echo broken >&2; exit 3)";
  Study study(worker::shell_words(script));
  const Comparisons compared = *comparisons(small());
  study.measure({compared.changes[0].job, compared.changes[1].job});
  REQUIRE(comes_true(study, [&] { return study.client()->state() == worker::Client::State::gone; }));
  CHECK(study.client()->says().find("broken") != std::string::npos);
  CHECK_FALSE(study.busy());
  CHECK(study.stalled());
  CHECK(study.find(compared.changes[0].job)->line.ms == std::vector<double>{4.5});
  study.restart();
  CHECK_FALSE(study.stalled());
  REQUIRE(comes_true(study, [&] { return study.progress().all == 0; }));
  CHECK(study.find(compared.changes[0].job)->line.ms.front() == 4.5);
  CHECK(samples(study.find(compared.changes[1].job)) > 0);
}

TEST_CASE("a run that is refused is said to be so, and the line of the next one moves") {
  Study study(kWorker);
  State state = small();
  study.show(job_of(state, "direct.cpu:nonsense=on"));
  REQUIRE(comes_true(study, [&] { return !study.live()->refused.empty(); }));
  study.poll();
  study.show(job_of(state, "direct.cpu"));
  CHECK(comes_true(study, [&] { return samples(study.live()) > 0; }));
  CHECK(study.ghosts().empty());
}

TEST_CASE("without a worker nothing is measured, and nothing breaks") {
  Study study;
  const State state = small();
  study.show(job_of(state, "direct.cpu"));
  study.measure({job_of(state, "direct.cpu")});
  study.ceilings(false);
  study.poll();
  CHECK_FALSE(study.busy());
  CHECK(study.live() == nullptr);
  CHECK(study.progress().all == 0);
}

TEST_CASE("a curve forgets the older half of more samples than it may keep") {
  Curve curve;
  curve.line.flops = 1'000'000;
  const std::vector<double> some(1000, 0.5);
  for (int k = 0; k < 50; ++k) curve.add(some, k, k + 1);
  CHECK(curve.line.ms.size() <= Curve::kMostSamples);
  CHECK(curve.seconds.size() == curve.line.ms.size());
  CHECK(curve.tflops.size() == curve.line.ms.size());
  CHECK(curve.median.size() == curve.line.ms.size());
  CHECK(curve.seconds.back() == 50);
}
