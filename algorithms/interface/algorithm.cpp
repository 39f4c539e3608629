#include "algorithms/interface/algorithm.h"

#include <algorithm>

#include "algorithms/error.h"
#include "algorithms/suggest.h"

namespace convlens {

std::string_view name(Unit unit) {
  switch (unit) {
    case Unit::cpu:
      return "cpu";
    case Unit::cc:
      return "cc";
    case Unit::tc:
      break;
  }
  return "tc";
}

OptionSet parse_options(const Algorithm& algorithm, std::string_view text) {
  const std::string_view first = text.substr(0, text.find(','));
  const std::vector<NamedOptions>& sets = algorithm.named_options;
  if (sets.empty() || first.empty() || first.find('=') != std::string_view::npos)
    return OptionSet::parse(text, algorithm.options);
  const auto named = std::ranges::find(sets, first, &NamedOptions::name);
  if (named == sets.end()) {
    std::vector<std::string> names;
    for (const NamedOptions& set : sets) names.push_back(set.name);
    std::string rule = "written id=value";
    for (const std::string& name : names) rule += ", or " + name;
    throw BadInput("options of " + algorithm.id + ": " + std::string(first) + suggestion(first, names, rule));
  }
  OptionSet options = OptionSet::parse(named->text, algorithm.options);
  if (first.size() == text.size()) return options;
  const std::string_view changes = text.substr(first.size() + 1);
  if (changes.empty()) throw BadInput("option: \"\", must be written id=value");
  options.change(changes, algorithm.options);
  return options;
}

std::string run_name(const Algorithm& algorithm, const OptionSet& options) {
  const std::string text = options.text(algorithm.options);
  return text.empty() ? algorithm.id : algorithm.id + ":" + text;
}

Request complete(const Algorithm& algorithm, Request request) {
  OptionSet options = OptionSet::parse("", algorithm.options);
  for (const auto& [id, value] : request.options.values()) options.set(id, value);
  request.options = std::move(options);
  request.place.kind = algorithm.unit == Unit::cpu ? Place::Kind::host : Place::Kind::device;
  return request;
}

namespace {

// "im2col.ref: workspace 9031684608 bytes (im2col 9031680000, filter 4608) + tensors …, memory limit …"
std::string too_large(const Plan& plan, std::int64_t limit) {
  std::string parts;
  for (const Buffer& buffer : plan.workspace())
    parts += (parts.empty() ? "" : ", ") + buffer.name + " " + std::to_string(buffer.bytes);
  return plan.run_name() + ": workspace " + std::to_string(plan.workspace_bytes()) + " bytes" +
         (parts.empty() ? "" : " (" + parts + ")") + " + tensors " + std::to_string(plan.request().tensor_bytes()) +
         " bytes, must be ≤ the memory limit of " + std::to_string(limit) + " bytes";
}

// "tensors: x 25690112 + w 147456 + y 25690112 bytes, must be ≤ the memory limit of … bytes, whatever the row"
std::string tensors_too_large(const Request& request, std::int64_t limit) {
  return "tensors: x " + std::to_string(request.x_bytes()) + " + w " + std::to_string(request.w_bytes()) + " + y " +
         std::to_string(request.y_bytes()) +
         (request.problem.bias() ? " + bias " + std::to_string(request.bias_bytes()) : "") +
         " bytes, must be ≤ the memory limit of " + std::to_string(limit) + " bytes, whatever the row";
}

struct Judged {
  Support support;
  std::shared_ptr<const Plan> plan;
};

Judged judge(const Algorithm& algorithm, const Request& asked, std::size_t suggestions);

// A rule suggests what satisfies it alone. Here the other rules have their say too, so that the result runs,
// or is nothing.
std::optional<Request> runnable(const Algorithm& algorithm, const std::optional<Request>& suggested,
                                std::size_t suggestions) {
  if (!suggested || suggestions == 0) return std::nullopt;
  const Support support = judge(algorithm, *suggested, suggestions - 1).support;
  return support ? suggested : support.nearest;
}

// Follows at most so many `suggestions`: rules that contradict each other must come to an end.
Judged judge(const Algorithm& algorithm, const Request& asked, std::size_t suggestions) {
  const Request request = complete(algorithm, asked);
  if (algorithm.missing)
    if (const std::string why = algorithm.missing(); !why.empty()) return {{false, algorithm.id + ": " + why, {}}, {}};
  for (const Rule& rule : algorithm.rules)
    if (const auto refusal = rule.refuse(request))
      return {{false, refusal->reason, runnable(algorithm, refusal->nearest, suggestions)}, {}};

  if (request.memory_limit && request.tensor_bytes() > *request.memory_limit)
    return {{false, tensors_too_large(request, *request.memory_limit), {}}, {}};
  std::shared_ptr<const Plan> plan;
  try {
    plan = std::make_shared<Plan>(algorithm, request, algorithm.decide(request));
  } catch (const Unsupported& overflow) {
    return {{false, algorithm.id + ": " + overflow.what(), {}}, {}};
  }
  if (request.memory_limit && plan->workspace_bytes() + request.tensor_bytes() > *request.memory_limit)
    return {{false, too_large(*plan, *request.memory_limit), {}}, {}};
  return {{}, std::move(plan)};
}

Judged judge(const Algorithm& algorithm, const Request& asked) {
  return judge(algorithm, asked, algorithm.rules.size());
}

}  // namespace

Unit Algorithm::unit_for(DType dtype) const {
  return vendor && unit == Unit::cc && size_of(dtype) == 2 ? Unit::tc : unit;
}

Support Algorithm::supports(const Request& request) const { return judge(*this, request).support; }

std::shared_ptr<const Plan> Algorithm::plan(const Request& request) const {
  Judged judged = judge(*this, request);
  if (!judged.support) throw Unsupported(judged.support.reason);
  return std::move(judged.plan);
}

}  // namespace convlens
