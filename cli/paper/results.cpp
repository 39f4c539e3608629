#include "cli/paper/results.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <locale>
#include <nlohmann/json.hpp>
#include <sstream>

#include "algorithms/measure/ruler.h"

namespace convlens::cli::paper {

namespace {

using Json = nlohmann::json;

const std::string kDeviceNote = "the device's free memory fell by ", kCeilingNote = "ceilings of this run: ";

// The notes that begin with `start`, without it.
std::optional<std::string> note(const Json& record, const std::string& start) {
  for (const Json& text : record.at("engine_notes"))
    if (const auto line = text.get<std::string>(); line.starts_with(start)) return line.substr(start.size());
  return std::nullopt;
}

// The contender that the record is of: the same row, options, type and layout.
const Contender* whose(const Json& record) {
  for (const Contender& c : contenders()) {
    if (record.at("dtype") != name(c.dtype) || record.at("layout").at("x") != name(c.layout)) continue;
    const Resolved resolved = resolve(c);
    if (!resolved.run || record.at("algorithm") != resolved.run->algorithm->id) continue;
    const auto options = record.at("options").get<std::map<std::string, std::string, std::less<>>>();
    if (options == resolved.run->options.values()) return &c;
  }
  return nullptr;
}

std::optional<Ceilings> ceilings_of(const Json& record) {
  const auto text = note(record, kCeilingNote);
  if (!text) return std::nullopt;
  std::istringstream words(*text);
  words.imbue(std::locale::classic());
  Ceilings c;
  std::string unit, type;
  words >> c.f32_tflops >> unit >> type >> c.f16_tflops >> unit >> type >> c.copy_tbytes;
  return words ? std::optional(c) : std::nullopt;
}

Origin origin_of(const Json& record) {
  Origin origin;
  for (const auto& [key, text] : std::initializer_list<std::pair<const char*, std::string*>>{
           {"gpu", &origin.gpu}, {"driver", &origin.driver}, {"cuda", &origin.cuda}, {"l2", &origin.l2}})
    if (record.contains(key) && record.at(key).is_string()) *text = record.at(key).get<std::string>();
  for (const std::string library : {"cuBLAS", "cuDNN"})
    if (record.at("libraries").contains(library))
      origin.libraries.push_back(library + " " + record.at("libraries").at(library).get<std::string>());
  return origin;
}

Result result_of(const Json& record, const Contender& contender) {
  Result r;
  r.contender = contender.name;
  r.median_tflops = record.at("tflops").get<double>();
  r.median_ms = record.at("median_ms").get<double>();
  r.best_tflops = r.median_tflops * r.median_ms / record.at("min_ms").get<double>();
  r.ledger_bytes = record.at("peak_bytes").get<std::int64_t>();
  r.bytes = record.at("bytes").get<std::map<std::string, std::int64_t>>();
  if (const auto text = note(record, kDeviceNote)) {
    std::int64_t bytes = 0;
    if (std::from_chars(text->data(), text->data() + text->size(), bytes).ec == std::errc{}) r.device_bytes = bytes;
  }
  return r;
}

}  // namespace

std::string device_bytes_note(std::int64_t bytes) { return kDeviceNote + std::to_string(bytes) + " bytes"; }

void Results::add(const std::string& json, const std::string& where) {
  try {
    const Json record = Json::parse(json);
    const Contender* contender = whose(record);
    const bool whole_call = record.at("timed") == "call" && !record.at("gpu").is_null();
    if (contender == nullptr || !whole_call || record.at("median_ms").is_null() || record.at("tflops").is_null()) {
      ++left_out_;
      return;
    }
    const auto layer = record.at("layer").get<std::string>();
    const std::size_t samples = record.at("samples_ms").size();
    results_[{layer, contender->name}] = result_of(record, *contender);
    if (std::ranges::find(layers_, layer) == layers_.end()) layers_.push_back(layer);
    samples_ = samples_ == 0 ? samples : std::min(samples_, samples);
    batches_.insert(record.at("problem").at("n").get<std::int64_t>());
    if (const auto found = ceilings_of(record)) ceilings_ = found;
    origins_.insert("revision " + record.at("revision").get<std::string>() + ", " +
                    record.at("time").get<std::string>().substr(0, std::size("2000-01-01") - 1));
    origin_ = origin_of(record);
  } catch (const Json::exception& wrong) {
    throw BadInput(where + ": no record of convlens, " + wrong.what());
  }
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
