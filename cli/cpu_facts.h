// What is known of a run on the CPU besides its time: what the machine can do at most.
#pragma once

#include "algorithms/measure/record.h"

namespace convlens::cli {

// Fills in the fraction of the floor, and notes the ceilings that it is of, for the threads that the plan may use. An
// empty batch does no work, and has no floor.
void add_cpu_facts(Measurement& measurement);

}  // namespace convlens::cli
