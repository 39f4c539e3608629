// A run made ready and measured in rounds, for a worker's job.
#pragma once

#include <memory>

#include "algorithms/interface/registry.h"
#include "algorithms/measure/record.h"
#include "algorithms/measure/session.h"
#include "algorithms/worker/protocol.h"
#include "cli/command.h"

namespace convlens::cli {

// Tensors and memory are kept from job to job while problem, type, layouts, place and seed stay the same, so that a
// flipped option is measured at once, and on the same numbers.
class WorkerBench {
 public:
  explicit WorkerBench(const Globals& globals) : globals_(globals) {}

  // Throws BadInput, Unsupported or NoDevice where the job cannot be done. The first job on the CPU and on the GPU has
  // the ceilings measured, which records name: later no flip waits for them.
  worker::Started start(const worker::Job& job);

  // The trace of the job's run, as a line. Throws as `start` does.
  std::string trace(const worker::Job& job);

  // Some more samples, for about `seconds`; at least one unless `stop` says so before.
  std::vector<double> round(double seconds, const std::function<bool()>& stop);

  // The record of all rounds since `start`, of their last kMostSamples samples.
  std::string record() const;
  const Timing& timing() const { return timing_; }

  static constexpr std::size_t kMostSamples = 10'000;

 private:
  static Run run_here(const std::string& name);
  Request request_of(const worker::Job& job, const Run& run) const;
  void share(const std::shared_ptr<const Plan>& plan, std::uint64_t seed);

  const Globals& globals_;
  worker::Job job_;
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<const Operands> operands_;
  std::shared_ptr<const PlacedBuffer> arena_;
  std::optional<Request> shared_for_;  // the operands are of its problem, type, layouts and place
  std::uint64_t shared_seed_ = 0;
  std::unique_ptr<Session> session_;
  std::int64_t taken_ = 0;  // of the device's memory by the first run
  Timing timing_;
};

worker::Ceilings measured_ceilings(bool gpu, int threads);

}  // namespace convlens::cli
