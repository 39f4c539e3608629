// What the Performance panel compares, the records that stand in, and its part of the state.
#include "viewer/logic/comparisons.h"
#include "viewer/logic/handovers.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "algorithms/error.h"
#include "algorithms/problem/layers.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/viewer/states.h"

using namespace convlens;
using namespace convlens::viewer;

TEST_CASE("the waterfall has the live run and one change of each switch, every one of them a run that exists") {
  for (const Algorithm* row : algorithms()) {
    State state = testing::measuring(row->id, 2);
    if (row->unit == Unit::tc) state.dtype = DType::f16;
    const std::vector<Change> all = changes(state);
    REQUIRE_FALSE(all.empty());
    std::set<std::string> runs;
    for (const Change& change : all) {
      INFO(change.job.run);
      CHECK(runs.insert(change.job.run).second);
      const Run run = parse_run(change.job.run);
      CHECK(run.algorithm == row);
      int different = 0;
      for (const auto& [id, value] : run.options.values()) different += value != parse_run(row->id).options[id];
      CHECK(different == (change.option == nullptr ? 0 : 1));
    }
  }
}

TEST_CASE("the waterfall of a run with an option off changes that one back") {
  const std::vector<Change> all = changes(testing::measuring("im2win.cpu:simd=off", 1));
  CHECK(all.front().job.run == "im2win.cpu:simd=off");
  CHECK(std::ranges::any_of(all, [](const Change& change) { return change.job.run == "im2win.cpu"; }));
}

TEST_CASE("a live run of no such row compares nothing") {
  CHECK_FALSE(comparisons(testing::measuring("im2win.nonsense", 1)));
  CHECK_FALSE(comparisons(testing::measuring("im2win.cpu:nonsense=1", 1)));
}

TEST_CASE("recorded runs stand in for what is not measured, and say on what they were made") {
  const Records& records = shipped_records();
  CHECK(records.wrong.empty());
  CHECK(records.curves.size() > 300);
  const Study study;
  const Curve* cpu = known(study, records, job_of(testing::measuring("im2win.cpu", 4), "im2win.cpu"));
  REQUIRE(cpu != nullptr);
  CHECK(cpu->made_on.find("EPYC") != std::string::npos);
  CHECK(cpu->line.flops == ConvProblem(testing::measuring("", 4).spec).flops());
  CHECK(known(study, records, job_of(testing::measuring("", 5), "im2win.cpu")) == nullptr);
  State gpu = testing::measuring("im2win.cc", 256);
  CHECK(known(study, records, job_of(gpu, "im2win.cc")) == nullptr);  // it was recorded with cold caches
  gpu.performance.timed = "cold";
  const Curve* h200 = known(study, records, job_of(gpu, "im2win.cc"));
  REQUIRE(h200 != nullptr);
  CHECK(h200->made_on.find("H200") != std::string::npos);
  CHECK(h200->unit == "cc");
  CHECK(records.ceilings(job_of(gpu, "im2win.cc"))->f32_tflops > 40);
  // And the closest to what there is not.
  const Curve* closest = records.closest(job_of(testing::measuring("", 1), "im2win.cc"));
  REQUIRE(closest != nullptr);
  CHECK(closest->job.run == "im2win.cc");
}

TEST_CASE("the roof of recorded runs on a CPU is what their floors say, and one that is noted comes first") {
  const auto roofs = [](const std::string& layer) {
    State state = testing::measuring("im2win.cpu", 4);
    state.layer = layer, state.spec = find_layer(layer).spec, state.spec.n = 4;
    return *shipped_records().ceilings(job_of(state, "im2win.cpu"));
  };
  const worker::Ceilings above = roofs("cv9"), memory = roofs("cv7");
  CHECK_FALSE(above.gpu);
  CHECK((above.f32_tflops > 0.3 && above.f32_tflops < 1));
  CHECK(memory.f32_tflops == above.f32_tflops);
  // cv9's record, with other ceilings in its notes.
  Curve noted = *shipped_records().find(job_of(testing::measuring("im2win.cpu", 4), "im2win.cpu"));
  auto record = nlohmann::json::parse(noted.record);
  record["engine_notes"] = nlohmann::json::array({"ceilings of this run: 500.0 GFLOPS f32, 25.0 GB/s"});
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/one.jsonl") << record.dump() << "\n";
  const auto found = read_records({folder.path() + "/one.jsonl"}).ceilings(noted.job);
  REQUIRE(found);
  CHECK(found->f32_tflops == Approx(0.5));
  CHECK(found->tbytes == Approx(0.025));
}

