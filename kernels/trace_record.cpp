#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "algorithms/problem/parse.h"
#include "algorithms/worker/fields.h"
#include "kernels/trace.h"

namespace convlens::gpu {

namespace {

using Json = nlohmann::ordered_json;

using worker::Fields;

constexpr int kTrace = 1;                                          // another number is another language
constexpr std::int64_t kMostExtent = (std::int64_t{1} << 31) - 1;  // of a grid along x
constexpr int kMostMultiprocessors = 10'000;

Json list(const Dim3& d) { return {d.x, d.y, d.z}; }

Dim3 dim3_of(const Fields& fields, const char* name) {
  const std::vector<std::int64_t> d = fields.wholes(name);
  if (d.size() != 3 || std::ranges::any_of(d, [](std::int64_t extent) { return extent < 1 || extent > kMostExtent; }))
    fields.refuse(name, "three extents from 1 to " + std::to_string(kMostExtent));
  return {d[0], d[1], d[2]};
}

template <class Parse>
auto named(const Fields& fields, const char* name, const Parse& parse) {
  const auto value = parse(fields.text(name));
  if (!value) fields.refuse(name, "the name of one");
  return *value;
}

template <class Number, class Member>
std::vector<Number> column(const std::vector<BlockSpan>& blocks, Member member) {
  std::vector<Number> numbers;
  for (const BlockSpan& block : blocks) numbers.push_back(block.*member);
  return numbers;
}

std::vector<BlockSpan> parse_blocks(const Fields& fields) {
  const auto sm = fields.wholes("sm"), begin = fields.wholes("begin_ns"), end = fields.wholes("end_ns");
  if (begin.size() != sm.size() || end.size() != sm.size())
    throw BadInput("trace: sm, begin_ns and end_ns, must be as long as each other");
  std::vector<BlockSpan> blocks;
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (std::size_t k = 0; k < sm.size(); ++k)
    blocks.push_back({begin[k], end[k], static_cast<std::int32_t>(std::clamp<std::int64_t>(sm[k], -1, most)), 1});
  return blocks;
}

Trace trace_of(const Fields& fields) {
  if (fields.whole("trace") != kTrace) fields.refuse("trace", std::to_string(kTrace));
  const Fields layout = fields.object("layout");
  Trace trace{.time = fields.text("time"),
              .revision = fields.text("revision"),
              .gpu = fields.text("gpu"),
              .driver = fields.text("driver"),
              .multiprocessors = static_cast<int>(fields.whole("multiprocessors", 1, kMostMultiprocessors)),
              .layer = fields.text("layer"),
              .spec = parse_spec(fields.text("problem")),
              .run = fields.text("run"),
              .dtype = named(fields, "dtype", parse_dtype),
              .layouts = {named(layout, "x", parse_layout), named(layout, "w", parse_filter_layout),
                          named(layout, "y", parse_layout)},
              .kernel = fields.text("kernel"),
              .grid = dim3_of(fields, "grid"),
              .block = dim3_of(fields, "block"),
              .blocks = parse_blocks(fields)};
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
  const Json json = worker::parse_line(line, "trace");
  return trace_of(Fields(json, "trace"));
}

}  // namespace convlens::gpu
