#include "viewer/logic/memory.h"

#include <algorithm>
#include <array>
#include <optional>

#include "algorithms/error.h"
#include "kernels/program.h"
#include "kernels/vendor/cudnn.h"
#include "viewer/logic/planned.h"

namespace convlens::viewer {

namespace {

void add_tensors(MemoryBar& bar, const Request& request) {
  const std::string size = " × " + std::to_string(size_of(request.dtype)) + " B";
  bar.parts = {{"x", "N·C_i·H_i·W_i" + size, request.x_bytes()},
               {"w", "C_o·(C_i/groups)·H_f·W_f" + size, request.w_bytes()},
               {"y", "N·C_o·H_o·W_o" + size, request.y_bytes()}};
  if (request.problem.bias()) bar.parts.push_back({"bias", "C_o" + size, request.bias_bytes()});
  bar.tensor_parts = bar.parts.size();
  bar.tensors = request.tensor_bytes();
}

}  // namespace

std::int64_t MemoryBar::by_formula() const {
  std::int64_t bytes = 0;
  for (const MemoryPart& part : parts)
    if (!part.formula.empty()) bytes += part.bytes;
  return bytes;
}

Planned planned(const ChosenRow& row, std::int64_t batch, std::int64_t limit) {
  try {
    Request request = row.request;
    request.problem = request.problem.with_batch(batch);
    request.memory_limit = limit;
    return {row.algorithm->plan(request), ""};
  } catch (const Unsupported& error) {
    return {nullptr, error.what()};  // too many bytes or pieces, or so many images that 64 bits overflow
  }
}

std::vector<MemoryBar> memory_bars(const Model& model, std::int64_t limit) {
  std::vector<MemoryBar> bars;
  for (const ChosenRow& row : model.rows()) {
    MemoryBar bar;
    bar.run = row.run;
    if (!row.plan) {
      bar.refused = row.support.reason;
      bars.push_back(std::move(bar));
      continue;
    }
    const Planned within = planned(row, row.request.problem.n(), limit);
    const Plan& plan = within.plan ? *within.plan : *row.plan;
    bar.over = within.why;
    add_tensors(bar, row.request);
    for (const Buffer& buffer : plan.workspace()) {
      const auto stages = plan.stages();
      const auto stage = std::ranges::find(stages, buffer.name, &Stage::id);
      bar.parts.push_back({buffer.name, stage == stages.end() ? "" : stage->formula(), buffer.bytes});
    }
    bar.workspace = plan.workspace_bytes();
    bar.known = gpu::workspace_known(plan);
    bars.push_back(std::move(bar));
  }
  return bars;
}

std::vector<std::size_t> part_colours(const MemoryBar& bar) {
  constexpr std::array<std::size_t, kPartColours> kOrder{0, 3, 5, 4, 6, 7, kIm2winColour, kIm2colColour};
  const auto own = [](const std::string& name) -> std::optional<std::size_t> {
    if (name == "im2col") return kIm2colColour;
    if (name == "im2win") return kIm2winColour;
    return std::nullopt;
  };
  std::vector<std::size_t> colours(bar.parts.size(), 0), taken;
  for (const MemoryPart& part : bar.parts)
    if (const auto colour = own(part.name)) taken.push_back(*colour);
  std::size_t next = 0;
  for (std::size_t k = bar.tensor_parts; k < bar.parts.size(); ++k) {
    const auto colour = own(bar.parts[k].name);
    while (!colour &&
           std::ranges::find(taken, kOrder[next % kPartColours] + next / kPartColours * kPartColours) != taken.end())
      ++next;
    colours[k] = colour ? *colour : kOrder[next % kPartColours] + next / kPartColours * kPartColours;
    if (!colour) ++next;
  }
  return colours;
}

CopyLaw copy_law(const ConvProblem& p) {
  const auto ratio = [&](std::int64_t cells, std::int64_t of) {
    return static_cast<double>(cells) / static_cast<double>(of);
  };
  const std::int64_t span_w = (p.wo() - 1) * p.spec().stride_w + p.extent_w();
  CopyLaw law;
  law.im2win = ratio(p.ho() * p.hf() * span_w, p.hi() * p.wi());
  law.im2col = ratio(p.ho() * p.wo() * p.taps(), p.hi() * p.wi());
  law.rho = ratio(p.ho() * p.hf(), p.hi());
  law.square = p.hi() == p.wi() && p.hf() == p.wf() && p.spec().stride_h == p.spec().stride_w &&
               p.padded_h() == p.hi() && p.padded_w() == p.wi();
  return law;
}

}  // namespace convlens::viewer
