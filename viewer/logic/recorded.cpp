#include "viewer/logic/recorded.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "algorithms/interface/registry.h"
#include "algorithms/worker/recorded.h"
#include "viewer/logic/json_lines.h"

namespace convlens::viewer {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

const std::string kWho = "record";  // begins what is said of a line

// As its note has them: "threads: 2"; 0 without.
int threads_of(const Json& record) {
  const std::string start = "threads: ";
  for (const Json& note : record.at("engine_notes"))
    if (const auto text = note.get<std::string>(); text.starts_with(start))
      return std::atoi(text.c_str() + start.size());
  return 0;
}

// As this program names it today, so that a run is found by its name whatever defaults have become; as it was recorded
// where this program has no such run.
std::string run_of(const Json& record) {
  const auto run = recorded_run(record);
  return run ? run_name(*run->algorithm, run->options) : record.at("run").get<std::string>();
}

Curve curve_of(const Json& r) {
  const auto text = [](const Json& value) { return value.get<std::string>(); };
  const Json& layout = r.at("layout");
  Curve curve;
  curve.job = {.layer = r.at("layer"),
               .spec = recorded_spec(r),
               .run = run_of(r),
               .dtype = *parse_dtype(text(r.at("dtype"))),
               .layouts = {*parse_layout(text(layout.at("x"))), *parse_filter_layout(text(layout.at("w"))),
                           *parse_layout(text(layout.at("y")))},
               .kernel_alone = r.at("timed") == "kernel",
               .cold_cache = r.at("l2") == "cold",
               .seed = r.at("data").at("seed")};
  curve.unit = r.at("unit");
  curve.made_on =
      made_on_text(text(r.at(r.at("gpu").is_null() ? "cpu" : "gpu")), text(r.at("time")), text(r.at("revision")));
  curve.finished = true;
  curve.line.run = curve.job.run;
  // FLOPs / median = TFLOPS, so that FLOPs come back from the two that a record has.
  const double median = recorded_amount(r, "median_ms", kWho);
  const auto flops = [&](const char* field) { return std::llround(r.at(field).get<double>() * median * 1e9); };
  curve.line.flops = ConvProblem(curve.job.spec).flops();
  curve.line.executed = r.at("tflops_executed").is_null() ? 0 : flops("tflops_executed");  // 0: nobody knows
  curve.record = r.dump();
  curve.threads = threads_of(r);
  if (const Json& fraction = r.at("floor_fraction"); !fraction.is_null())
    curve.roof = recorded_amount(r, "tflops", kWho) / fraction.get<double>();
  double time = 0;
  for (const double ms : r.at("samples_ms").get<std::vector<double>>()) {
    curve.add({ms}, time, time + ms / 1e3);
    time += ms / 1e3;
  }
  curve.settle();
  return curve;
}

// "ceilings of this run: 53.5 TFLOPS f32, 766.5 TFLOPS f16, 4.28 TB/s", of a CPU "544.2 GFLOPS f32, 25.1 GB/s".
std::optional<worker::Ceilings> noted_ceilings(const Curve& curve) {
  const std::string start = "ceilings of this run: ";
  const std::size_t at = curve.record.find(start);
  if (at == std::string::npos) return std::nullopt;
  std::istringstream words(curve.record.substr(at + start.size()));
  words.imbue(std::locale::classic());
  worker::Ceilings found{.gpu = curve.unit != "cpu"};
  std::string unit, type;
  words >> found.f32_tflops >> unit >> type;
  if (found.gpu) words >> found.f16_tflops >> unit >> type;
  words >> found.tbytes;
  if (!found.gpu) found.f32_tflops /= 1e3, found.tbytes /= 1e3;
  return words ? std::optional(found) : std::nullopt;
}

std::int64_t tensor_bytes(const worker::Job& job) {
  return Request{ConvProblem(job.spec), job.dtype, job.layouts}.tensor_bytes();
}

// Those that the floors of one run on a CPU imply: the highest roof over any layer, min(peak, intensity · bytes a
// second), is the peak, and a lower one is on the slope.
std::optional<worker::Ceilings> implied_ceilings(const std::vector<Curve>& curves, const Curve& of) {
  constexpr double kSame = 0.999;
  if (!std::isfinite(of.roof)) return std::nullopt;
  std::vector<const Curve*> together;
  for (const Curve& curve : curves)
    if (curve.unit == of.unit && curve.made_on == of.made_on && curve.threads == of.threads &&
        std::isfinite(curve.roof))
      together.push_back(&curve);
  const double peak = (*std::ranges::max_element(together, {}, &Curve::roof))->roof;
  const Curve& lowest = **std::ranges::min_element(together, {}, &Curve::roof);
  const double slope =
      lowest.roof * static_cast<double>(tensor_bytes(lowest.job)) / static_cast<double>(lowest.line.flops);
  return worker::Ceilings{.f32_tflops = peak, .tbytes = lowest.roof < kSame * peak ? slope : 0};
}

std::string row_of(const worker::Job& job) { return job.run.substr(0, job.run.find(':')); }

// The same but for the run; the numbers in x and w cost no time, whichever they are.
bool alike(const worker::Job& a, const worker::Job& b) {
  return a.spec == b.spec && a.dtype == b.dtype && a.layouts == b.layouts && a.kernel_alone == b.kernel_alone &&
         a.cold_cache == b.cold_cache && a.traced == b.traced;
}

// A whole call is nearer to both others than they are to each other.
int likeness_of_timing(const worker::Job& a, const worker::Job& b) {
  if (a.kernel_alone == b.kernel_alone && a.cold_cache == b.cold_cache) return 2;
  return a.kernel_alone == b.kernel_alone || a.cold_cache == b.cold_cache ? 1 : 0;
}

// How many option sets of a row were recorded together: they can be compared with each other.
void count_beside(std::vector<Curve>& curves) {
  const auto key = [](const Curve& curve) {
    worker::Job job = curve.job;
    job.run = row_of(job), job.seed = 0;
    return key_of(job) + curve.made_on;
  };
  std::map<std::string, std::set<std::string>> sets;
  for (const Curve& curve : curves) sets[key(curve)].insert(curve.job.run);
  for (Curve& curve : curves) curve.beside = static_cast<int>(sets[key(curve)].size());
}

std::string folder() {
  if (const char* chosen = std::getenv("CONVLENS_DATA"); chosen != nullptr && *chosen != '\0') return chosen;
  std::error_code none;
  if (fs::exists(CONVLENS_DATA_SOURCES, none)) return CONVLENS_DATA_SOURCES;
  return fs::read_symlink("/proc/self/exe", none).parent_path().parent_path() / "share/convlens/data";
}

}  // namespace

