#include "cli/cpu_facts.h"

#include "algorithms/measure/machine.h"
#include "cli/numbers.h"

namespace convlens::cli {

void add_cpu_facts(Measurement& measurement) {
  const Plan& plan = measurement.plan;
  if (plan.flops() == 0) return;
  const Ceilings& ceilings = cpu_ceilings(plan.request().threads);
  measurement.floor_fraction =
      floor_ms(plan.flops(), plan.request().tensor_bytes(), ceilings) / measurement.timing.median_ms();
  measurement.notes.push_back("ceilings of this run: " + fixed(ceilings.gflops, 1) + " GFLOPS f32, " +
                              fixed(ceilings.gbytes, 1) + " GB/s");
}

}  // namespace convlens::cli
