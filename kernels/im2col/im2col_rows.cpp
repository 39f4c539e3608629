// im2col.cc and im2col.tc: every window is stored as a row of a matrix, which is multiplied by the filter matrix, on
// CUDA cores in single precision or on tensor cores (lowering.h). They differ in the type of the elements, and in the
// GEMM.

#include "algorithms/problem/checked.h"
#include "kernels/common/products.h"
#include "kernels/common/tensor_cores.h"
#include "kernels/im2col/im2col.h"
#include "kernels/im2col/lowering.h"
#include "kernels/im2col/lowering_tile.h"
#include "kernels/row.h"

namespace convlens::gpu {

namespace {

Decisions decide(const Request& request) {
  const bool cublas = request.options.is("gemm", "cublas");
  const Buffer workspace = cublas_workspace();
  Decisions d = decisions({request, lowering_steps(request, workspace)});
  d.stages = lowering_stages(request);
  d.scratch = lowering_scratch(request, workspace);
  const ConvProblem& p = request.problem;
  d.executed_flops = checked::product("executed FLOPs", {2, p.n(), p.ho(), p.wo(), p.co(), row_columns(request)});
  d.error_model =
      request.dtype == DType::f32 ? plain_sum_model(p, request.dtype) : tensor_core_sum_model(p, request.dtype);
  d.notes = {cublas ? "gemm: cuBLAS" : "gemm: own"};
  return d;
}

std::optional<Refusal> needs_small_patch(const Request& request) {
  const std::int64_t bytes = LoweringTile(request, images_of_pass(request)).patch_bytes;
  if (bytes <= kMostPatchBytes) return std::nullopt;
  Request nearest = request;
  nearest.options.set("staging", "off");
  return Refusal{"im2col: what a block lowers of one window takes " + std::to_string(bytes) +
                     " bytes of shared memory, must be ≤ " + std::to_string(kMostPatchBytes) + " with staging=on",
                 nearest};
}

std::optional<Refusal> needs_countable_rows(const Request& request) {
  const std::int64_t pixels = request.problem.ho() * request.problem.wo(), pass = images_of_pass(request);
  if (pass <= kMostCounted / pixels) return std::nullopt;
  Request nearest = request;
  nearest.options.set("batching", "image");
  return Refusal{"batching: " + std::to_string(pass) + " images of " + std::to_string(pixels) + " pixels, must be ≤ " +
                     std::to_string(kMostCounted) + " rows",
                 pass > 1 ? std::optional(nearest) : std::nullopt};
}

// In CHWN the images of a pass are columns of y that lie together.
std::optional<Refusal> needs_even_passes(const Request& request) {
  const std::int64_t pass = images_of_pass(request);
  if (request.layouts.y != Layout::CHWN || request.problem.n() % pass == 0) return std::nullopt;
  Request nearest = request;
  nearest.options.set("batching", "full");
  return Refusal{"chunk_images: " + std::to_string(pass) + ", must divide N = " + std::to_string(request.problem.n()) +
                     " where the output is CHWN",
                 nearest};
}

std::vector<Option> options(std::vector<Option> tiling) {
  std::vector<Option> all{
      {"batching", "Batching", "How many images are lowered at a time.", {"image", "chunk", "full"}, "full"},
      {"chunk_images",
       "Images a chunk",
       "How many images batching=chunk lowers at a time.",
       {},
       "8",
       false,
       integer_between(1, 1 << 20)},
      {"gemm", "GEMM", "Who multiplies the matrices.", {"cublas", "own"}, "cublas"},
      {"staging",
       "Staging in shared memory",
       "Bring what a block lowers to shared memory first, so that each element of x is read once; auto: where a vector "
       "of "
       "the matrix is no vector of x.",
       {"auto", "on", "off"},
       "auto",
       true},
  };
  for (Option& option : tiling) all.push_back(std::move(option));
  all.push_back(sizes_option());
  return all;
}

std::vector<Rule> rules(const Rule& dtype) {
  return {dtype,
          int_offsets(),
          {"what a block lowers of one window within 48 KiB, or staging=off", needs_small_patch},
          {"chunks that divide N where y is CHWN", needs_even_passes},
          {kUpToMostCounted + " rows a pass", needs_countable_rows}};
}

}  // namespace

const Algorithm& im2col_cc() {
  static const Algorithm row{
      .id = "im2col.cc",
      .family = "im2col",
      .unit = Unit::cc,
      .title = "im2col + GEMM on CUDA cores, explicit",
      .sentence = "Copies every window into a row of a matrix, then multiplies two matrices.",
      .source = "Chellapilla, Puri & Simard 2006",
      .options = options(tiling_options()),
      .rules = rules(f32_only()),
      .decide = decide,
  };
  return row;
}

const Algorithm& im2col_tc() {
  static const Algorithm row{
      .id = "im2col.tc",
      .family = "im2col",
      .unit = Unit::tc,
      .title = "im2col + GEMM on tensor cores, explicit",
      .sentence = "Copies every window into a row of a matrix of short numbers, then multiplies two matrices.",
      .source = "Chellapilla, Puri & Simard 2006",
      .options = options(tensor_tiling_options()),
      .rules = rules(f16_or_bf16()),
      .decide = decide,
  };
  return row;
}

}  // namespace convlens::gpu