std::vector<std::string> data_files(const std::string& extension) {
  std::vector<std::string> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder(), none))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

const Curve* Records::find(const worker::Job& job) const {
  const Curve* best = nullptr;
  for (const Curve& curve : curves)
    if (curve.job.run == job.run && alike(curve.job, job) && (best == nullptr || curve.beside > best->beside))
      best = &curve;
  return best;
}

std::vector<const Curve*> Records::option_sets(const worker::Job& job) const {
  std::vector<const Curve*> sets;
  std::vector<std::string> runs;
  for (const Curve& curve : curves) {
    if (row_of(curve.job) != row_of(job) || !alike(curve.job, job)) continue;
    if (std::ranges::find(runs, curve.job.run) != runs.end()) continue;
    runs.push_back(curve.job.run);
    sets.push_back(find(curve.job));
  }
  return sets;
}

const Curve* Records::closest(const worker::Job& job) const {
  const auto likeness = [&](const Curve& curve) {
    const worker::Job& other = curve.job;
    ConvSpec same_batch = other.spec;
    same_batch.n = job.spec.n;
    if (same_batch != job.spec) return 0;
    return 1 + 128 * (row_of(other) == row_of(job)) + 64 * (other.run == job.run) + 32 * (other.dtype == job.dtype) +
           16 * (other.layouts == job.layouts) + 8 * (other.spec.n == job.spec.n) + likeness_of_timing(other, job);
  };
  const Curve* best = nullptr;
  for (const Curve& curve : curves)
    if (likeness(curve) > (best == nullptr ? 0 : likeness(*best))) best = &curve;
  return best;
}

std::optional<worker::Ceilings> Records::ceilings(const worker::Job& job) const {
  const bool cpu = parse_run(job.run).algorithm->unit == Unit::cpu;
  const Curve* of = find(job);
  for (const Curve& curve : curves) {
    if (curve.job.spec != job.spec || (curve.unit == "cpu") != cpu) continue;
    if (const auto found = noted_ceilings(curve)) return found;
    if (of == nullptr) of = &curve;
  }
  return cpu && of != nullptr ? implied_ceilings(curves, *of) : std::nullopt;
}

Records read_records(const std::vector<std::string>& files) {
  Records records;
  each_line(files, records.wrong,
            [&](const std::string& line) { records.curves.push_back(curve_of(read_record(line, kWho))); });
  count_beside(records.curves);
  return records;
}

const Records& shipped_records() {
  static const Records records = read_records(data_files(".jsonl"));
  return records;
}

}  // namespace convlens::viewer
