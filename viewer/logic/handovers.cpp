#include "viewer/logic/handovers.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "algorithms/measure/ruler.h"

namespace convlens::viewer {

namespace {

const SweepCurve* best_at(const std::vector<SweepCurve>& curves, double value) {
  const SweepCurve* best = nullptr;
  double most = 0;
  for (const SweepCurve& curve : curves)
    if (const double rate = on_line(curve.values, curve.median, value);
        std::isfinite(rate) && (best == nullptr || rate > most))
      best = &curve, most = rate;
  return best;
}

// 1 where the whole band of `a` is above that of `b`, −1 where it is below, 0 where they meet or one has no rate.
int order(const SweepCurve& a, const SweepCurve& b, double value) {
  const auto above = [&](const SweepCurve& upper, const SweepCurve& lower) {
    return on_line(upper.values, upper.low, value) > on_line(lower.values, lower.high, value);
  };
  return above(a, b) ? 1 : above(b, a) ? -1 : 0;
}

// Of curves of one source.
std::vector<Handover> handovers_of_source(const std::vector<SweepCurve>& curves, const std::vector<double>& values) {
  std::vector<Handover> found;
  double parted_above = 0;  // of the handover before: the value from which on the bands are apart
  for (std::size_t k = 1; k < values.size(); ++k) {
    const SweepCurve *from = best_at(curves, values[k - 1]), *to = best_at(curves, values[k]);
    if (from == nullptr || to == nullptr || from == to) continue;
    const auto parted = [&](double value) { return order(*from, *to, value) != 0; };
    const auto above = std::find_if(values.begin() + static_cast<std::ptrdiff_t>(k), values.end(), parted);
    const auto below = std::find_if(values.rend() - static_cast<std::ptrdiff_t>(k), values.rend(), parted);
    if (above == values.end() || below == values.rend()) continue;
    if (order(*from, *to, *below) < 0 || order(*from, *to, *above) > 0) continue;
    const bool again = !found.empty() && found.back().from == from->run && found.back().to == to->run;
    if (again && parted_above == *above) continue;
    const std::vector<double> two{values[k - 1], values[k]};
    const auto rates = [&](const SweepCurve& curve) {
      return std::vector{on_line(curve.values, curve.median, two[0]), on_line(curve.values, curve.median, two[1])};
    };
    const bool about = *below != two[0] || *above != two[1];
    for (const double value : crossovers(two, rates(*from), rates(*to)))
      found.push_back({value, from->run, to->run, about}), parted_above = *above;
  }
  return found;
}

}  // namespace

std::vector<SweepCurve> sweep_curves(const std::vector<Sweep>& sweeps,
                                     const std::function<const Curve*(const worker::Job&)>& known) {
  std::vector<SweepCurve> all;
  for (const Sweep& sweep : sweeps) {
    std::map<std::string, SweepCurve> by_source;
    for (std::size_t k = 0; k < sweep.jobs.size(); ++k) {
      const Curve* point = known(sweep.jobs[k]);
      if (point == nullptr || point->line.ms.empty()) continue;
      SweepCurve& curve = by_source[point->made_on];
      curve.run = sweep.run, curve.made_on = point->made_on;
      const Timing timing{.samples_ms = point->line.ms};
      curve.values.push_back(static_cast<double>(sweep.values[k]));
      curve.median.push_back(tflops(point->line.flops, timing.median_ms()));
      curve.low.push_back(tflops(point->line.flops, timing.quantile_ms(0.75)));
      curve.high.push_back(tflops(point->line.flops, timing.quantile_ms(0.25)));
    }
    for (auto& [source, curve] : by_source) all.push_back(std::move(curve));
  }
  return all;
}

std::vector<Handover> handovers(const std::vector<SweepCurve>& curves, const std::vector<double>& values) {
  std::map<std::string, std::vector<SweepCurve>> by_source;
  for (const SweepCurve& curve : curves) by_source[curve.made_on].push_back(curve);
  std::vector<Handover> found;
  for (const auto& [source, some] : by_source)
    std::ranges::copy(handovers_of_source(some, values), std::back_inserter(found));
  return found;
}

}  // namespace convlens::viewer
