// Measures the contenders, layer by layer, those of one type and layout side by side.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "algorithms/measure/record.h"
#include "cli/arguments.h"

namespace convlens::cli::paper {

// A run that takes longer than kSlowMs is measured kSlowRepeats times only.
inline constexpr double kSlowMs = 100;
inline constexpr int kSlowRepeats = 5;

// Hands over a measurement of each contender on each layer, and returns why others were left out, with how often. On a
// cold L2, by `ruler`. Throws NoDevice where there is no GPU.
using Take = std::function<void(const Measurement&)>;
std::map<std::string, std::int64_t> measure(const std::vector<Layer>& layers, const RulerOptions& ruler,
                                            std::uint64_t seed, const Globals& globals, const Take& take);

}  // namespace convlens::cli::paper
