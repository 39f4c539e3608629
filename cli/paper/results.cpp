#include "cli/paper/results.h"

#include <algorithm>
#include <charconv>
#include <locale>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "algorithms/problem/parse.h"
#include "algorithms/shortened.h"
#include "algorithms/worker/recorded.h"
#include "cli/paper/record.h"

namespace convlens::cli::paper {

namespace {

using Json = nlohmann::ordered_json;

const std::string kDeviceNote = "the device's free memory fell by ", kCeilingNote = "ceilings of this run: ";

// The notes that begin with `start`, without it.
std::optional<std::string> note(const Json& record, const std::string& start) {
  for (const Json& text : record.at("engine_notes"))
    if (const auto line = text.get<std::string>(); line.starts_with(start)) return line.substr(start.size());
  return std::nullopt;
}

// A note is quoted by its beginning, on one line.
[[noreturn]] void refuse_note(const std::string& where, const std::string& text, const std::string& rule) {
  throw BadInput(where + ": engine_notes: " + shortened(Json(text).dump()) + ", must be " + rule);
}

// The contender that the record is of: the same row, options, type and layout.
const Contender* whose(const Json& record) {
  const auto run = recorded_run(record);
  if (!run || record.at("timed") != "call" || record.at("gpu").is_null()) return nullptr;
  for (const Contender& c : contenders()) {
    if (record.at("dtype") != name(c.dtype) || record.at("layout").at("x") != name(c.layout)) continue;
    const Resolved resolved = resolve(c);
    if (resolved.run && run->algorithm == resolved.run->algorithm && run->options == resolved.run->options) return &c;
  }
  return nullptr;
}

// "direct.tc, f16 NCHW", as the run is named today, and what else may keep a record from taking part.
std::string who(const Json& record) {
  const auto text = [](const Json& json) { return json.get<std::string>(); };
  const auto run = recorded_run(record);
  return (run ? run_name(*run->algorithm, run->options) : text(record.at("run"))) + ", " + text(record.at("dtype")) +
         " " + text(record.at("layout").at("x")) + (record.at("timed") == "kernel" ? ", the kernel alone" : "") +
         (record.at("gpu").is_null() ? ", on a CPU" : "");
}

std::optional<Ceilings> ceilings_of(const Json& record, const std::string& where) {
  const auto text = note(record, kCeilingNote);
  if (!text) return std::nullopt;
  std::istringstream words(*text);
  words.imbue(std::locale::classic());
  Ceilings c;
  std::string unit, type;
  words >> c.f32_tflops >> unit >> type >> c.f16_tflops >> unit >> type >> c.copy_tbytes;
  if (!words || std::min({c.f32_tflops, c.f16_tflops, c.copy_tbytes}) <= 0)
    refuse_note(where, kCeilingNote + *text, "as in 53.4 TFLOPS f32, 754.3 TFLOPS f16, 4.26 TB/s, each above 0");
  return c;
}

std::optional<std::int64_t> device_bytes_of(const Json& record, const std::string& where) {
  const auto text = note(record, kDeviceNote);
  if (!text) return std::nullopt;
  std::int64_t bytes = -1;
  const auto error = std::from_chars(text->data(), text->data() + text->size(), bytes).ec;
  if (error != std::errc{} || bytes < 0 || device_bytes_note(bytes) != kDeviceNote + *text)
    refuse_note(where, kDeviceNote + *text, "of a whole number of bytes ≥ 0");
  return bytes;
}

// What a Winograd row made of m = auto: "F(5x5,3x3)", the first word of a note.
std::string transform(std::span<const std::string> notes) {
  for (const std::string& note : notes)
    if (note.starts_with("F(")) return note.substr(0, note.find(' '));
  return "";
}

void set_transforms(Result& result, const Json& record, const Contender& contender) {
  const std::string then = transform(record.at("engine_notes").get<std::vector<std::string>>());
  if (then.empty()) return;
  const Run run = *resolve(contender).run;
  const Request request = contender.request(run, recorded_spec(record));
  const std::string now =
      run.algorithm->supports(request) ? transform(run.algorithm->plan(request)->notes()) : "no such transform";
  if (now != then) result.transform = then, result.today = now;
}

void add_origin(const Json& record, Origin& origin) {
  for (const auto& [key, texts] : {std::pair{"driver", &origin.drivers}, {"cuda", &origin.cuda}})
    if (record.at(key).is_string()) texts->insert(record.at(key).get<std::string>());
  for (const char* library : {"cuBLAS", "cuDNN"})
    if (record.at("libraries").contains(library))
      origin.libraries.insert(std::string(library) + " " + record.at("libraries").at(library).get<std::string>());
  if (const auto text = note(record, kCeilingNote)) origin.ceilings.insert(*text);
  constexpr std::size_t kDay = std::string_view("2000-01-01").size();
  origin.made.insert("revision " + record.at("revision").get<std::string>() + ", " +
                     record.at("time").get<std::string>().substr(0, kDay));
}

Result result_of(const Json& record, const Contender& contender, const std::string& where) {
  Result r;
  r.contender = contender.name;
  r.median_tflops = recorded_amount(record, "tflops", where);
  r.median_ms = recorded_amount(record, "median_ms", where);
  r.best_tflops = r.median_tflops * r.median_ms / recorded_amount(record, "min_ms", where);
  r.bytes = record.at("bytes").get<std::map<std::string, std::int64_t>>();
  r.bytes.erase("device");  // what a library took besides: whoever calls it first in a process pays for all
  for (const auto& [what, bytes] : r.bytes) r.ledger_bytes += bytes;
  r.device_bytes = device_bytes_of(record, where);
  set_transforms(r, record, contender);
  return r;
}

}  // namespace

std::string device_bytes_note(std::int64_t bytes) { return kDeviceNote + std::to_string(bytes) + " bytes"; }

void Results::add(const std::string& json, const std::string& where) {
  const Json record = checked_record(json, where);
  const Contender* contender = whose(record);
  if (contender == nullptr) {
    ++left_out_[who(record)];
    return;
  }
  const Result result = result_of(record, *contender, where);
  const std::optional<Ceilings> ceilings = ceilings_of(record, where);
  const ConvSpec spec = recorded_spec(record);
  const auto name = record.at("layer").get<std::string>();
  const std::string layer = name.empty() ? to_text(spec) : name;
  const auto gpu = record.at("gpu").get<std::string>(), l2 = record.at("l2").get<std::string>();
  const auto same = [&](const char* what, const std::string& value, const std::string& before) {
    if (value != before)
      throw BadInput(where + ": " + what + ": " + value + ", must be " + before + " as in the records before");
  };
  if (!empty()) {
    same("gpu", gpu, origin_.gpu);
    same("l2", l2, origin_.l2);
    same("problem.n", std::to_string(spec.n), std::to_string(specs_.begin()->second.n));
  }
  if (const auto before = specs_.find(layer); before != specs_.end())
    same(("problem of " + layer).c_str(), to_text(spec), to_text(before->second));
  else
    layers_.push_back(layer);
  if (!results_.insert_or_assign({layer, contender->name}, result).second) ++replaced_[contender->name];
  specs_[layer] = spec;
  origin_.gpu = gpu, origin_.l2 = l2;
  add_origin(record, origin_);
  const std::size_t samples = record.at("samples_ms").size();
  samples_ = samples_ == 0 ? samples : std::min(samples_, samples);
  if (ceilings) ceilings_ = ceilings;
}

std::optional<Result> Results::find(const std::string& layer, const std::string& contender) const {
  const auto found = results_.find({layer, contender});
  return found == results_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Result> Results::fastest(const std::string& layer, const std::vector<Contender>& contenders) const {
  std::optional<Result> best;
  for (const Contender& c : contenders)
    if (const auto r = find(layer, c.name); r && (!best || r->best_tflops > best->best_tflops)) best = r;
  return best;
}

}  // namespace convlens::cli::paper