TEST_CASE("comparing rows asks no vendor's library, which would time its engines first") {
  State state = testing::measuring("im2win.cc", 256);
  const auto compared = comparisons(state);
  REQUIRE(compared);
  CHECK(std::ranges::any_of(compared->peers, [](const worker::Job& job) { return job.run == "cudnn.best"; }));
}

TEST_CASE("the rates of a record are those it was written with") {
  const Records& records = shipped_records();
  for (const Curve& curve : records.curves) {
    const auto record = nlohmann::json::parse(curve.record);
    INFO(curve.job.run << " " << curve.job.layer);
    const double median = curve.line.median_ms(0);
    CHECK(median == Approx(record.at("median_ms").get<double>()));
    CHECK(static_cast<double>(curve.line.flops) / median * 1e-9 == Approx(record.at("tflops").get<double>()));
    if (const auto& executed = record.at("tflops_executed"); executed.is_null())
      CHECK(std::isnan(curve.executed_tflops()));  // another program's, of which nobody knows
    else
      CHECK(static_cast<double>(curve.line.executed) / median * 1e-9 == Approx(executed.get<double>()));
  }
}

TEST_CASE("a record from before a row gained an option, or got other defaults, is of the run with its options") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/some.jsonl";
  nlohmann::ordered_json old = nlohmann::ordered_json::parse(shipped_records().curves.front().record);
  const Run row = parse_run(old["algorithm"].get<std::string>());
  const Option& changed = row.algorithm->options.front();
  old["options"] = {
      {changed.id, changed.values.back() == changed.default_value ? changed.values.front() : changed.values.back()}};
  old["run"] = row.algorithm->id;  // what was changed was the default then
  std::ofstream(file) << old.dump() << "\n";
  const Records records = read_records({file});
  CHECK(records.wrong.empty());
  REQUIRE(records.curves.size() == 1);
  const std::string chosen = changed.id + "=" + old["options"][changed.id].get<std::string>();
  CHECK(records.curves[0].job.run == row.algorithm->id + ":" + chosen);
}

TEST_CASE("lines that are no records are left out and named") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/some.jsonl";
  std::ofstream(file) << "nonsense\n{}\n{\"schema\":1,\"layout\":3}\n";
  const Records records = read_records({file, folder.path() + "/none.jsonl"});
  CHECK(records.curves.empty());
  REQUIRE(records.wrong.size() == 3);
  CHECK(records.wrong[1].starts_with(file + ":2: "));
}

TEST_CASE("a sweep has legal layers only, each computed by its row") {
  for (const std::string& swept : swept_names()) {
    State state = testing::measuring("im2win.cpu", 1);
    state.performance.swept = swept;
    const std::vector<Sweep> all = sweeps(state);
    CHECK(all.size() >= 4);
    for (const Sweep& sweep : all) {
      INFO(swept << " " << sweep.run);
      REQUIRE(sweep.values.size() == sweep.jobs.size());
      for (const worker::Job& job : sweep.jobs) {
        const Run run = parse_run(job.run);
        CHECK(broken_rules(job.spec).empty());
        CHECK(run.algorithm->supports(
            complete(*run.algorithm, {ConvProblem(job.spec), job.dtype, job.layouts, run.options})));
      }
    }
  }
}

