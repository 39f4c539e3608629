#include "algorithms/check/oracle.h"
#include "algorithms/problem/parse.h"

namespace convlens {

namespace {

// A suite is checked layer by layer, a layer needs a handful of data sets for each of four types.
constexpr std::size_t kMostEntries = 32;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

std::string key(const ConvProblem& problem, DType dtype, const Data& data) {
  std::string text = to_text(problem.spec()) + " " + std::string(name(dtype)) + " " + std::to_string(data.seed);
  if (data.kind == Data::Kind::integers)
    text += " integers " + std::to_string(data.exact.x_max) + " " + std::to_string(data.exact.w_max) + " " +
            std::to_string(data.exact.w_unit) + (data.exact.bitwise ? "" : " within 1/4");
  return text;
}

std::int64_t bytes(const OracleCache::Entry& entry) {
  const std::size_t numbers = entry.answer.y.size() + entry.answer.sum_abs.size();
  return entry.inputs.x.bytes() + entry.inputs.w.bytes() + entry.inputs.bias.bytes() +
         static_cast<std::int64_t>(numbers * sizeof(double));
}

}  // namespace

std::shared_ptr<const OracleCache::Entry> OracleCache::get(const ConvProblem& problem, DType dtype, const Data& data) {
  // Held while an answer is computed, by all cores: another thread that wants the same one then finds it.
  const std::lock_guard lock(mutex_);
  const std::string wanted = key(problem, dtype, data);
  if (const auto found = entries_.find(wanted); found != entries_.end()) return found->second;

  auto entry = std::make_shared<Entry>();
  entry->inputs = make_inputs(problem, dtype, data);
  entry->answer = oracle(problem, entry->inputs);
  const std::int64_t added = bytes(*entry);
  while (!order_.empty() && (order_.size() >= kMostEntries || bytes_ + added > kMostBytes)) {
    const auto oldest = entries_.find(order_.front());
    bytes_ -= bytes(*oldest->second);
    entries_.erase(oldest);
    order_.pop_front();
  }
  bytes_ += added;
  order_.push_back(wanted);
  entries_.emplace(wanted, entry);
  return entry;
}

}  // namespace convlens
