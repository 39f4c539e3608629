// winograd.cc: Winograd on CUDA cores, any F(m×m, H_f×W_f) as a chain of kernels, or F(2×2, 3×3) fused (chain.h).
#include <algorithm>
#include <limits>

#include "algorithms/problem/checked.h"
#include "algorithms/winograd/winograd_error.h"
#include "algorithms/winograd/winograd_passes.h"
#include "algorithms/winograd/winograd_rules.h"
#include "kernels/common/products.h"
#include "kernels/row.h"
#include "kernels/winograd/chain.h"
#include "kernels/winograd/winograd.h"

namespace convlens::gpu {

namespace {

constexpr std::int64_t kMostInt = std::numeric_limits<int>::max();
constexpr std::int64_t kMostPoints = 8;  // an axis, for m = auto: F(6, 3) keeps five digits

// The request as the rules and matrices of every Winograd row read it: V and U in single precision.
Request with_m(Request request, std::int64_t m) {
  request.options.set("m", std::to_string(m));
  request.options.set("stored", "accumulator");
  return request;
}

// An estimate of what a call takes, in operations: a number that is written and read costs as much as `kTraffic` of
// them (53 TFLOPS against 4.2 TB/s on an H200).
double cost(const Request& request) {
  constexpr double kTraffic = 50;
  const TileAxis rows = tile_rows(request), columns = tile_columns(request);
  const auto points = static_cast<double>(rows.n() * columns.n());
  const auto tiles = static_cast<double>(request.problem.n() * rows.tiles() * columns.tiles());
  const auto ci = static_cast<double>(request.problem.ci()), co = static_cast<double>(request.problem.co());
  const auto cig = static_cast<double>(request.problem.ci_per_group());
  return points * (tiles * (2 * co * cig + kTraffic * (ci + co)) + kTraffic * co * cig);
}

bool fused(const Request& request) { return request.options.is("fuse", "on"); }

Request resolved(const Request& request) {
  if (fused(request) && request.options.is("m", "auto")) return with_m(request, 2);
  if (!request.options.is("m", "auto")) return with_m(request, request.options.integer("m"));
  const std::int64_t r = std::max(request.problem.hf(), request.problem.wf());
  Request best = with_m(request, 2);
  if (!request.options.is("points", "auto")) return best;
  for (std::int64_t m = 3; m + r - 1 <= kMostPoints; ++m)
    if (const Request larger = with_m(request, m); cost(larger) < cost(best)) best = larger;
  return best;
}

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
  const Chain chain(request, resolved(request), images_of_chunk(request));
  const bool cublas = request.options.is("gemm", "cublas") && !chain.fused;
  const Buffer workspace = cublas_workspace();
  Decisions d = decisions({request, steps(chain, workspace)});
  d.stages = stages(chain);
  if (cublas) d.scratch = {workspace};
  d.executed_flops = executed_flops(chain.problem(), *chain.nested);
  d.error_model = winograd_error_model(chain.problem(), DType::f32, chain.nested);
  d.notes = {chain.nested->name() + " " + chain.nested->points()};
  if (!chain.fused) d.notes.push_back(cublas ? "gemm: cuBLAS" : "gemm: own");
  return d;
}

// One of Winograd's own rules, which judges the request with its m chosen. What it proposes keeps to this row's
// options, and leaves m to be chosen where another m is not the remedy.
Rule with_m_chosen(const Rule& rule) {
  return {rule.says, [rule](const Request& request) {
            const Request asked = resolved(request);
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
  const TileAxis rows = tile_rows(resolved(request)), columns = tile_columns(resolved(request));
  if (rows.m == 2 && rows.r == 3 && columns.m == 2 && columns.r == 3) return std::nullopt;
  Request nearest = request;
  nearest.options.set("fuse", "off");
  return Refusal{"winograd.cc: fuse=on needs F(2x2,3x3), got F(" + size_text(rows.m, columns.m) + "," +
                     size_text(rows.r, columns.r) + ")",
                 nearest};
}

std::optional<Refusal> needs_countable_tiles(const Request& request) {
  const Request asked = resolved(request);
  const std::int64_t most = kMostInt / (tile_rows(asked).tiles() * tile_columns(asked).tiles());
  if (images_of_chunk(request) <= most) return std::nullopt;
  std::optional<Request> nearest;
  if (most > 0 && !fused(request)) {
    nearest = request;
    nearest->options.set("chunk_images", std::to_string(most));
  }
  return Refusal{"chunk_images: " + request.options["chunk_images"] + ", makes more than 2147483647 tiles", nearest};
}

std::vector<Rule> rules() {
  std::vector<Rule> all{f32_only(), int_offsets()};
  for (const Rule& rule : winograd_rules()) all.push_back(with_m_chosen(rule));
  all.push_back({"F(2x2,3x3) where fuse=on", needs_small_tiles});
  all.push_back({"fewer than 2^31 tiles a chunk", needs_countable_tiles});
  return all;
}

std::vector<Option> options() {
  std::vector<Option> all{
      {.id = "m",
       .title = "Output tile",
       .sentence = "How many outputs a tile makes along each axis on which the filter has several taps; auto weighs "
                   "products against the traffic of V and M, up to 8 points.",
       .values = {},
       .default_value = "auto",
       .accepts = [](std::string_view value) { return value == "auto" ? "" : integer_between(1, 8)(value); }},
      {.id = "points",
       .title = "Points",
       .sentence = "Where the polynomials are evaluated: m + filter - 2 fractions, as in 0,1,-1,1/2,-2.",
       .values = {},
       .default_value = "auto",
       .accepts = winograd_options()[1].accepts},
      {.id = "fuse",
       .title = "Fused",
       .sentence =
           "F(2x2,3x3) in one kernel, without V and M in memory; then the options of the chain, gemm and those after "
           "it, mean nothing but vector_io and sizes.",
       .values = {"off", "on"},
       .default_value = "off"},
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
  for (Option& option : tiling_options()) all.push_back(std::move(option));
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
      .options = options(),
      .rules = rules(),
      .decide = decide,
  };
  return row;
}

}  // namespace convlens::gpu
