#include "algorithms/measure/side_by_side.h"

#include <algorithm>
#include <optional>

#include "algorithms/error.h"
#include "algorithms/measure/device.h"
#include "algorithms/measure/session.h"

namespace convlens {

namespace {

bool goes_on(const Outcome& outcome) { return outcome.refused.empty(); }

// The workspace for all that go on. Where there is too little memory for it, those that need most are refused, until
// it fits.
std::shared_ptr<const PlacedBuffer> shared_workspace(std::vector<Outcome>& outcomes, Place place) {
  for (;;) {
    std::int64_t most = -1;
    for (const Outcome& outcome : outcomes)
      if (goes_on(outcome)) most = std::max(most, outcome.plan->workspace_bytes());
    if (most < 0) return nullptr;
    try {
      return std::make_shared<PlacedBuffer>(place, most);
    } catch (const Unsupported& none) {
      for (Outcome& outcome : outcomes)
        if (goes_on(outcome) && outcome.plan->workspace_bytes() == most)
          outcome.refused = outcome.plan->run_name() + ": workspace, " + none.what();
    }
  }
}

// Runs once what is to be measured, and sees what it takes.
void run_once(Outcome& outcome, Session& session, Device& device) {
  try {
    const std::int64_t free = device.free_memory();
    device.prepare(*outcome.plan);
    session.run();
    outcome.taken = std::max<std::int64_t>(0, free - device.free_memory());
    outcome.bytes = session.ledger().lines();
  } catch (const Error& error) {
    outcome.refused = outcome.plan->run_name() + ": " + error.what();
  }
}

}  // namespace

std::vector<Outcome> measure_side_by_side(const std::vector<std::shared_ptr<const Plan>>& plans, std::uint64_t seed,
                                          const RulerOptions& options) {
  std::vector<Outcome> outcomes;
  for (const auto& plan : plans) outcomes.push_back({plan});
  if (plans.empty()) return outcomes;
  const Request& request = plans.front()->request();
  Device& gpu = device(request.place);

  std::shared_ptr<const Operands> operands;
  try {
    operands = std::make_shared<Operands>(request, seed);
  } catch (const Unsupported& none) {
    for (Outcome& outcome : outcomes) outcome.refused = std::string("tensors: ") + none.what();
    return outcomes;
  }
  const auto workspace = shared_workspace(outcomes, request.place);

  std::vector<std::pair<Outcome*, std::shared_ptr<Session>>> measured;
  for (Outcome& outcome : outcomes) {
    if (!goes_on(outcome)) continue;
    auto session = std::make_shared<Session>(outcome.plan, operands, workspace);
    run_once(outcome, *session, gpu);
    if (goes_on(outcome)) measured.emplace_back(&outcome, std::move(session));
  }
  std::vector<std::function<void(Stream)>> calls;
  for (const auto& [outcome, session] : measured)
    calls.push_back([call = session](Stream stream) { call->queue(stream); });
  if (calls.empty()) return outcomes;
  std::vector<Timing> timings = gpu.measure(calls, options);
  for (std::size_t k = 0; k < measured.size(); ++k) measured[k].first->timing = std::move(timings[k]);
  return outcomes;
}

}  // namespace convlens
