// The GPU's rows are in the registry before the first test runs, as they are in the command.
#include "kernels/rows.h"

namespace {
[[maybe_unused]] const bool g_added = (convlens::gpu::add_rows(), true);
}  // namespace
