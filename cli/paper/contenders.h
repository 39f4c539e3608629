// Who takes part in the paper's evaluation: data, in paper.contenders.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/interface/registry.h"

namespace convlens::cli::paper {

struct Contender {
  std::string name;  // as in the figures: "im2win TC"
  std::string run;   // "im2win.tc:paper"
  DType dtype = DType::f32;
  Layout layout = Layout::NCHW;

  Unit unit() const { return size_of(dtype) == 2 ? Unit::tc : Unit::cc; }
  Layouts layouts() const;  // of all three: the filter has its channels where x has them
  Request request(const Run& run, const ConvSpec& spec) const;  // on the GPU
};

inline constexpr Place kGpu{Place::Kind::device, 0};

// The runs of Fig. 2, 3 and 4, those that the claims need, and this program's other rows on tensor cores.
const std::vector<Contender>& contenders();

// The four of Fig. 4 and Table II: "baseline", "wo_zigzag", "wo_async", "wo_double".
std::vector<Contender> ablation();

// cuDNN's algorithms, forced one by one: names begin with "cuDNN ". And all of cuDNN, its own choice included.
std::vector<Contender> forced(Unit unit);
std::vector<Contender> all_of_cudnn(Unit unit);

// Its row and options; none, with the reason, where this program has no such row or option.
struct Resolved {
  std::optional<Run> run;
  std::string why_not;
};
Resolved resolve(const Contender& contender);

bool is_cudnn(const Contender& contender);

}  // namespace convlens::cli::paper
