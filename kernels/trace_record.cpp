#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "algorithms/problem/parse.h"
#include "kernels/trace.h"

namespace convlens::gpu {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kTrace = 1;  // another number is another language

Json list(const Dim3& d) { return {d.x, d.y, d.z}; }

Dim3 parse_dim3(const Json& json) { return {json.at(0), json.at(1), json.at(2)}; }

template <class Value>
Value named(const std::optional<Value>& value, const Json& json, const std::string& field) {
  if (!value) throw BadInput("trace: " + field + ": " + json.dump() + ", must be the name of one");
  return *value;
}

template <class Number, class Member>
std::vector<Number> column(const std::vector<BlockSpan>& blocks, Member member) {
  std::vector<Number> numbers;
  for (const BlockSpan& block : blocks) numbers.push_back(block.*member);
  return numbers;
}

std::vector<BlockSpan> parse_blocks(const Json& json) {
  const auto sm = json.at("sm").get<std::vector<std::int32_t>>();
  const auto begin = json.at("begin_ns").get<std::vector<std::int64_t>>();
  const auto end = json.at("end_ns").get<std::vector<std::int64_t>>();
  if (begin.size() != sm.size() || end.size() != sm.size())
    throw BadInput("trace: sm, begin_ns and end_ns, must be as long as each other");
  std::vector<BlockSpan> blocks;
  for (std::size_t k = 0; k < sm.size(); ++k) blocks.push_back({begin[k], end[k], sm[k], 1});
  return blocks;
}

Trace trace_of(const Json& json) {
  if (json.at("trace") != kTrace)
    throw BadInput("trace: " + json["trace"].dump() + ", must be " + std::to_string(kTrace));
  const Json& layout = json.at("layout");
  const auto text = [](const Json& value) { return value.get<std::string>(); };
  const Json &x = layout.at("x"), &w = layout.at("w"), &y = layout.at("y");
  Trace trace{
      .time = json.at("time"),
      .revision = json.at("revision"),
      .gpu = json.at("gpu"),
      .driver = json.at("driver"),
      .multiprocessors = json.at("multiprocessors"),
      .layer = json.at("layer"),
      .spec = parse_spec(text(json.at("problem"))),
      .run = json.at("run"),
      .dtype = named(parse_dtype(text(json.at("dtype"))), json["dtype"], "dtype"),
      .layouts = {named(parse_layout(text(x)), x, "layout.x"), named(parse_filter_layout(text(w)), w, "layout.w"),
                  named(parse_layout(text(y)), y, "layout.y")},
      .kernel = json.at("kernel"),
      .grid = parse_dim3(json.at("grid")),
      .block = parse_dim3(json.at("block")),
      .blocks = parse_blocks(json)};
  if (static_cast<std::int64_t>(trace.blocks.size()) != trace.grid.count())
    throw BadInput("trace: sm: " + std::to_string(trace.blocks.size()) + " blocks, must be the grid's " +
                   std::to_string(trace.grid.count()));
  for (const BlockSpan& block : trace.blocks)
    if (block.begin_ns < 0 || block.end_ns < block.begin_ns || block.sm < 0 || block.sm >= trace.multiprocessors)
      throw BadInput("trace: a block on " + std::to_string(block.sm) + " from " + std::to_string(block.begin_ns) +
                     " to " + std::to_string(block.end_ns) + ", must be on one of the " +
                     std::to_string(trace.multiprocessors) + " multiprocessors, and end no sooner than it begins");
  return trace;
}

}  // namespace

std::string to_line(const Trace& t) {
  return Json{{"trace", kTrace},
              {"time", t.time},
              {"revision", t.revision},
              {"gpu", t.gpu},
              {"driver", t.driver},
              {"multiprocessors", t.multiprocessors},
              {"layer", t.layer},
              {"problem", to_text(t.spec)},
              {"run", t.run},
              {"dtype", name(t.dtype)},
              {"layout", {{"x", name(t.layouts.x)}, {"w", name(t.layouts.w)}, {"y", name(t.layouts.y)}}},
              {"kernel", t.kernel},
              {"grid", list(t.grid)},
              {"block", list(t.block)},
              {"sm", column<std::int32_t>(t.blocks, &BlockSpan::sm)},
              {"begin_ns", column<std::int64_t>(t.blocks, &BlockSpan::begin_ns)},
              {"end_ns", column<std::int64_t>(t.blocks, &BlockSpan::end_ns)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Trace parse_trace(const std::string& line) {
  try {
    return trace_of(Json::parse(line));
  } catch (const Json::exception& wrong) {
    throw BadInput("trace: a line that is none: " + std::string(wrong.what()));
  }
}

}  // namespace convlens::gpu
