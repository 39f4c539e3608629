// The nearest change with which a row computes what it refuses.
//
// A row's own rules know it best, and come first. Where they know of none (a vendor's library says no, and not why)
// every single change is tried: an option, the layouts, the type, one size of the layer or two that belong together,
// those that are nearest first; then one more than the rules suggest, or two of options, layouts and type.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "algorithms/interface/algorithm.h"

namespace convlens::viewer {

// A request that the row computes; nothing where it computes this one, where no such change helps, and where `stop` has
// come true before one was found.
std::optional<Request> nearest_request(
    const Algorithm& row, const Request& request, const std::function<bool()>& stop = [] { return false; });

// What differs, in words: "stride_h 1 instead of 2, f16 instead of f32, format=blocked instead of plain".
std::string change_text(const Request& from, const Request& to);

}  // namespace convlens::viewer
