#include "cli/worker/bench.h"

#include "algorithms/measure/machine.h"
#include "cli/arguments.h"
#include "cli/cpu_facts.h"
#include "cli/gpu_facts.h"
#include "kernels/trace.h"

namespace convlens::cli {

namespace {

constexpr Place kHost{};

// A device's memory is as scarce as it is: what was shared is given back before more is taken.
bool same_tensors(const Request& a, const Request& b) {
  return a.problem == b.problem && a.dtype == b.dtype && a.layouts == b.layouts && a.place == b.place;
}

}  // namespace

void WorkerBench::share(const std::shared_ptr<const Plan>& plan, std::uint64_t seed) {
  const Request& request = plan->request();
  session_.reset();
  if (!operands_ || !same_tensors(request, *shared_for_) || seed != shared_seed_) {
    operands_.reset(), arena_.reset();
    operands_ = std::make_shared<Operands>(request, seed);
    shared_for_ = request, shared_seed_ = seed;
  }
  if (!arena_ || arena_->place() != request.place || arena_->bytes() < plan->workspace_bytes()) {
    arena_.reset();
    arena_ = std::make_shared<PlacedBuffer>(request.place, plan->workspace_bytes());
  }
}

Run WorkerBench::run_here(const std::string& name) {
  Run run = parse_run(name);
  if (const std::string why = why_not_here(*run.algorithm); !why.empty())
    throw Error(run.algorithm->unit == Unit::cpu ? Exit::unsupported : Exit::no_device, run.algorithm->id + ": " + why);
  return run;
}

Request WorkerBench::request_of(const worker::Job& job, const Run& run) const {
  const Place place = run.algorithm->unit == Unit::cpu ? kHost : Place{Place::Kind::device, 0};
  return make_request(ConvProblem(job.spec), job.dtype, job.layouts, run.options, place, globals_);
}

std::string WorkerBench::trace(const worker::Job& job) {
  session_.reset(), operands_.reset(), arena_.reset();
  const Run run = run_here(job.run);
  return gpu::to_line(gpu::trace(*run.algorithm, request_of(job, run), job.layer, job.seed));
}

worker::Started WorkerBench::start(const worker::Job& job) {
  job_ = job;
  timing_ = {};
  const Run run = run_here(job.run);
  plan_ = run.algorithm->plan(request_of(job, run));
  measured_ceilings(plan_->request().place != kHost, globals_.threads);
  if (const std::string why = plan_->why_no_kernel(); job.kernel_alone && !why.empty()) throw Unsupported(why);
  share(plan_, job.seed);
  session_ = std::make_unique<Session>(plan_, operands_, arena_);
  if (plan_->request().place != kHost) {
    Device& gpu = device(plan_->request().place);
    const std::int64_t free = gpu.free_memory();
    gpu.prepare(*plan_);
    session_->run();
    taken_ = std::max<std::int64_t>(0, free - gpu.free_memory());
  } else if (job.kernel_alone) {
    session_->run();  // makes what the kernel reads
  }
  return {.id = job.id,
          .run = plan_->run_name(),
          .unit = std::string(name(plan_->algorithm().unit_for(job.dtype))),
          .flops = plan_->flops(),
          .executed_flops = plan_->executed_flops(),
          .tensor_bytes = plan_->request().tensor_bytes(),
          .workspace = plan_->workspace_bytes()};
}

std::vector<double> WorkerBench::round(double seconds, const std::function<bool()>& stop) {
  const bool first = timing_.samples_ms.empty();
  const RulerOptions options{
      .warmup = first ? 1 : 0, .repeats = 1, .seconds = seconds, .cold_cache = job_.cold_cache, .stop = stop};
  Timing timing;
  if (plan_->request().place == kHost)
    timing = measure([&] { job_.kernel_alone ? session_->run_kernel() : session_->run(); }, options);
  else
    timing =
        device(plan_->request().place)
            .measure(
                {[&](Stream stream) { job_.kernel_alone ? session_->queue_kernel(stream) : session_->queue(stream); }},
                options)
            .front();
  timing_.warmup += timing.warmup;
  timing_.interrupted = timing.interrupted;
  std::vector<double>& all = timing_.samples_ms;
  all.insert(all.end(), timing.samples_ms.begin(), timing.samples_ms.end());
  if (all.size() > 2 * kMostSamples) all.erase(all.begin(), all.end() - kMostSamples);
  return timing.samples_ms;
}

std::string WorkerBench::record() const {
  if (timing_.samples_ms.empty()) return "";
  Timing timing = timing_;
  if (timing.samples_ms.size() > kMostSamples)
    timing.samples_ms.erase(timing.samples_ms.begin(), timing.samples_ms.end() - kMostSamples);
  Measurement measurement{.plan = *plan_,
                          .layer = job_.layer,
                          .timing = timing,
                          .cold_cache = job_.cold_cache,
                          .kernel_alone = job_.kernel_alone,
                          .seed = job_.seed,
                          .bytes = session_->ledger().lines()};
  if (plan_->request().place != kHost)
    add_gpu_facts(measurement, {.plan = plan_, .taken = taken_}, 1);
  else
    add_cpu_facts(measurement);
  return to_json(measurement);
}

worker::Ceilings measured_ceilings(bool gpu, int threads) {
  if (!gpu) {
    const Ceilings cpu = cpu_ceilings(threads);
    return {.gpu = false, .f32_tflops = cpu.gflops / 1e3, .f16_tflops = 0, .tbytes = cpu.gbytes / 1e3};
  }
  const DeviceCeilings there = device({Place::Kind::device, 0}).ceilings();
  return {.gpu = true, .f32_tflops = there.f32_tflops, .f16_tflops = there.f16_tflops, .tbytes = there.copy_tbytes};
}

}  // namespace convlens::cli
