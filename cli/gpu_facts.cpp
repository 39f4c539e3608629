#include "cli/gpu_facts.h"

#include "cli/numbers.h"
#include "kernels/program.h"
#include "kernels/runtime.h"

namespace convlens::cli {

namespace {

KernelFacts facts_of(const gpu::Launch& launch, const std::string& architecture) {
  const gpu::Compiled compiled = gpu::runtime().compile(launch.kernel, architecture);
  return {compiled.registers, compiled.shared_bytes + launch.shared_bytes, compiled.spill_bytes};
}

}  // namespace

std::string compiled_for(const DeviceFacts& facts) {
  constexpr std::size_t kPrefix = 3;  // "sm_"
  return facts.architecture + (std::stoi(facts.architecture.substr(kPrefix)) >= 90 ? "a" : "");
}

void add_gpu_facts(Measurement& measurement, const Outcome& outcome, std::size_t count) {
  const Plan& plan = measurement.plan;
  Device& gpu = device(plan.request().place);
  const DeviceCeilings ceilings = gpu.ceilings();
  measurement.device = &gpu.facts();
  measurement.floor_fraction = floor_ms(plan, ceilings) / measurement.timing.median_ms();
  measurement.notes.push_back("ceilings of this run: " + fixed(ceilings.f32_tflops, 1) + " TFLOPS f32, " +
                              fixed(ceilings.f16_tflops, 1) + " TFLOPS f16, " + fixed(ceilings.copy_tbytes, 2) +
                              " TB/s");
  if (count > 1) measurement.notes.push_back("samples interleaved with " + std::to_string(count - 1) + " other runs");
  if (plan.program() == nullptr) return;
  for (const auto& [name, version] : gpu::runtime().libraries())
    measurement.device_libraries.push_back({name, version});
  if (const gpu::Launch* launch = gpu::main_launch(*plan.program()))
    measurement.kernel = facts_of(*launch, compiled_for(gpu.facts()));
  if (gpu::calls_library(*plan.program())) measurement.library_bytes = outcome.taken;
}

}  // namespace convlens::cli
