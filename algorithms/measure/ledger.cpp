#include "algorithms/measure/ledger.h"

#include <algorithm>

namespace convlens {

PlacedBuffer Ledger::allocate(const std::string& name, std::int64_t bytes, Place place) {
  PlacedBuffer buffer(place, bytes);
  note(name, buffer.bytes());
  return buffer;
}

PlacedBuffer Ledger::allocate_workspace(const Plan& plan) {
  PlacedBuffer memory(plan.request().place, plan.workspace_bytes());
  for (const Buffer& buffer : plan.workspace()) note(buffer.name, buffer.bytes);
  return memory;
}

void Ledger::note(const std::string& name, std::int64_t bytes) { lines_.push_back({name, bytes}); }

std::int64_t Ledger::total() const {
  std::int64_t sum = 0;
  for (const Line& line : lines_) sum += line.bytes;
  return sum;
}

std::int64_t workspace_traffic(const Plan& plan) {
  const auto is_stage = [&](const std::string& buffer) {
    return std::ranges::any_of(plan.stages(), [&](const Stage& stage) { return stage.id == buffer; });
  };
  std::int64_t bytes = 0;
  for (const Stage& stage : plan.stages())
    if (stage.stored) bytes += stage.cells() * stage.cell_bytes();
  for (const Buffer& buffer : plan.workspace())
    if (buffer.name != "alignment" && !is_stage(buffer.name)) bytes += buffer.bytes;
  return 2 * bytes;
}

std::vector<Ledger::Line> planned_bytes(const Plan& plan) {
  const Request& request = plan.request();
  std::vector<Ledger::Line> lines{{"x", request.x_bytes()}, {"w", request.w_bytes()}};
  if (request.problem.bias()) lines.push_back({"bias", request.bias_bytes()});
  lines.push_back({"y", request.y_bytes()});
  for (const Buffer& buffer : plan.workspace()) lines.push_back({buffer.name, buffer.bytes});
  return lines;
}

}  // namespace convlens
