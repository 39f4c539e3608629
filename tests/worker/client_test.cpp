// A worker as a child process: the real one through the whole remote path, and false ones that die, hang, talk nonsense
// or speak another version. None of them makes the side that asks wait, and nothing that came is lost.
#include "algorithms/worker/client.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "algorithms/problem/layers.h"
#include "tests/catch.h"
#include "tests/support/command.h"

namespace {

using namespace convlens;
using namespace convlens::worker;
using State = Client::State;

const std::vector<std::string> kWorker{std::string(CONVLENS_BINARY_DIR) + "/convlens", "worker"};
const std::string kHello = R"(echo '{"is":"hello","protocol":2,"revision":"r","host":"h","cpu":"c","gpu":""}'; )";

// Polls until `enough`; all answers. What never comes is ended by CTest, as a poll is that waits.
std::vector<Answer> poll_until(Client& client, const std::function<bool(const std::vector<Answer>&)>& enough) {
  std::vector<Answer> all;
  while (!enough(all)) {
    for (Answer& answer : client.poll()) all.push_back(std::move(answer));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return all;
}
void poll_until(Client& client, State state) {
  poll_until(client, [&](const auto&) { return client.state() == state; });
}

template <class Kind>
std::vector<Kind> of(const std::vector<Answer>& answers) {
  std::vector<Kind> kinds;
  for (const Answer& answer : answers)
    if (const auto* kind = std::get_if<Kind>(&answer)) kinds.push_back(*kind);
  return kinds;
}
template <class Kind>
std::function<bool(const std::vector<Answer>&)> has(std::size_t count = 1) {
  return [count](const std::vector<Answer>& answers) { return of<Kind>(answers).size() >= count; };
}

Job small_job(std::int64_t id, const std::string& run = "direct.cpu") {
  return {.id = id, .layer = "", .spec = {.ci = 4, .hi = 12, .wi = 12, .co = 4, .hf = 3, .wf = 3}, .run = run};
}
Client fake(const std::string& script, const Patience& patience = {}) {
  return Client(worker::shell_words(script), patience);
}

}  // namespace

TEST_CASE("a worker measures what it is asked and hands over its record") {
  Client client(kWorker);
  client.measure(small_job(5, "im2win.cpu:simd=off"));
  const auto answers = poll_until(client, has<Done>());
  CHECK(client.state() == State::ready);
  CHECK_FALSE(client.hello()->cpu.empty());
  REQUIRE(of<Started>(answers).size() == 1);
  const Started started = of<Started>(answers).front();
  CHECK((started.id == 5 && started.run == "im2win.cpu:simd=off" && started.unit == "cpu"));
  CHECK(started.flops == ConvProblem(small_job(5).spec).flops());
  std::vector<double> samples;
  for (const Samples& some : of<Samples>(answers)) samples.insert(samples.end(), some.ms.begin(), some.ms.end());
  CHECK(samples.size() >= 10);
  const auto record = nlohmann::json::parse(of<Done>(answers).front().record);
  CHECK(record.at("run") == "im2win.cpu:simd=off");
  CHECK(record.at("samples_ms").get<std::vector<double>>() == samples);
  CHECK(client.unfinished().empty());
}

TEST_CASE("an endless job goes on until it is cancelled, and pings are answered meanwhile") {
  Client client(kWorker, {.ping_every = 0.05});
  Job job = small_job(1);
  job.endless = true;
  client.measure(job);
  poll_until(client, has<Samples>(5));
  CHECK(client.state() == State::ready);
  client.cancel(1);
  const auto answers = poll_until(client, has<Done>());
  CHECK(of<Done>(answers).front().cancelled);
  CHECK_FALSE(of<Done>(answers).front().record.empty());
}

TEST_CASE("what cannot be measured is refused in words, and the next job is done") {
  Client client(kWorker);
  client.measure(small_job(1, "nonsense"));
  client.measure(small_job(2, "winograd.cpu:m=99"));
  Job half = small_job(3);
  half.dtype = DType::f16;
  client.measure(half);
  Job illegal = small_job(4);
  illegal.spec.stride_h = 0;
  client.measure(illegal);
  client.measure(small_job(5));
  const auto answers = poll_until(client, has<Done>());
  REQUIRE(of<Refused>(answers).size() == 4);
  CHECK(of<Refused>(answers)[0].why.find("nonsense") != std::string::npos);
  CHECK(of<Refused>(answers)[2].why.find("f16") != std::string::npos);
  CHECK(of<Refused>(answers)[3].why.find("stride_h: 0") != std::string::npos);
  CHECK(of<Done>(answers).front().id == 5);
}

TEST_CASE("flipping an option has a sample of the new run next", "[flip]") {
  Client client(kWorker);
  Job job{.id = 1, .layer = "cv9", .spec = find_layer("cv9").spec, .run = "im2win.cpu", .endless = true};
  job.layouts = {Layout::NHWC, FilterLayout::OHWI, Layout::NHWC};
  client.measure(job);
  poll_until(client, has<Samples>(3));
  client.cancel(1);
  job.id = 2, job.run = "im2win.cpu:register_tile=off";
  client.measure(job);
  poll_until(client, [&](const auto& answers) {
    const auto samples = of<Samples>(answers);
    return std::ranges::any_of(samples, [](const Samples& s) { return s.id == 2; });
  });
}

TEST_CASE("a worker that dies is said to be dead, with its last words and what it owes") {
  Client client =
      fake(kHello + "read line; echo '{\"is\":\"samples\",\"id\":1,\"ms\":[2.5]}'; echo out of luck >&2; exit 7");
  client.measure(small_job(1));
  client.measure(small_job(2));
  const auto answers = poll_until(client, [&](const auto&) { return client.state() == State::gone; });
  REQUIRE(of<Samples>(answers).size() == 1);  // what it said before is not lost
  CHECK(of<Samples>(answers).front().ms == std::vector<double>{2.5});
  CHECK(client.says().find("exit code 7: out of luck") != std::string::npos);
  CHECK(client.unfinished().size() == 2);
  client.measure(small_job(3));  // harmless, and kept for the next worker
  CHECK(client.unfinished().size() == 3);

  Client next(kWorker);
  for (const Job& job : client.unfinished()) next.measure(job);
  CHECK(of<Done>(poll_until(next, has<Done>(3))).size() == 3);
}

TEST_CASE("a worker that is killed is said to be so") {
  Client client = fake(kHello + "kill -9 $$");
  poll_until(client, State::gone);
  CHECK(client.says().find("signal 9") != std::string::npos);
}

TEST_CASE("a worker that hangs is said to be silent, and is ready again when it answers") {
  Client client = fake(kHello + R"(read line; sleep 0.6; while read line; do echo '{"is":"pong","id":99}'; done)",
                       {.pong = 0.2, .ping_every = 0.05});
  poll_until(client, State::ready);
  poll_until(client, State::silent);
  CHECK(client.says().find("has not answered") != std::string::npos);
  client.measure(small_job(1));
  poll_until(client, State::ready);
}

TEST_CASE("a worker that answers and measures nothing is said to do so, and is well again once it begins") {
  // It answers ten pings, or more, before it begins.
  const std::string pongs =
      R"(pongs() { for k in 1 2 3 4 5 6 7 8 9 10; do read line; echo '{"is":"pong","id":99}'; done; };)";
  const std::string samples =
      R"(echo '{"is":"samples","id":1,"ms":[2.5]}'; while read line; do echo '{"is":"pong","id":99}'; done)";
  Client client = fake(kHello + pongs + "pongs; " + samples, {.ping_every = 0.1, .measure = 0.3});
  poll_until(client, State::ready);
  CHECK(client.idle_seconds() == 0);
  client.measure(small_job(1));
  poll_until(client, [&](const auto&) { return client.is_idle(); });
  CHECK(client.state() == State::ready);
  CHECK(client.says().find("has measured nothing for 0 s, though it answers") != std::string::npos);
  CHECK(client.trouble() == client.says());
  CHECK(client.unfinished().size() == 1);
  poll_until(client, has<Samples>());
  CHECK_FALSE(client.is_idle());
  CHECK(client.trouble() == "");
}

TEST_CASE("a measurement that takes long is no idle worker while it begins and goes on") {
  const std::string begins =
      R"(read line; sleep 0.3; echo '{"is":"started","id":1,"run":"direct.cpu:cache_block=on","unit":"cpu","flops":1,"executed_flops":1,"tensor_bytes":1,"workspace":1}';)";
  const std::string goes_on =
      R"(for k in 1 2 3; do sleep 0.3; echo '{"is":"samples","id":1,"ms":[300]}'; done; read line)";
  Client client = fake(kHello + begins + goes_on, {.ping_every = 60, .measure = 0.9});
  client.measure(small_job(1));
  bool idle = false;
  poll_until(client, [&](const auto& answers) {
    idle = idle || client.is_idle();
    return of<Samples>(answers).size() == 3;
  });
  CHECK_FALSE(idle);
}

TEST_CASE("a program that never says hello is given up") {
  Client client = fake("echo Welcome to the server; sleep 30", {.hello = 0.3});
  poll_until(client, State::gone);
  CHECK(client.says().find("has not said hello") != std::string::npos);
  CHECK(client.says().find("Welcome to the server") != std::string::npos);
}

TEST_CASE("a worker of another version is shown as such and asked nothing") {
  const std::string other = R"(echo '{"is":"hello","protocol":3}'; read line && echo asked >&2; sleep 1)";
  Client client = fake(other);
  client.measure(small_job(1));
  poll_until(client, State::other_version);
  CHECK(client.says().find("protocol 3") != std::string::npos);
  CHECK(client.unfinished().size() == 1);
}

TEST_CASE("a greeting before the hello and nonsense after it are lived with") {
  Client client =
      fake("echo; echo 'Last login: never'; " + kHello +
           R"(read line; echo '}{'; echo '{"is":"what"}'; echo '{"is":"refused","id":1,"why":"tired"}'; sleep 5)");
  client.measure(small_job(1));
  const auto answers = poll_until(client, has<Refused>());
  CHECK(of<Refused>(answers).front().why == "tired");
  CHECK(client.state() == State::ready);
}

TEST_CASE("a program that floods its asker with nonsense is given up, before and after a hello") {
  for (const std::string& start : {std::string(), kHello}) {
    Client client = fake(start + "yes nonsense");
    poll_until(client, State::gone);
    CHECK(client.says().find("last: ") != std::string::npos);
  }
}

TEST_CASE("what is no worker is said to be so at once") {
  const std::pair<std::string, std::string> all[] = {
      {R"(echo '{"is":"hello","protocol":"two"}')", "protocol: \"two\", must be a whole number"},
      {R"(echo '{"is":"hello","protocol":2}')", "revision: none given, must be a text"},
      {R"(echo '{"is":"hello","protocol":2,"revision":7}')", "revision: 7, must be a text"},
      {R"(printf '\001\002\003\n')", "writes what is no text"},
      {R"(printf '\177ELF\001\001')", "writes what is no text"},
      {R"(head -c 100000 /dev/zero | tr '\0' x)", "its first line has more than 65536 bytes, \"xxx"}};
  for (const auto& [script, says] : all) {
    INFO(script);
    Client client = fake(script + "; sleep 30");
    poll_until(client, State::gone);
    CHECK_THAT(client.says(), Catch::Matchers::Contains(says));
    CHECK(client.says().find("json.exception") == std::string::npos);
  }
}

TEST_CASE("what a program has said before its hello, or half said, is told while it is waited for") {
  Client garbage = fake("echo garbage; sleep 30");
  poll_until(garbage, [&](const auto&) { return garbage.says() == "is being started; it has said \"garbage\""; });
  Client half = fake(R"(printf '{"is":"hel'; sleep 30)");
  poll_until(half, [&](const auto&) { return !half.trouble().empty(); });
  CHECK(half.says() == R"(is being started; it has begun a line and not ended it: "{"is":"hel")");
  Client hello = fake("echo garbage; " + kHello + "sleep 30");
  poll_until(hello, State::ready);
  CHECK(hello.says().empty());
}

TEST_CASE("a worker that is killed in the middle of a line is said to be so, and what it said before is kept") {
  Client client = fake(kHello + R"(read l; echo '{"is":"samples","id":1,"ms":[2]}'; printf '{"is":"sam'; kill -9 $$)");
  client.measure(small_job(1));
  const auto answers = poll_until(client, [&](const auto&) { return client.state() == State::gone; });
  CHECK(of<Samples>(answers).size() == 1);
  CHECK(client.says() == R"(was ended by signal 9, in the middle of a line: "{"is":"sam")");
}

TEST_CASE("a worker that floods stderr, or never reads, holds nobody up") {
  Client loud = fake("yes loud >&2");
  Client deaf = fake(kHello + R"(while :; do echo '{"is":"pong","id":1}'; sleep 0.01; done)");
  poll_until(deaf, State::ready);
  for (int flip = 0; flip < 1000; ++flip) {
    deaf.measure(small_job(flip + 1));
    deaf.cancel(flip);
    deaf.poll(), loud.poll();
  }
  CHECK(deaf.state() == State::ready);
  CHECK(deaf.unfinished().size() == 1000);
}

TEST_CASE("a thousand flips in a row are a thousand answers") {
  Client client(kWorker);
  constexpr int kFlips = 1000;
  for (int flip = 1; flip <= kFlips; ++flip) {
    Job job = small_job(flip);
    job.endless = flip < kFlips;
    client.measure(job);
    if (flip > 1) client.cancel(flip - 1);
  }
  const auto answers = poll_until(client, has<Done>(kFlips));
  CHECK(client.unfinished().empty());
  CHECK(client.state() == State::ready);
}

TEST_CASE("a worker has no terminal to ask for a password at") {
  Client client = fake("read password < /dev/tty || exit 9");
  poll_until(client, State::gone);
  CHECK_THAT(client.says(), Catch::Matchers::Contains("exit code 9") || Catch::Matchers::Contains("exit code 2"));
}

TEST_CASE("a worker that is stopped does not outlive its asker, however that ends") {
  const TemporaryFolder folder;
  const std::string number = folder.path() + "/worker", convlens = kWorker.front();
  // The asker is killed by a signal that it cannot answer, once the worker, started through a shell, is stopped.
  // A zombie has ended: when the system's first process waits for it is not the worker's affair.
  const std::string worker = "echo $$ > " + number + "; exec " + convlens + " worker";
  const std::string script = "'" + convlens + "' live direct.cpu 1x8x20x20 --filter 8x3x3 --worker '" + worker +
                             "' < /dev/zero & asker=$!; while [ ! -s " + number +
                             " ]; do sleep 0.05; done; sleep 0.5; worker=$(cat " + number +
                             "); kill -STOP $worker; kill -9 $asker; for look in $(seq 50); do "
                             "case $(sed 's/.*) //' /proc/$worker/stat 2> /dev/null) in '' | Z*) exit 0; esac; "
                             "sleep 0.2; done; exit 1";
  CHECK(run_command({.arguments = {"-c", script}, .program = "/bin/sh"}).exit == 0);
}

TEST_CASE("a worker that cannot be started is gone at once") {
  Client client({"/nowhere/at/all"});
  CHECK(client.state() == State::gone);
  CHECK(client.says().find("/nowhere/at/all") != std::string::npos);
  CHECK(client.poll().empty());
}

TEST_CASE("a worker for which there are no file descriptors left is named, with what it lacks") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const int next = dup(STDIN_FILENO);  // the lowest that is free
  REQUIRE(close(next) == 0);
  for (const auto& [room, what] : {std::pair{1, "no pipe: "}, {4, "no socket: "}}) {
    rlimit little = before;
    little.rlim_cur = static_cast<rlim_t>(next + room);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &little) == 0);
    const Client client({"/nowhere/at/all"});
    REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(client.state() == State::gone);
    CHECK(client.says() == "/nowhere/at/all, cannot be started (" + std::string(what) + "Too many open files)");
  }
}

TEST_CASE("a worker whose asker is gone ends") {
  const TemporaryFolder folder;
  const std::string number = folder.path() + "/worker";
  {
    Client client = fake("echo $$ > " + number + "; exec " + kWorker.front() + " worker");
    Job job = small_job(1);
    job.endless = true;
    client.measure(job);
    poll_until(client, has<Samples>());
  }
  pid_t worker = 0;
  REQUIRE(std::ifstream(number) >> worker);
  CHECK(kill(worker, 0) == -1);
}
