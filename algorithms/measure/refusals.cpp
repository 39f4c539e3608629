#include "algorithms/measure/refusals.h"

#include <algorithm>
#include <tuple>

namespace convlens {

namespace {

// Whether the row computes the type at all: a plain layer that no row has anything against.
bool computes_type(const Algorithm& row, const Request& request) {
  Request plain{ConvProblem({.ci = 8, .hi = 8, .wi = 8, .co = 8, .hf = 3, .wf = 3}), request.dtype};
  plain.place = request.place;
  return row.supports(plain).ok;
}

}  // namespace

void Refusals::add(const Algorithm& row, const Request& request, const std::string& reason) {
  Reason& known = reasons_.try_emplace(reason, Reason{.first = count_}).first->second;
  ++known.times;
  ++count_;
  known.never = known.never && !computes_type(row, request);
}

void Refusals::add(const Refusals& others) {
  for (const auto& [reason, theirs] : others.reasons_) {
    Reason& known = reasons_.try_emplace(reason, Reason{.first = count_ + theirs.first}).first->second;
    known.times += theirs.times;
    known.never = known.never && theirs.never;
  }
  count_ += others.count_;
}

std::map<std::string, std::int64_t> Refusals::reasons() const {
  std::map<std::string, std::int64_t> times;
  for (const auto& [reason, known] : reasons_) times[reason] = known.times;
  return times;
}

std::string Refusals::line() const {
  if (empty()) return "";
  const auto most = std::ranges::min_element(reasons_, {}, [](const auto& entry) {
    const Reason& r = entry.second;
    return std::tuple(r.never, -r.times, r.first);
  });
  const std::size_t others = reasons_.size() - 1;
  return most->first + (others == 0   ? ""
                        : others == 1 ? " (and 1 other reason)"
                                      : " (and " + std::to_string(others) + " other reasons)");
}

}  // namespace convlens
