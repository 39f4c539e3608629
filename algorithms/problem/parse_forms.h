// The two forms behind parse_spec, and the number that both are made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "algorithms/problem/conv_problem.h"

namespace convlens {

// `text` as a number. Throws BadInput, naming `parameter`, unless it is a whole number of 64 bits; which of them are
// legal is said by the rules of a layer (conv_problem.h).
std::int64_t parse_whole(const std::string& parameter, std::string_view text);

// "128x64x56x56 --filter 64x3x3 --stride 2"
ConvSpec parse_flags(std::string_view text);

// "mb128ic64ih56oc64kh3ph1"
ConvSpec parse_benchdnn(std::string_view text);

}  // namespace convlens
