#include "algorithms/measure/lighter.h"

namespace convlens {

namespace {

// The plan with another value of one option; none where the row refuses it.
std::shared_ptr<const Plan> with_value(const Algorithm& row, Request request, const Option& option,
                                       const std::string& value) {
  request.options.set(option.id, value);
  return row.supports(request) ? row.plan(request) : nullptr;
}

}  // namespace

Lighter lighter_plans(const Algorithm& row, const Request& request) {
  Request current = complete(row, request);
  current.memory_limit = std::nullopt;
  const auto fits = [&](const Plan& plan) {
    return plan.workspace_bytes() + request.tensor_bytes() <= *request.memory_limit;
  };

  Lighter lighter{{}, row.plan(current)};
  for (bool smaller = true; smaller && lighter.plans.empty();) {
    const std::int64_t before = lighter.smallest->workspace_bytes();
    smaller = false;
    for (const Option& option : row.options)
      for (const std::string& value : option.values) {
        if (current.options[option.id] != option.default_value || value == option.default_value) continue;
        std::shared_ptr<const Plan> plan = with_value(row, current, option, value);
        if (!plan || plan->workspace_bytes() >= before) continue;
        if (fits(*plan)) lighter.plans.push_back(plan);
        if (plan->workspace_bytes() < lighter.smallest->workspace_bytes()) lighter.smallest = std::move(plan);
        smaller = true;
      }
    current.options = lighter.smallest->request().options;
  }
  return lighter;
}

}  // namespace convlens