TEST_CASE("chosen runs are compared with their options, beside the rows as they are") {
  State state = testing::measuring("im2win.cpu", 4);
  state.runs = {"winograd.cpu:m=2", "winograd.ref", "im2win.cpu", "gone.cpu", "im2win.cc"};
  const Comparisons compared = *comparisons(state);
  const auto count = [&](const std::string& run) { return std::ranges::count(compared.rows, run, &worker::Job::run); };
  CHECK(compared.rows.front().run == "im2win.cpu");
  for (const char* run : {"im2win.cpu", "winograd.cpu:m=2", "winograd.cpu", "direct.cpu"}) {
    INFO(run);
    CHECK(count(run) == 1);
    CHECK(std::ranges::count(compared.sweeps, run, &Sweep::run) == 1);
  }
  for (const char* run : {"winograd.ref", "gone.cpu", "im2win.cc"}) CHECK(count(run) == 0);
}

TEST_CASE("the roof says of which type it is") {
  const worker::Ceilings ceilings{.gpu = true, .f32_tflops = 50, .f16_tflops = 700, .tbytes = 4};
  CHECK(roof_of(ceilings, Unit::cpu, DType::f32).tflops == 50);
  CHECK(roof_of(ceilings, Unit::cpu, DType::f32).says == "f32");
  CHECK(roof_of(ceilings, Unit::cpu, DType::f64).says == "f32, of f64 none is known");
  CHECK(roof_of(ceilings, Unit::cc, DType::f16).says == "f32, of f16 none is known");
  CHECK(roof_of(ceilings, Unit::tc, DType::f16).tflops == 700);
  CHECK(roof_of(ceilings, Unit::tc, DType::f16).says == "f16");
}

TEST_CASE("measured and recorded points of a sweep are curves of their own, and none hands over to another's") {
  const Sweep a{"a", {1, 2, 4, 8}, std::vector<worker::Job>(4, {.run = "a"})};
  const Sweep b{"b", {1, 2, 4, 8}, std::vector<worker::Job>(4, {.run = "b"})};
  std::vector<Curve> points(8);
  std::size_t next = 0;
  const auto known = [&](const worker::Job&) -> const Curve* { return &points[next++]; };
  // TFLOPS: a leads at 1 and 2, b, recorded from 4 on, after that.
  const std::vector<double> rates{4, 4, 4, 4, 1, 2, 6, 8};
  for (std::size_t k = 0; k < points.size(); ++k) {
    points[k].line.flops = 1'000'000'000'000;
    points[k].add({1e3 / rates[k]}, 0, 1);
    if (k >= 6) points[k].made_on = "another machine";
  }
  const std::vector<SweepCurve> curves = sweep_curves({a, b}, known);
  REQUIRE(curves.size() == 3);
  CHECK(curves[0].median == std::vector<double>{4, 4, 4, 4});
  CHECK((curves[1].run == "b" && curves[1].values == std::vector<double>{1, 2} && curves[1].made_on.empty()));
  CHECK((curves[2].run == "b" && curves[2].values == std::vector<double>{4, 8}));
  CHECK(curves[2].made_on == "another machine");
  CHECK(handovers(curves, {1, 2, 4, 8}).empty());
  for (Curve& point : points) point.made_on.clear();
  next = 0;
  CHECK(handovers(sweep_curves({a, b}, known), {1, 2, 4, 8}).size() == 1);
}

TEST_CASE("curves cross where one falls behind the other") {
  const std::vector<double> values{1, 4, 16};
  CHECK(crossovers(values, {1, 2, 4}, {2, 3, 8}).empty());
  const auto once = crossovers(values, {1, 2, 4}, {2, 1, 1});
  REQUIRE(once.size() == 1);
  CHECK(once[0] == Approx(2));  // in the middle of 1 and 4 on a scale of logarithms
  CHECK(crossovers(values, {1, 2, 1}, {2, 1, 2}).size() == 2);
  const auto touched = crossovers(values, {1, 2, 4}, {2, 2, 2});  // equal at 4, ahead from there on
  REQUIRE(touched.size() == 1);
  CHECK(touched[0] > 1);
  CHECK(touched[0] < 16);
  CHECK(crossovers(values, {1, std::nan(""), 4}, {2, 1, 1}).size() == 1);
  CHECK(crossovers({}, {}, {}).empty());
}

