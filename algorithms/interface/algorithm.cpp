#include "algorithms/interface/algorithm.h"

#include "algorithms/error.h"

namespace convlens {

std::string_view name(Unit unit) {
  switch (unit) {
    case Unit::cpu: return "cpu";
    case Unit::cc: return "cc";
    case Unit::tc: break;
  }
  return "tc";
}

std::string run_name(const Algorithm& algorithm, const OptionSet& options) {
  const std::string text = options.text(algorithm.options);
  return text.empty() ? algorithm.id : algorithm.id + ":" + text;
}

Request complete(const Algorithm& algorithm, Request request) {
  OptionSet options = OptionSet::parse("", algorithm.options);
  for (const auto& [id, value] : request.options.values()) options.set(id, value);
  request.options = std::move(options);
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

std::optional<Refusal> first_refusal(const Algorithm& algorithm, const Request& request) {
  for (const Rule& rule : algorithm.rules)
    if (auto refusal = rule.refuse(request)) return refusal;
  return std::nullopt;
}

// What a rule proposes satisfies that rule, and another may refuse it still: follows the proposals to one that none
// refuses, at most as many as there are rules.
std::optional<Request> allowed_by_all(const Algorithm& algorithm, std::optional<Request> proposal) {
  for (std::size_t step = 0; proposal && step < algorithm.rules.size(); ++step) {
    std::optional<Refusal> refusal = first_refusal(algorithm, *proposal);
    if (!refusal) return proposal;
    proposal = std::move(refusal->nearest);
  }
  return std::nullopt;
}

struct Judged {
  Support support;
  std::shared_ptr<const Plan> plan;
};

Judged judge(const Algorithm& algorithm, const Request& asked) {
  const Request request = complete(algorithm, asked);
  if (algorithm.missing)
    if (const std::string why = algorithm.missing(); !why.empty()) return {{false, algorithm.id + ": " + why, {}}, {}};
  if (auto refusal = first_refusal(algorithm, request))
    return {{false, refusal->reason, allowed_by_all(algorithm, std::move(refusal->nearest))}, {}};

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

}  // namespace

Support Algorithm::supports(const Request& request) const { return judge(*this, request).support; }

std::shared_ptr<const Plan> Algorithm::plan(const Request& request) const {
  Judged judged = judge(*this, request);
  if (!judged.support) throw Unsupported(judged.support.reason);
  return std::move(judged.plan);
}

}  // namespace convlens
