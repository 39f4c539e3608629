#include "algorithms/worker/recorded.h"

#include <algorithm>
#include <limits>

#include "algorithms/error.h"
#include "algorithms/measure/record.h"
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

void check_origin(const Fields& record) {
  constexpr std::size_t kDay = std::string_view("2000-01-01").size();
  if (record.text("time").size() < kDay) record.refuse("time", "a date and a time");
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

void check_amounts(const Fields& record) {
  for (const char* name : {"median_ms", "min_ms"}) check(record, name, "above 0", is_time);
  const Json &least = record.any("min_ms"), &median = record.any("median_ms");
  if (least.is_number() && median.is_number() && least.get<double>() > median.get<double>())
    record.refuse("min_ms", "≤ median_ms, " + median.dump());
  for (const char* name : {"tflops", "tflops_executed", "floor_fraction"}) check(record, name, "≥ 0", is_amount);
  if (const auto samples = record.numbers("samples_ms"); std::ranges::any_of(samples, [](double ms) { return ms < 0; }))
    record.refuse("samples_ms", "a list of numbers ≥ 0");
  record.whole("peak_bytes", 1, kMost);
  const Fields bytes = record.object("bytes");
  for (const auto& [name, value] : record.any("bytes").items()) bytes.whole(name.c_str(), 0, kMost);
  check(record, "engine_notes", "a list of texts",
        [](const Json& json) { return json.is_array() && std::ranges::all_of(json, is_text); });
}

}  // namespace

Json read_record(const std::string& line, const std::string& who) {
  Json json = worker::parse_line(line, who);
  const Fields record(json, who);
  check(record, "schema", std::to_string(kRecordSchema).c_str(), [](const Json& j) { return j == kRecordSchema; });
  check_origin(record);
  check_run(record);
  check_problem(record.object("problem"));
  check_amounts(record);
  try {
    static_cast<void>(ConvProblem(recorded_spec(json)));
  } catch (const Error& wrong) {  // one too large is Unsupported
    throw BadInput(who + ": problem: " + wrong.what());
  }
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
