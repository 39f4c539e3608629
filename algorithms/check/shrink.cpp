#include "algorithms/check/shrink.h"

#include <algorithm>
#include <array>
#include <vector>

namespace convlens {

namespace {

// A layer by numbers that can be changed one by one: channels are counted within a group.
struct Knobs {
  ConvSpec spec;  // its ci and co are not used
  std::int64_t ci_per_group, co_per_group;

  explicit Knobs(const ConvProblem& p)
      : spec(p.spec()), ci_per_group(p.ci_per_group()), co_per_group(p.co_per_group()) {}

  ConvSpec layer() const {
    ConvSpec result = spec;
    result.ci = ci_per_group * spec.groups;
    result.co = co_per_group * spec.groups;
    return result;
  }
};

// Numbers that are made smaller together, and what they can be at least.
struct Move {
  std::vector<std::int64_t*> numbers;
  std::int64_t least;
};

// Channels come first: with few of them, every further step is cheap. Padding goes before sizes, which would otherwise
// shrink until only the padding is left.
std::vector<Move> moves(Knobs& k) {
  ConvSpec& s = k.spec;
  return {
      {{&s.n}, 0},
      {{&s.groups}, 1},
      {{&k.co_per_group}, 1},
      {{&k.ci_per_group}, 1},
      {{&s.pad_top, &s.pad_bottom, &s.pad_left, &s.pad_right}, 0},
      {{&s.pad_top}, 0},
      {{&s.pad_bottom}, 0},
      {{&s.pad_left}, 0},
      {{&s.pad_right}, 0},
      {{&s.stride_h, &s.stride_w}, 1},
      {{&s.stride_h}, 1},
      {{&s.stride_w}, 1},
      {{&s.dilation_h, &s.dilation_w}, 1},
      {{&s.dilation_h}, 1},
      {{&s.dilation_w}, 1},
      {{&s.hf, &s.wf}, 1},
      {{&s.hf}, 1},
      {{&s.wf}, 1},
      {{&s.hi, &s.wi}, 1},
      {{&s.hi}, 1},
      {{&s.wi}, 1},
  };
}

// From the boldest step to the most careful one.
enum class Step { all, half, one };
constexpr std::array kSteps{Step::all, Step::half, Step::one};

bool apply(const Move& move, Step step) {
  bool changed = false;
  for (std::int64_t* number : move.numbers) {
    const std::int64_t above = *number - move.least;
    if (above <= 0) continue;
    *number = step == Step::all ? move.least : step == Step::half ? move.least + above / 2 : *number - 1;
    changed = true;
  }
  return changed;
}

std::vector<Request> simpler(const Request& request) {
  std::vector<Request> candidates;
  const auto try_layer = [&](const ConvSpec& spec) {
    if (!broken_rules(spec).empty()) return;
    candidates.push_back(request);
    candidates.back().problem = ConvProblem(spec);
  };

  if (request.problem.bias()) {
    ConvSpec spec = request.problem.spec();
    spec.bias = false;
    try_layer(spec);
  }
  Knobs knobs(request.problem);
  for (std::size_t m = 0; m < moves(knobs).size(); ++m)
    for (const Step step : kSteps) {
      Knobs smaller(request.problem);
      if (apply(moves(smaller)[m], step)) try_layer(smaller.layer());
    }

  for (const auto& dropped : request.options.values()) {
    candidates.push_back(request);
    candidates.back().options = {};
    for (const auto& [id, value] : request.options.values())
      if (id != dropped.first) candidates.back().options.set(id, value);
  }
  if (request.layouts != Layouts{}) {
    candidates.push_back(request);
    candidates.back().layouts = {};
  }
  return candidates;
}

}  // namespace

Request shrink(const Request& failing, const std::function<bool(const Request&)>& fails) {
  Request smallest = failing;
  for (;;) {
    const std::vector<Request> candidates = simpler(smallest);
    const auto found = std::ranges::find_if(candidates, fails);
    if (found == candidates.end()) return smallest;
    smallest = *found;
  }
}

}  // namespace convlens
