#include "cli/paper/measure.h"

#include <algorithm>

#include "algorithms/measure/session.h"
#include "algorithms/measure/side_by_side.h"
#include "cli/gpu_facts.h"
#include "cli/paper/contenders.h"
#include "cli/paper/results.h"
#include "cli/progress.h"

namespace convlens::cli::paper {

namespace {

using Plans = std::vector<std::shared_ptr<const Plan>>;

// What a type and a layout have in common, and so can be measured side by side.
struct Group {
  DType dtype;
  Layout layout;
};
constexpr Group kGroups[] = {{DType::f32, Layout::NCHW}, {DType::f16, Layout::NHWC}, {DType::f16, Layout::NCHW}};

class Measuring {
 public:
  Measuring(const RulerOptions& ruler, std::uint64_t seed, const Globals& globals, const Take& take)
      : ruler_(ruler), seed_(seed), globals_(globals), take_(take) {}

  void measure(const Layer& layer, const Group& group) {
    Plans fast, slow;
    RulerOptions once = ruler_;
    once.warmup = 0, once.repeats = 1;
    for (const Outcome& tried : measure_side_by_side(plans(layer, group), seed_, once)) {
      if (!tried.refused.empty()) ++left_out_[tried.refused];
      if (tried.timing.samples_ms.empty()) continue;
      (tried.timing.median_ms() > kSlowMs ? slow : fast).push_back(tried.plan);
    }
    RulerOptions few = ruler_;
    few.repeats = std::min(few.repeats, kSlowRepeats);
    measure(layer, fast, ruler_);
    measure(layer, slow, few);
  }
  std::map<std::string, std::int64_t> left_out() && { return std::move(left_out_); }

 private:
  Plans plans(const Layer& layer, const Group& group) {
    Plans plans;
    for (const Contender& c : contenders()) {
      if (c.dtype != group.dtype || c.layout != group.layout) continue;
      const Resolved resolved = resolve(c);
      if (!resolved.run) {
        ++left_out_[resolved.why_not];
        continue;
      }
      const Request request = make_request(layer.problem, c.dtype, c.layouts(), resolved.run->options, kGpu, globals_);
      if (const Support support = resolved.run->algorithm->supports(request); support)
        plans.push_back(resolved.run->algorithm->plan(request));
      else
        ++left_out_[c.name + ": " + support.reason];
    }
    return plans;
  }

  void measure(const Layer& layer, const Plans& plans, const RulerOptions& ruler) {
    for (const Outcome& outcome : measure_side_by_side(plans, seed_, ruler)) {
      if (!outcome.refused.empty()) ++left_out_[outcome.refused];
      if (outcome.timing.samples_ms.empty()) continue;
      Measurement measurement{.plan = *outcome.plan,
                              .layer = layer.name,
                              .timing = outcome.timing,
                              .cold_cache = ruler.cold_cache,
                              .seed = seed_,
                              .bytes = outcome.bytes};
      add_gpu_facts(measurement, outcome, plans.size());
      // It rises where somebody else gives memory back meanwhile: then nobody knows what the run took.
      if (const std::int64_t fall = fall_of_free_memory(outcome); fall >= 0)
        measurement.notes.push_back(device_bytes_note(fall));
      take_(measurement);
    }
  }

  // By what the device's free memory falls when the run has tensors and workspace of its own, and by what a library
  // took when it ran first.
  std::int64_t fall_of_free_memory(const Outcome& outcome) const {
    Device& gpu = device(kGpu);
    const std::int64_t before = gpu.free_memory();
    Session session(outcome.plan, seed_);
    session.run();
    gpu.synchronize();
    return before - gpu.free_memory() + outcome.taken;
  }

  RulerOptions ruler_;
  std::uint64_t seed_;
  const Globals& globals_;
  const Take& take_;
  std::map<std::string, std::int64_t> left_out_;
};

}  // namespace

std::map<std::string, std::int64_t> measure(const std::vector<Layer>& layers, const RulerOptions& ruler,
                                            std::uint64_t seed, const Globals& globals, const Take& take) {
  static_cast<void>(device(kGpu));  // throws where there is none
  Measuring measuring(ruler, seed, globals, take);
  Progress progress("paper", static_cast<std::int64_t>(layers.size() * std::size(kGroups)));
  std::int64_t done = 0;
  for (const Layer& layer : layers)
    for (const Group& group : kGroups) {
      if (interrupted()) break;
      progress.show(done++,
                    std::string(name(group.dtype)) + " " + std::string(name(group.layout)) + " on " + layer.text());
      measuring.measure(layer, group);
    }
  progress.clear();
  return std::move(measuring).left_out();
}

}  // namespace convlens::cli::paper
