#include "viewer/logic/memory.h"

#include <algorithm>

#include "algorithms/error.h"
#include "kernels/vendor/cudnn.h"

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

bool fits(const ChosenRow& row, std::int64_t batch, std::int64_t limit) {
  try {
    Request request = row.request;
    request.problem = request.problem.with_batch(batch);
    request.memory_limit = limit;
    return static_cast<bool>(row.algorithm->supports(request));
  } catch (const Unsupported&) {
    return false;  // so many images overflow 64 bits
  }
}

}  // namespace

std::int64_t MemoryBar::by_formula() const {
  std::int64_t bytes = 0;
  for (const MemoryPart& part : parts)
    if (!part.formula.empty()) bytes += part.bytes;
  return bytes;
}

std::vector<MemoryBar> memory_bars(const Model& model) {
  std::vector<MemoryBar> bars;
  for (const ChosenRow& row : model.rows()) {
    MemoryBar bar;
    bar.run = row.run;
    if (!row.plan) {
      bar.refused = row.support.reason;
      bars.push_back(std::move(bar));
      continue;
    }
    add_tensors(bar, row.request);
    for (const Buffer& buffer : row.plan->workspace()) {
      const auto stages = row.plan->stages();
      const auto stage = std::ranges::find(stages, buffer.name, &Stage::id);
      bar.parts.push_back({buffer.name, stage == stages.end() ? "" : stage->formula(), buffer.bytes});
    }
    bar.workspace = row.plan->workspace_bytes();
    bar.known = gpu::workspace_known(*row.plan);
    bars.push_back(std::move(bar));
  }
  return bars;
}

std::int64_t largest_batch(const ChosenRow& row, std::int64_t limit) {
  if (!row.plan || !fits(row, 1, limit)) return 0;
  std::int64_t good = 1, bad = 2;
  while (fits(row, bad, limit)) {
    good = bad, bad *= 2;
    if (good == kMostImages) return good;
  }
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (fits(row, middle, limit) ? good : bad) = middle;
  }
  return good;
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
