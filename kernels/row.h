// What every row on a GPU has in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "algorithms/interface/algorithm.h"
#include "kernels/program.h"

namespace convlens::gpu {

// Decisions whose `execute` hands `program` to the runtime, which throws NoDevice where there is no GPU. Stages,
// scratch, FLOPs and the error model are left to the row. Throws Unsupported for a grid larger than a launch may have.
Decisions decisions(Program program);

// The row with its programs changed, as by somebody who edits a kernel; the rest of what it decides stays.
Algorithm with_programs(const Algorithm& row, std::function<void(Program&)> change);

// The option `sizes` that every row with own kernels has: constant | runtime.
Option sizes_option();
bool sizes_at_run_time(const Request& request);

// A kernel of `request`'s layer: its sizes, its type and layouts as the constants dtype, x_layout, w_layout and
// y_layout, has_bias, and further constants of the row.
Kernel kernel(const Request& request, std::string file, std::string entry, std::vector<Constant> constants = {});

// What kernels count in an int: they count on to the end of a tile or a block, so that has to lie below 2^31.
inline constexpr std::int64_t kMostCounted = (std::int64_t{1} << 31) - (1 << 16);
inline const std::string kUpToMostCounted = "up to 2^31 - 2^16";  // as rules say it

// Why that is not so for `count` of what is named, or "": "w: 4294967296 elements, must be ≤ 2147418112 in a kernel".
std::string why_not_counted(const std::string& name, std::int64_t count, const std::string& of_what = "");
// Throws that as Unsupported.
void check_counted(const std::string& name, std::int64_t count, const std::string& of_what = "");

// Limits that rows share.
Rule f32_only();     // CUDA cores compute in single precision
Rule f16_or_bf16();  // tensor cores multiply short numbers, and add in single precision
Rule int_offsets();  // every size and stride of the layer, and an offset in w, is an int in the kernels

}  // namespace convlens::gpu
