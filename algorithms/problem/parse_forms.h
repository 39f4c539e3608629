// The two forms behind parse_spec, and the number that both are made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "algorithms/problem/conv_problem.h"

namespace convlens {

// `digits` as a number. Throws BadInput, naming `parameter`, unless it is a whole number from 0 to 2^63 − 1.
std::int64_t parse_count(const std::string& parameter, std::string_view digits);

// "128x64x56x56 --filter 64x3x3 --stride 2"
ConvSpec parse_flags(std::string_view text);

// "mb128ic64ih56oc64kh3ph1"
ConvSpec parse_benchdnn(std::string_view text);

}  // namespace convlens
