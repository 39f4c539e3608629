// The worker's language: what is written is read again, and what is none of it is refused in words.
#include "algorithms/worker/protocol.h"

#include "algorithms/error.h"
#include "tests/catch.h"
#include "tests/support/random_problems.h"

using namespace convlens;
using namespace convlens::worker;

TEST_CASE("a job is read as it was written") {
  for (std::uint64_t k = 0; k < 50; ++k) {
    const Job job{.id = static_cast<std::int64_t>(k),
                  .layer = k % 2 == 0 ? "cv9" : "",
                  .spec = testing::random_problem(91, k).spec(),
                  .run = "im2win.cpu:simd=off",
                  .dtype = k % 3 == 0 ? DType::bf16 : DType::f32,
                  .layouts = {Layout::CHWN, FilterLayout::OHWI, Layout::NHWC},
                  .kernel_alone = k % 5 == 0,
                  .cold_cache = k % 7 == 0,
                  .seed = ~std::uint64_t{0} - k,
                  .repeats = 3,
                  .seconds = 0.25,
                  .endless = k % 4 == 0,
                  .traced = k % 6 == 0};
    const std::string line = to_line(Question(job));
    CHECK(line.find('\n') == std::string::npos);
    CHECK(std::get<Job>(parse_question(line)) == job);
  }
}

TEST_CASE("answers are read as they were written") {
  const auto again = [](const Answer& answer) { return parse_answer(to_line(answer)); };
  CHECK(std::get<Hello>(again(Hello{kProtocol, "r", "h", "c", "g"})).gpu == "g");
  const auto started = std::get<Started>(again(Started{7, "a:b=c", "cpu", 10, 20, 30, 40}));
  CHECK((started.id == 7 && started.run == "a:b=c" && started.executed_flops == 20 && started.workspace == 40));
  CHECK(std::get<Samples>(again(Samples{1, {0.5, 1e-7, 3}})).ms == std::vector<double>{0.5, 1e-7, 3});
  CHECK(std::get<Done>(again(Done{1, true, ""})).record.empty());
  CHECK(std::get<Done>(again(Done{1, true, R"({"schema":1})"})).record == R"({"schema":1})");
  CHECK(std::get<Refused>(again(Refused{2, "no\nway"})).why == "no\nway");
  CHECK(std::get<Pong>(again(Pong{3})).id == 3);
  CHECK(std::get<worker::Ceilings>(again(worker::Ceilings{true, 53, 700, 4})).f16_tflops == 700);
  CHECK(std::get<NotUnderstood>(again(NotUnderstood{"why"})).why == "why");
}

TEST_CASE("of another version's hello the number is read, whatever else it says") {
  CHECK(std::get<Hello>(parse_answer(R"({"is":"hello","protocol":99,"colour":"blue"})")).protocol == 99);
}

TEST_CASE("lines of no such language are refused in one line") {
  const std::string good = to_line(Question(Job{.run = "direct.cpu"}));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string line = good;
    line.replace(line.find(from), from.size(), to);
    return line;
  };
  for (const std::string& line :
       {std::string("hello"), std::string("{}"), std::string("[]"), std::string(R"({"is":7})"),
        std::string(R"({"is":"dance"})"), std::string(R"({"is":"measure","id":1})"), with("\"f32\"", "\"f31\""),
        with("\"call\"", "\"all\""), with("\"warm\"", "7"), with("\"repeats\":10", "\"repeats\":0"),
        with("\"NCHW\"", "\"NWHC\""), with("1x1x1x1", "1x1x1")}) {
    INFO(line);
    CHECK_THROWS_AS(parse_question(line), BadInput);
  }
}

TEST_CASE("answers with numbers that nothing measured can have are refused") {
  const std::string started = to_line(Answer(Started{7, "a", "cpu", 10, 20, 30, 40}));
  const auto with = [](std::string line, const std::string& from, const std::string& to) {
    return line.replace(line.find(from), from.size(), to);
  };
  const std::string ceilings = to_line(Answer(worker::Ceilings{true, 53, 700, 4}));
  for (const std::string& line :
       {with(started, ":10", ":-10"), with(started, ":20", ":-1"), with(started, ":30", ":-1"),
        with(started, ":40", ":-1"), std::string(R"({"is":"samples","id":1,"ms":[1,0]})"),
        std::string(R"({"is":"samples","id":1,"ms":[-5]})"), std::string(R"({"is":"samples","id":1,"ms":[1e-300]})"),
        std::string(R"({"is":"samples","id":1,"ms":[1e300]})"), with(ceilings, "700", "-700"),
        std::string(R"({"is":"done","id":1,"cancelled":false,"record":"text"})")}) {
    INFO(line);
    CHECK_THROWS_AS(parse_answer(line), BadInput);
  }
}
