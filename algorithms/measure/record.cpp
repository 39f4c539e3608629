#include "algorithms/measure/record.h"

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "algorithms/interface/algorithm.h"
#include "algorithms/measure/machine.h"

namespace convlens {

namespace {

using Json = nlohmann::ordered_json;  // fields in the order in which the schema has them

// The columns of CSV: the fields of a record, "a.b" where b is a field of the object a.
constexpr const char* kColumns[] = {
    // where and with what
    "schema", "time", "revision", "host", "cpu", "gpu", "driver", "cuda", "libraries", "clocks",
    // what was computed
    "layer", "problem.n", "problem.ci", "problem.hi", "problem.wi", "problem.co", "problem.hf", "problem.wf",
    "problem.stride", "problem.pad", "problem.dilation", "problem.groups",
    // how
    "algorithm", "options", "run", "unit", "dtype", "layout.x", "layout.w", "layout.y",
    // how long it took
    "timed", "l2", "data.pattern", "data.seed", "samples_ms", "median_ms", "min_ms", "tflops", "tflops_executed",
    "floor_fraction",
    // what it used
    "bytes", "workspace_bytes", "peak_bytes", "peak_source", "registers", "shared_bytes", "spill_bytes",
    // what else is known
    "error_over_bound", "engine_notes"};

Json problem_object(const ConvSpec& s) {
  return {{"n", s.n},
          {"ci", s.ci},
          {"hi", s.hi},
          {"wi", s.wi},
          {"co", s.co},
          {"hf", s.hf},
          {"wf", s.wf},
          {"stride", {s.stride_h, s.stride_w}},
          {"pad", {s.pad_top, s.pad_bottom, s.pad_left, s.pad_right}},
          {"dilation", {s.dilation_h, s.dilation_w}},
          {"groups", s.groups}};
}

Json library_object(const Measurement& m) {
  Json object = Json::object();
  for (const Library& library : libraries()) object[library.name] = library.version;
  for (const Library& library : m.device_libraries) object[library.name] = library.version;
  return object;
}

// The highest clocks that the device may run at: what it ran at, nobody tells after the fact.
Json clock_object(const DeviceFacts* device) {
  if (device == nullptr) return {{"timer", "steady_clock"}};
  return {{"timer", "events of the device"},
          {"highest_mhz", device->clock_mhz},
          {"highest_memory_mhz", device->memory_clock_mhz}};
}

Json option_object(const Request& request) {
  Json object = Json::object();
  for (const auto& [id, value] : request.options.values()) object[id] = value;
  return object;
}

// What a library takes by itself is the line "device".
Json byte_object(const Measurement& m) {
  Json object = Json::object();
  for (const Ledger::Line& line : m.bytes) object[line.name] = line.bytes;
  if (m.library_bytes > 0) object["device"] = m.library_bytes;
  return object;
}

// Where NaN and Inf may go beyond the outputs that depend on them; "" when nowhere.
std::string spread_note(const Plan& plan) {
  if (plan.algorithm().vendor) return "NaN and Inf: nothing is promised, another's library computes";
  const ErrorModel& model = plan.error_model();
  switch (model.spread) {
    case Spread::exact:
      return "";
    case Spread::tile:
      return "NaN and Inf may spread over their tile of " + std::to_string(model.tile_h) + "x" +
             std::to_string(model.tile_w) + " outputs";
    case Spread::image:
      break;
  }
  return "NaN and Inf may spread over their image";
}

Json note_array(const Measurement& m) {
  Json notes = Json::array();
  for (const std::string& note : m.plan.notes()) notes.push_back(note);
  for (const std::string& note : m.notes) notes.push_back(note);
  if (const std::string spread = spread_note(m.plan); !spread.empty()) notes.push_back(spread);
  notes.push_back("tflops: direct-equivalent FLOPs over the median");
  if (m.kernel_alone) notes.push_back("timed: the kernel, after packing, reorders and transforms of x and w");
  notes.push_back("warm-up: " + std::to_string(m.timing.warmup) + " calls");
  if (m.plan.request().place == Place{})
    notes.push_back("threads: " + std::to_string(m.plan.request().resolved_threads()));
  if (m.timing.interrupted) notes.push_back("interrupted");
  return notes;
}

Json record(const Measurement& m) {
  const Plan& plan = m.plan;
  const Request& request = plan.request();
  const double median = m.timing.median_ms();
  std::int64_t peak = m.library_bytes;
  for (const Ledger::Line& line : m.bytes) peak += line.bytes;

  Json r;
  r["schema"] = kRecordSchema;
  r["time"] = utc_now();
  r["revision"] = revision();
  r["host"] = machine().host;
  r["cpu"] = machine().cpu;
  r["gpu"] = m.device == nullptr ? Json(nullptr) : Json(m.device->name);
  r["driver"] = m.device == nullptr ? Json(nullptr) : Json(m.device->driver);
  r["cuda"] = m.device == nullptr ? Json(nullptr) : Json(m.device->toolkit);
  r["libraries"] = library_object(m);
  r["clocks"] = clock_object(m.device);
  r["layer"] = m.layer;
  r["problem"] = problem_object(plan.problem().spec());
  r["algorithm"] = plan.algorithm().id;
  r["options"] = option_object(request);
  r["run"] = plan.run_name();
  r["unit"] = name(plan.algorithm().unit_for(request.dtype));
  r["dtype"] = name(request.dtype);
  r["layout"] = {{"x", name(request.layouts.x)}, {"w", name(request.layouts.w)}, {"y", name(request.layouts.y)}};
  r["timed"] = m.kernel_alone ? "kernel" : "call";
  r["l2"] = m.cold_cache ? "cold" : "warm";
  r["data"] = {{"pattern", m.pattern}, {"seed", m.seed}};
  r["samples_ms"] = m.timing.samples_ms;
  r["median_ms"] = median;
  r["min_ms"] = m.timing.min_ms();
  r["tflops"] = tflops(plan.flops(), median);
  r["tflops_executed"] = tflops(plan.executed_flops(), median);
  r["floor_fraction"] = m.floor_fraction;
  r["bytes"] = byte_object(m);
  r["workspace_bytes"] = plan.workspace_bytes();
  r["peak_bytes"] = peak;
  r["peak_source"] = m.library_bytes > 0 ? "device" : "ledger";
  r["registers"] = m.kernel ? Json(m.kernel->registers) : Json(nullptr);
  r["shared_bytes"] = m.kernel ? Json(m.kernel->shared_bytes) : Json(nullptr);
  r["spill_bytes"] = m.kernel ? Json(m.kernel->spill_bytes) : Json(nullptr);
  r["error_over_bound"] = m.error_over_bound;
  r["engine_notes"] = note_array(m);
  return r;
}

// nlohmann-json writes numbers by itself: '.' in every locale, the shortest digits that read back equal, NaN and Inf as
// null. Text that is no UTF-8 is replaced rather than refused.
std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

// A value as the text of one cell: lists and objects as "a;b" and "k=v;k=w".
std::string cell(const Json& value) {
  // JSON's null is both "does not apply" and "not a number".
  if (value.is_null() || (value.is_number_float() && dump(value) == "null")) return "n/a";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return dump(value);
  std::string text;
  for (const auto& [key, item] : value.items())
    text += (text.empty() ? "" : ";") + (value.is_object() ? key + "=" : "") + cell(item);
  return text;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[] = "2000-01-01T00:00:00Z";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string to_json(const Measurement& measurement) { return dump(record(measurement)); }

std::string csv_header() {
  std::string line;
  for (const char* column : kColumns) line += std::string(column) + ",";
  line.pop_back();
  return line;
}

std::string to_csv(const Measurement& measurement) {
  const Json r = record(measurement);
  std::string line;
  for (const std::string column : kColumns) {
    const std::size_t dot = column.find('.');
    const Json& field = r.at(column.substr(0, dot));
    line += quoted(cell(dot == std::string::npos ? field : field.at(column.substr(dot + 1)))) + ",";
  }
  line.pop_back();
  return line;
}

}  // namespace convlens
