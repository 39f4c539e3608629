// winograd.cc and winograd.tc: any F(m×m, H_f×W_f) as a chain of kernels, and on CUDA cores F(2×2, 3×3) fused
// (chain.h).
//
// On tensor cores transforms are in FP32, V and U are stored short, times exact powers of two, and sums are in FP32.
#include <algorithm>

#include "algorithms/problem/checked.h"
#include "algorithms/winograd/winograd_error.h"
#include "algorithms/winograd/winograd_passes.h"
#include "algorithms/winograd/winograd_rules.h"
#include "kernels/common/products.h"
#include "kernels/common/tensor_cores.h"
#include "kernels/row.h"
#include "kernels/winograd/chain.h"
#include "kernels/winograd/output_tile.h"
#include "kernels/winograd/winograd.h"

namespace convlens::gpu {

namespace {

std::int64_t images_of_chunk(const Request& request) {
  const std::int64_t n = std::max<std::int64_t>(request.problem.n(), 1);
  return fused(request) || request.options.is("chunk_images", "all")
             ? n
             : std::min<std::int64_t>(n, request.options.integer("chunk_images"));
}

// All that is executed, on padding and for overhanging outputs too; counted as winograd.ref counts.
std::int64_t executed_flops(const ConvProblem& p, const Nested& f) {
  const Transforms<float> transforms(f);
  const auto product = [](std::initializer_list<std::int64_t> factors) {
    return checked::product("executed FLOPs", factors);
  };
  return checked::sum("executed FLOPs", {product({p.n(), f.tiles(), p.ci(), transforms.input.flops()}),
                                         product({p.co(), p.ci_per_group(), transforms.filter.flops()}),
                                         product({2, f.products(), p.n(), f.tiles(), p.co(), p.ci_per_group()}),
                                         product({p.n(), f.tiles(), p.co(), transforms.output.flops()})});
}

Decisions decide(const Request& request) {
  const Chain chain(request, with_output_tile(request), images_of_chunk(request));
  const bool cublas = request.options.is("gemm", "cublas") && !chain.fused;
  const Buffer workspace = cublas_workspace();
  Decisions d = decisions({request, steps(chain, workspace)});
  d.stages = stages(chain);
  if (cublas) d.scratch = {workspace};
  d.executed_flops = executed_flops(chain.problem(), *chain.nested);
  d.error_model =
      winograd_error_model(chain.problem(), request.dtype, chain.nested, on_tensor_cores(request) ? kTensorCores : 1);
  d.notes = {chain.nested->name() + " " + chain.nested->points()};
  if (on_tensor_cores(request))
    d.notes.push_back("V times 2^" + std::to_string(chain.nested->v_exponent) + ", U times 2^" +
                      std::to_string(chain.nested->u_exponent));
  if (!chain.fused) d.notes.push_back(cublas ? "gemm: cuBLAS" : "gemm: own");
  return d;
}

// One of Winograd's own rules, which judges the request with its m chosen. What it proposes keeps to this row's
// options, and leaves m to be chosen where another m is not the remedy.
Rule with_m_chosen(const Rule& rule) {
  return {rule.says, [rule](const Request& request) {
            const Request asked = with_output_tile(request);
            std::optional<Refusal> refusal = rule.refuse(asked);
            if (refusal && refusal->nearest) {
              Request nearest = request;
              nearest.problem = refusal->nearest->problem;
              nearest.options.set("points", refusal->nearest->options["points"]);
              if (refusal->nearest->options["m"] != asked.options["m"])
                nearest.options.set("m", refusal->nearest->options["m"]);
              refusal->nearest = nearest;
            }
            return refusal;
          }};
}

std::optional<Refusal> needs_small_tiles(const Request& request) {
  if (!fused(request)) return std::nullopt;
  const TileAxis rows = tile_rows(with_output_tile(request)), columns = tile_columns(with_output_tile(request));
  if (rows.m == 2 && rows.r == 3 && columns.m == 2 && columns.r == 3) return std::nullopt;
  Request nearest = request;
  nearest.options.set("fuse", "off");
  return Refusal{"winograd.cc: fuse=on needs F(2x2,3x3), got F(" + size_text(rows.m, columns.m) + "," +
                     size_text(rows.r, columns.r) + ")",
                 nearest};
}

std::optional<Refusal> needs_countable_tiles(const Request& request) {
  const Request asked = with_output_tile(request);
  const std::int64_t most = kMostCounted / (tile_rows(asked).tiles() * tile_columns(asked).tiles());
  if (images_of_chunk(request) <= most) return std::nullopt;
  std::optional<Request> nearest;
  if (most > 0 && !fused(request)) {
    nearest = request;
    nearest->options.set("chunk_images", std::to_string(most));
  }
  return Refusal{"chunk_images: " + request.options["chunk_images"] + ", makes more than " +
                     std::to_string(kMostCounted) + " tiles",
                 nearest};
}

std::vector<Rule> rules(Unit unit) {
  std::vector<Rule> all{unit == Unit::tc ? f16_or_bf16() : f32_only(), int_offsets()};
  for (const Rule& rule : winograd_rules()) all.push_back(with_m_chosen(rule));
  if (unit == Unit::cc) all.push_back({"F(2x2,3x3) where fuse=on", needs_small_tiles});
  all.push_back({kUpToMostCounted + " tiles a chunk", needs_countable_tiles});
  return all;
}

Option fuse_option() {
  return {
      .id = "fuse",
      .title = "Fused",
      .sentence =
          "F(2x2,3x3) in one kernel, without V and M in memory; then the options of the chain, gemm and those after "
          "it, mean nothing but vector_io and sizes.",
      .values = {"off", "on"},
      .default_value = "off"};
}

std::vector<Option> options(Unit unit) {
  std::vector<Option> all{
      {.id = "m",
       .title = "Output tile",
       .sentence = "How many outputs a tile makes along each axis on which the filter has several taps; auto weighs "
                   "products, transforms and the bytes of U, V and M, up to 8 points, or 5 where U and V have 16 bits, "
                   "but takes at least 2: filters of five and seven taps then have 6 and 8 points.",
       .values = {},
       .default_value = "auto",
       .accepts = [](std::string_view value) { return value == "auto" ? "" : integer_between(1, 8)(value); }},
      {.id = "points",
       .title = "Points",
       .sentence = "Where the polynomials are evaluated: m + filter - 2 fractions, as in 0,1,-1,1/2,-2.",
       .values = {},
       .default_value = "auto",
       .accepts = winograd_options()[1].accepts},
      {.id = "gemm",
       .title = "GEMM",
       .sentence = "Who multiplies V and U.",
       .values = {"cublas", "own"},
       .default_value = "cublas"},
      {.id = "chunk_images",
       .title = "Images a chunk",
       .sentence = "How many images are taken through the chain at a time; V and M of few images stay in the L2 cache.",
       .values = {},
       .default_value = "all",
       .accepts = [](std::string_view value) { return value == "all" ? "" : integer_between(1, 1 << 20)(value); }},
      {.id = "staging",
       .title = "Staging in shared memory",
       .sentence =
           "Take tiles of an NCHW output through shared memory, so that neighbouring threads write neighbouring "
           "elements.",
       .values = {"on", "off"},
       .default_value = "on",
       .ablation = true},
  };
  if (unit == Unit::cc) all.insert(all.begin() + 2, fuse_option());
  for (Option& option : unit == Unit::tc ? tensor_tiling_options() : tiling_options()) all.push_back(std::move(option));
  all.push_back(sizes_option());
  return all;
}

}  // namespace

const Algorithm& winograd_cc() {
  static const Algorithm row{
      .id = "winograd.cc",
      .family = "winograd",
      .unit = Unit::cc,
      .title = "Winograd on CUDA cores",
      .sentence = "Transforms tiles of the input and the filter, multiplies them point by point, transforms back.",
      .source = "Lavin & Gray 2016, arXiv 1509.09308",
      .options = options(Unit::cc),
      .rules = rules(Unit::cc),
      .decide = decide,
  };
  return row;
}

const Algorithm& winograd_tc() {
  static const Algorithm row{
      .id = "winograd.tc",
      .family = "winograd",
      .unit = Unit::tc,
      .title = "Winograd on tensor cores",
      .sentence = "Transforms in single precision, multiplies short V and U point by point, and transforms back.",
      .source = "Lavin & Gray 2016, arXiv 1509.09308",
      .options = options(Unit::tc),
      .rules = rules(Unit::tc),
      .decide = decide,
  };
  return row;
}

}  // namespace convlens::gpu
