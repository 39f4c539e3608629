#include "algorithms/worker/protocol.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "algorithms/problem/parse.h"
#include "algorithms/worker/fields.h"

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
Json json_of(const Refused& r) {
  return {{"is", "refused"}, {"id", r.id}, {"why", r.why}, {"exit", static_cast<int>(r.exit)}};
}
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

// One of two words; true for the first.
bool is_first(const Fields& fields, const char* name, const std::string& first, const std::string& second) {
  const std::string word = fields.text(name);
  if (word != first && word != second) fields.refuse(name, first + " or " + second);
  return word == first;
}

template <class Parse>
auto named(const Fields& fields, const char* name, const Parse& parse, const std::string& rule) {
  const auto value = parse(fields.text(name));
  if (!value) fields.refuse(name, rule);
  return *value;
}

Job parse_job(const Fields& fields) {
  const Fields layout = fields.object("layout");
  Job job;
  job.id = fields.whole("id");
  job.layer = fields.text("layer");
  job.spec = parse_spec(fields.text("problem"));
  job.run = fields.text("run");
  job.dtype = named(fields, "dtype", parse_dtype, "f32, f16, bf16 or f64");
  job.layouts.x = named(layout, "x", parse_layout, "NCHW, NHWC or CHWN");
  job.layouts.w = named(layout, "w", parse_filter_layout, "OIHW or OHWI");
  job.layouts.y = named(layout, "y", parse_layout, "NCHW, NHWC or CHWN");
  job.kernel_alone = is_first(fields, "timed", "kernel", "call");
  job.cold_cache = is_first(fields, "l2", "cold", "warm");
  job.seed = fields.natural("seed");
  job.repeats = static_cast<int>(fields.whole("repeats", 1, std::numeric_limits<int>::max()));
  job.seconds = fields.number("seconds");
  job.endless = fields.flag("endless");
  job.traced = fields.flag("traced");
  if (!(job.seconds >= 0)) fields.refuse("seconds", "≥ 0");
  return job;
}

Hello hello_of(const Fields& fields) try {
  const auto protocol = static_cast<int>(fields.whole("protocol", 0, std::numeric_limits<int>::max()));
  if (protocol != kProtocol) return {protocol, "", "", "", ""};  // of another version's only the number is certain
  return {protocol, fields.text("revision"), fields.text("host"), fields.text("cpu"), fields.text("gpu")};
} catch (const BadInput& wrong) {
  throw WrongHello(wrong.what());
}

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Started started_of(const Fields& fields) {
  return {.id = fields.whole("id"),
          .run = fields.text("run"),
          .unit = fields.text("unit"),
          .flops = fields.whole("flops", 0, kMost),
          .executed_flops = fields.whole("executed_flops", 0, kMost),
          .tensor_bytes = fields.whole("tensor_bytes", 0, kMost),
          .workspace = fields.whole("workspace_bytes", 0, kMost)};
}

Samples samples_of(const Fields& fields) {
  Samples samples{fields.whole("id"), fields.numbers("ms")};
  // !(…) holds for NaN, too.
  if (std::ranges::any_of(samples.ms, [](double ms) { return !(ms >= kLeastMs && ms <= kMostMs); }))
    fields.refuse("ms", "a list of times, each from 1e-9 to 1e9 ms");
  return samples;
}

Ceilings ceilings_of(const Fields& fields) {
  const auto rate = [&](const char* name) {
    const double value = fields.number(name);
    if (!(value >= 0)) fields.refuse(name, "≥ 0");
    return value;
  };
  return {fields.flag("gpu"), rate("f32_tflops"), rate("f16_tflops"), rate("tbytes")};
}

Done done_of(const Fields& fields) {
  const Json& record = fields.any("record");
  if (!record.is_null() && !record.is_object()) fields.refuse("record", "an object or null");
  return {fields.whole("id"), fields.flag("cancelled"), record.is_null() ? "" : record.dump()};
}

// Those that are older do not name the exit code.
Refused refused_of(const Fields& fields) {
  const auto exit = fields.has("exit") ? static_cast<Exit>(fields.whole("exit", 0, 255)) : Exit::unsupported;
  return {fields.whole("id"), fields.text("why"), exit};
}

}  // namespace

std::optional<std::int64_t> job_of(const Answer& answer) {
  return std::visit(
      [](const auto& said) -> std::optional<std::int64_t> {
        using Said = std::decay_t<decltype(said)>;
        if constexpr (requires { said.id; } && !std::is_same_v<Said, Pong>)
          return said.id;
        else
          return std::nullopt;
      },
      answer);
}

std::string to_line(const Question& question) { return line_of(question); }
std::string to_line(const Answer& answer) { return line_of(answer); }

Question parse_question(const std::string& line) {
  const Json json = parse_line(line, "worker");
  const Fields fields(json, "worker");
  const std::string is = fields.text("is");
  if (is == "measure") return parse_job(fields);
  if (is == "cancel") return Cancel{fields.whole("id")};
  if (is == "ping") return Ping{fields.whole("id")};
  if (is == "ceilings") return AskCeilings{fields.flag("gpu")};
  fields.refuse("is", "measure, cancel, ping or ceilings");
}

Answer parse_answer(const std::string& line) {
  const Json json = parse_line(line, "answer");
  const Fields fields(json, "answer");
  const std::string is = fields.text("is");
  if (is == "hello") return hello_of(fields);
  if (is == "started") return started_of(fields);
  if (is == "samples") return samples_of(fields);
  if (is == "done") return done_of(fields);
  if (is == "refused") return refused_of(fields);
  if (is == "pong") return Pong{fields.whole("id")};
  if (is == "ceilings") return ceilings_of(fields);
  if (is == "not understood") return NotUnderstood{fields.text("why")};
  fields.refuse("is", "an answer of this protocol");
}

}  // namespace convlens::worker