TEST_CASE("a crossover is where the lines of a sweep meet as they are drawn") {
  // From 1 to 9 behind, and from 3 to 2: on logarithms of the rates they would meet elsewhere.
  const std::vector<double> values{4, 8}, slow{1, 9}, fast{3, 2};
  const auto found = crossovers(values, slow, fast);
  REQUIRE(found.size() == 1);
  CHECK(found[0] == Approx(4 * std::pow(2.0, 2.0 / 9)));
  CHECK(on_line(values, slow, found[0]) == Approx(on_line(values, fast, found[0])));
  // A line is drawn past a value that it does not have, and not beyond its ends.
  CHECK(on_line({1, 4, 16}, {1, 2, 8}, 4) == 2);
  CHECK(on_line({1, 16}, {1, 8}, 4) == Approx(4.5));
  CHECK(std::isnan(on_line({4, 16}, {1, 8}, 2)));
  CHECK(std::isnan(on_line({4, 16}, {1, 8}, 17)));
  CHECK(std::isnan(on_line({}, {}, 1)));
}

TEST_CASE("curves hand over only where their spreads part on both sides") {
  const std::vector<double> values{1, 2, 4, 8};
  // Rates that spread by so much to both sides.
  const auto curve = [&](const char* run, const std::vector<double>& rates, double spread) {
    SweepCurve curve{run, values, rates, rates, rates};
    for (double& low : curve.low) low -= spread;
    for (double& high : curve.high) high += spread;
    return curve;
  };
  const auto found = [&](const std::vector<double>& a, const std::vector<double>& b, double spread) {
    return handovers({curve("a", a, spread), curve("b", b, spread)}, values);
  };
  const auto clear = found({4, 4, 4, 4}, {1, 2, 6, 8}, 0.5);
  REQUIRE(clear.size() == 1);
  CHECK(clear[0].value == Approx(2 * std::pow(2.0, 0.5)));
  CHECK((clear[0].from == "a" && clear[0].to == "b" && !clear[0].about));
  // Bands that lie over each other next to the crossing and part farther away.
  const auto wide = found({4, 4, 4, 4}, {1, 3.5, 4.5, 8}, 0.5);
  REQUIRE(wide.size() == 1);
  CHECK(wide[0].about);
  CHECK(found({4, 4, 4, 4}, {1, 2, 6, 8}, 5).empty());      // all within the spread
  CHECK(found({4, 4, 4, 4}, {3.9, 6, 8, 9}, 0.5).empty());  // from the first value on
  CHECK(found({4, 4, 4, 4}, {1, 2, 3, 4.1}, 0.5).empty());  // at the last
  // To and fro within the spread is one change; there and back is two.
  CHECK(found({4, 4, 4, 4}, {1, 4.1, 3.9, 8}, 0.5).size() == 1);
  CHECK(found({4, 4, 4, 4}, {1, 8, 8, 1}, 0.5).size() == 2);
  CHECK(handovers({}, values).empty());
  CHECK(handovers({curve("a", {1, 2, 3, 4}, 1)}, {}).empty());
}

TEST_CASE("the panel's part of a state is read as it was written, and damage is refused by name") {
  State state = testing::measuring("im2win.cpu:simd=off", 1);
  state.performance.chart = "sweep";
  state.performance.timed = "cold";
  state.performance.swept = "stride";
  CHECK(state_from_json(to_json(state)) == state);
  for (const auto& [field, value] : std::vector<std::pair<std::string, std::string>>{
           {"chart", "pie"}, {"timed", "never"}, {"swept", "colour"}, {"colour", "blue"}}) {
    auto json = to_json(state);
    json["performance"][field] = value;
    CHECK_THROWS_WITH(state_from_json(json), Catch::Contains("performance." + field));
  }
}
