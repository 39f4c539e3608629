#include "algorithms/worker/protocol.h"

#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "algorithms/problem/parse.h"

namespace convlens::worker {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Job& j) {
  return {{"is", "measure"},
          {"id", j.id},
          {"layer", j.layer},
          {"problem", to_text(j.spec)},
          {"run", j.run},
          {"dtype", name(j.dtype)},
          {"layout", {{"x", name(j.layouts.x)}, {"w", name(j.layouts.w)}, {"y", name(j.layouts.y)}}},
          {"timed", j.kernel_alone ? "kernel" : "call"},
          {"l2", j.cold_cache ? "cold" : "warm"},
          {"seed", j.seed},
          {"repeats", j.repeats},
          {"seconds", j.seconds},
          {"endless", j.endless},
          {"traced", j.traced}};
}
Json json_of(const Cancel& c) { return {{"is", "cancel"}, {"id", c.id}}; }
Json json_of(const Ping& p) { return {{"is", "ping"}, {"id", p.id}}; }
Json json_of(const AskCeilings& a) { return {{"is", "ceilings"}, {"gpu", a.gpu}}; }

Json json_of(const Hello& h) {
  return {{"is", "hello"},  {"protocol", h.protocol}, {"revision", h.revision},
          {"host", h.host}, {"cpu", h.cpu},           {"gpu", h.gpu}};
}
Json json_of(const Started& s) {
  return {{"is", "started"},
          {"id", s.id},
          {"run", s.run},
          {"unit", s.unit},
          {"flops", s.flops},
          {"executed_flops", s.executed_flops},
          {"tensor_bytes", s.tensor_bytes},
          {"workspace_bytes", s.workspace}};
}
Json json_of(const Samples& s) { return {{"is", "samples"}, {"id", s.id}, {"ms", s.ms}}; }
Json json_of(const Done& d) {
  return {{"is", "done"},
          {"id", d.id},
          {"cancelled", d.cancelled},
          {"record", d.record.empty() ? Json(nullptr) : Json::parse(d.record)}};
}
Json json_of(const Refused& r) { return {{"is", "refused"}, {"id", r.id}, {"why", r.why}}; }
Json json_of(const Pong& p) { return {{"is", "pong"}, {"id", p.id}}; }
Json json_of(const Ceilings& c) {
  return {{"is", "ceilings"},
          {"gpu", c.gpu},
          {"f32_tflops", c.f32_tflops},
          {"f16_tflops", c.f16_tflops},
          {"tbytes", c.tbytes}};
}
Json json_of(const NotUnderstood& n) { return {{"is", "not understood"}, {"why", n.why}}; }

template <class AnyMessage>
std::string line_of(const AnyMessage& message) {
  return std::visit([](const auto& m) { return json_of(m); }, message)
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

[[noreturn]] void refuse(const std::string& what, const Json& value, const std::string& rule) {
  throw BadInput("worker: " + what + ": " + value.dump() + ", must be " + rule);
}

// One of two words; true for the first.
bool is_first(const Json& json, const std::string& field, const std::string& first, const std::string& second) {
  const auto word = json.at(field).get<std::string>();
  if (word != first && word != second) refuse(field, word, first + " or " + second);
  return word == first;
}

template <class Value>
Value named(const std::string& field, const Json& json, std::optional<Value> value, const std::string& rule) {
  if (!value) refuse(field, json, rule);
  return *value;
}

Job job_of(const Json& json) {
  const Json& layout = json.at("layout");
  const auto text = [](const Json& value) { return value.get<std::string>(); };
  Job job;
  job.id = json.at("id");
  job.layer = json.at("layer");
  job.spec = parse_spec(text(json.at("problem")));
  job.run = json.at("run");
  job.dtype = named("dtype", json.at("dtype"), parse_dtype(text(json.at("dtype"))), "f32, f16, bf16 or f64");
  job.layouts.x = named("layout.x", layout.at("x"), parse_layout(text(layout.at("x"))), "NCHW, NHWC or CHWN");
  job.layouts.w = named("layout.w", layout.at("w"), parse_filter_layout(text(layout.at("w"))), "OIHW or OHWI");
  job.layouts.y = named("layout.y", layout.at("y"), parse_layout(text(layout.at("y"))), "NCHW, NHWC or CHWN");
  job.kernel_alone = is_first(json, "timed", "kernel", "call");
  job.cold_cache = is_first(json, "l2", "cold", "warm");
  job.seed = json.at("seed");
  job.repeats = json.at("repeats");
  job.seconds = json.at("seconds");
  job.endless = json.at("endless");
  job.traced = json.at("traced");
  if (job.repeats < 1) refuse("repeats", json["repeats"], "≥ 1");
  if (!(job.seconds >= 0)) refuse("seconds", json["seconds"], "≥ 0");
  return job;
}

// A line as JSON with the field "is", given to `read`.
template <class Read>
auto parsed(const std::string& line, const Read& read) {
  try {
    const Json json = Json::parse(line);
    return read(json, json.at("is").get<std::string>());
  } catch (const Json::exception& wrong) {
    throw BadInput("worker: a line that is none of its language: " + std::string(wrong.what()));
  }
}

}  // namespace

std::string to_line(const Question& question) { return line_of(question); }
std::string to_line(const Answer& answer) { return line_of(answer); }

Question parse_question(const std::string& line) {
  return parsed(line, [](const Json& json, const std::string& is) -> Question {
    if (is == "measure") return job_of(json);
    if (is == "cancel") return Cancel{json.at("id")};
    if (is == "ping") return Ping{json.at("id")};
    if (is == "ceilings") return AskCeilings{json.at("gpu")};
    refuse("is", is, "measure, cancel, ping or ceilings");
  });
}

Answer parse_answer(const std::string& line) {
  return parsed(line, [](const Json& json, const std::string& is) -> Answer {
    // Of another version's hello only the number is certain.
    if (is == "hello" && json.at("protocol") != kProtocol) return Hello{json.at("protocol"), "", "", "", ""};
    if (is == "hello")
      return Hello{json.at("protocol"), json.at("revision"), json.at("host"), json.at("cpu"), json.at("gpu")};
    if (is == "started")
      return Started{json.at("id"),
                     json.at("run"),
                     json.at("unit"),
                     json.at("flops"),
                     json.at("executed_flops"),
                     json.at("tensor_bytes"),
                     json.at("workspace_bytes")};
    if (is == "samples") return Samples{json.at("id"), json.at("ms").get<std::vector<double>>()};
    if (is == "done")
      return Done{json.at("id"), json.at("cancelled"), json.at("record").is_null() ? "" : json.at("record").dump()};
    if (is == "refused") return Refused{json.at("id"), json.at("why")};
    if (is == "pong") return Pong{json.at("id")};
    if (is == "ceilings")
      return Ceilings{json.at("gpu"), json.at("f32_tflops"), json.at("f16_tflops"), json.at("tbytes")};
    if (is == "not understood") return NotUnderstood{json.at("why")};
    refuse("is", is, "an answer of this protocol");
  });
}

}  // namespace convlens::worker
