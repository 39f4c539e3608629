// The value of a constant expression of names, whole numbers and operators, as `if constexpr` has them. What it cannot
// know (a template's parameter, a call) makes the value unknown, unless the rest decides: false && unknown is false.
// One of more than kMostExpression words is unknown, too: reading one takes a stack as deep as it is nested.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "viewer/logic/cuda_tokens.h"

namespace convlens::viewer {

// Names and their values; members of the kernel's sizes as "s.ho". A name that is there without a value has several.
using Constants = std::map<std::string, std::optional<std::int64_t>, std::less<>>;

inline constexpr std::size_t kMostExpression = 1000;

std::optional<std::int64_t> value_of(std::span<const Token> expression, const Constants& constants);

}  // namespace convlens::viewer
