// Every kernel of every row on a GPU, compiled for each architecture that the rows claim: registers, shared memory, and
// no spills.
#include <array>
#include <cstdio>
#include <filesystem>
#include <set>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/problem/layers.h"
#include "kernels/rows.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"

using namespace convlens;
using namespace convlens::gpu;

