#include "algorithms/worker/recorded.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>

#include "algorithms/error.h"
#include "algorithms/measure/record.h"
#include "algorithms/measure/ruler.h"
#include "algorithms/tensor/dtype.h"
#include "algorithms/worker/fields.h"

namespace convlens {

namespace {

using Json = nlohmann::ordered_json;
using worker::Fields;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// The field is there, with a value that `fits`.
template <class Fits>
void check(const Fields& fields, const char* name, const char* rule, const Fits& fits) {
  if (!fields.has(name) || !fits(fields.any(name))) fields.refuse(name, rule);
}

bool is_text(const Json& json) { return json.is_string(); }
bool is_amount(const Json& json) { return json.is_null() || (json.is_number() && json.get<double>() >= 0); }
bool is_time(const Json& json) { return json.is_null() || (json.is_number() && json.get<double>() > 0); }

// As utc_now() writes them, of a day that the calendar has.
bool is_moment(const std::string& text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  const auto fits = [](char c, char form) { return form == '0' ? c >= '0' && c <= '9' : c == form; };
  if (!std::ranges::equal(text, kForm, fits)) return false;
  const auto number = [&](std::size_t at, std::size_t digits) { return std::stoi(text.substr(at, digits)); };
  const auto two = [&](std::size_t at) { return static_cast<unsigned>(number(at, 2)); };
  const std::chrono::year_month_day day{std::chrono::year(number(0, 4)), std::chrono::month(two(5)),
                                        std::chrono::day(two(8))};
  return day.ok() && two(11) < 24 && two(14) < 60 && two(17) < 60;
}

// What follows from other fields is what these say, where it is there at all: NaN is no number. It may have been
// rounded since, but not to fewer than four digits.
void check_follows(const Fields& record, const char* name, double value, const std::string& what) {
  constexpr double kRounding = 1e-3;
  const Json& given = record.any(name);
  if (!given.is_null() && !(std::abs(given.get<double>() - value) <= kRounding * value))
    record.refuse(name, Json(value).dump() + ", " + what);
}

void check_origin(const Fields& record) {
  if (!is_moment(record.text("time"))) record.refuse("time", "a date and a time, as in 2026-03-01T12:00:00Z");
  for (const char* name : {"revision", "cpu"}) record.text(name);
  for (const char* name : {"gpu", "driver", "cuda"})
    check(record, name, "a text or null", [](const Json& json) { return json.is_null() || json.is_string(); });
  check(record, "libraries", "an object of texts",
        [](const Json& json) { return json.is_object() && std::ranges::all_of(json, is_text); });
}

void check_run(const Fields& record) {
  for (const char* name : {"layer", "algorithm", "run", "unit"}) record.text(name);
  check(record, "options", "an object of texts",
        [](const Json& json) { return json.is_object() && std::ranges::all_of(json, is_text); });
  if (!parse_dtype(record.text("dtype"))) record.refuse("dtype", "f16, bf16, f32 or f64");
  const Fields layout = record.object("layout");
  for (const char* tensor : {"x", "y"})
    if (!parse_layout(layout.text(tensor))) layout.refuse(tensor, "NCHW, NHWC or CHWN");
  if (!parse_filter_layout(layout.text("w"))) layout.refuse("w", "OIHW or OHWI");
  check(record, "timed", "call or kernel", [](const Json& json) { return json == "call" || json == "kernel"; });
  check(record, "l2", "warm or cold", [](const Json& json) { return json == "warm" || json == "cold"; });
  record.object("data").whole("seed", 0, kMost);
}

void check_problem(const Fields& problem) {
  for (const char* size : {"n", "ci", "hi", "wi", "co", "hf", "wf", "groups"}) problem.whole(size);
  for (const auto& [name, count] : {std::pair{"stride", 2U}, {"pad", 4U}, {"dilation", 2U}})
    if (problem.wholes(name).size() != count) problem.refuse(name, std::to_string(count) + " whole numbers");
}

// `flops` are the direct sum's.
void check_times(const Fields& record, std::int64_t flops) {
  for (const char* name : {"median_ms", "min_ms"}) check(record, name, "above 0", is_time);
  for (const char* name : {"tflops", "tflops_executed", "floor_fraction"}) check(record, name, "≥ 0", is_amount);
  const Timing timing{.samples_ms = record.numbers("samples_ms")};
  if (timing.samples_ms.empty() || timing.min_ms() < 0)
    record.refuse("samples_ms", "a list of at least one number ≥ 0");
  check_follows(record, "median_ms", timing.median_ms(), "the median of samples_ms");
  check_follows(record, "min_ms", timing.min_ms(), "the least of samples_ms");
  const Json& median = record.any("median_ms");
  check_follows(record, "tflops",
                median.is_null() ? std::numeric_limits<double>::quiet_NaN() : tflops(flops, median.get<double>()),
                "the direct sum's FLOPs over median_ms");
}

void check_bytes(const Fields& record) {
  record.whole("peak_bytes", 1, kMost);
  const Fields bytes = record.object("bytes");
  double sum = 0;  // in 64 bits it might overflow
  for (const auto& [name, value] : record.any("bytes").items())
    sum += static_cast<double>(bytes.whole(name.c_str(), 0, kMost));
  check_follows(record, "peak_bytes", sum, "the sum of bytes");
}

void check_notes(const Fields& record) {
  check(record, "engine_notes", "a list of texts",
        [](const Json& json) { return json.is_array() && std::ranges::all_of(json, is_text); });
}

// The direct sum's.
std::int64_t recorded_flops(const Json& record, const std::string& who) try {
  return ConvProblem(recorded_spec(record)).flops();
} catch (const Error& wrong) {  // one too large is Unsupported
  throw BadInput(who + ": problem: " + wrong.what());
}

}  // namespace

Json read_record(const std::string& line, const std::string& who) {
  Json json = worker::parse_line(line, who);
  const Fields record(json, who);
  check(record, "schema", std::to_string(kRecordSchema).c_str(), [](const Json& j) { return j == kRecordSchema; });
  check_origin(record);
  check_run(record);
  check_problem(record.object("problem"));
  check_bytes(record);
  check_times(record, recorded_flops(json, who));
  check_notes(record);
  return json;
}

double recorded_amount(const Json& record, const char* name, const std::string& who) {
  const Fields fields(record, who);
  if (const Json& value = fields.any(name); value.is_number() && value.get<double>() > 0) return value.get<double>();
  fields.refuse(name, "above 0");
}

ConvSpec recorded_spec(const Json& record) {
  const Json& p = record.at("problem");
  const auto size = [&](const char* name) { return p.at(name).get<std::int64_t>(); };
  const auto one = [&](const char* name, std::size_t k) { return p.at(name).at(k).get<std::int64_t>(); };
  return {.n = size("n"),
          .ci = size("ci"),
          .hi = size("hi"),
          .wi = size("wi"),
          .co = size("co"),
          .hf = size("hf"),
          .wf = size("wf"),
          .stride_h = one("stride", 0),
          .stride_w = one("stride", 1),
          .pad_top = one("pad", 0),
          .pad_bottom = one("pad", 1),
          .pad_left = one("pad", 2),
          .pad_right = one("pad", 3),
          .dilation_h = one("dilation", 0),
          .dilation_w = one("dilation", 1),
          .groups = size("groups"),
          .bias = record.at("bytes").contains("bias")};
}

std::optional<Run> recorded_run(const Json& record) {
  const std::vector<const Algorithm*> rows = algorithms();
  const auto row = std::ranges::find(rows, record.at("algorithm").get<std::string>(), &Algorithm::id);
  if (row == rows.end()) return std::nullopt;
  Run run{*row, OptionSet::parse("", (*row)->options)};
  try {
    for (const auto& [id, value] : record.at("options").items())
      run.options.change(id + "=" + value.get<std::string>(), (*row)->options);
  } catch (const BadInput&) {  // of an option or a value that is no more
    return std::nullopt;
  }
  return run;
}

}  // namespace convlens
