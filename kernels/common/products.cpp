#include "kernels/common/products.h"

#include <initializer_list>

#include "kernels/common/schedule.h"

namespace convlens::gpu {

namespace {

constexpr int kThreadM = 8, kTileK = 8;     // of common/gemm.cu
constexpr int kTensorTileK = 32, kPad = 8;  // of common/gemm_tc.cu: values of k a slice, elements between its rows

bool divides(std::int64_t divisor, std::initializer_list<std::int64_t> values) {
  for (const std::int64_t value : values)
    if (value % divisor != 0) return false;
  return true;
}

// Elements in a vector of 16 bytes.
std::int64_t vector_of(DType dtype) { return 16 / size_of(dtype); }

// Whether every whole vector along the contiguous index is aligned to its 16 bytes.
bool aligned(const Matrices& m, DType dtype) {
  return divides(vector_of(dtype), {m.ld, m.outer_step, m.inner_step, m.first.offset / size_of(dtype)});
}
bool aligned_c(const Products& p) {
  return aligned(p.c, p.out) && divides(vector_of(p.out), {p.segment, p.segment_step});
}

bool on_tensor_cores(const Products& p) { return size_of(p.in) == 2; }

// Whether the kernel on CUDA cores copies both operands by vectors.
bool copies_vectors(const Products& p, bool vector_io) {
  return vector_io && !p.a.k_contiguous && !p.b.k_contiguous && aligned(p.a, p.in) && aligned(p.b, p.in);
}

std::vector<Option> options_of_tiling(std::string tile_sentence) {
  return {{"tile", "Tile of the GEMM", std::move(tile_sentence), {"auto", "64x64", "64x128", "128x128"}, "auto", true},
          {"stages",
           "Stages",
           "How many slices of its operands the own GEMM has in shared memory: one is multiplied, the others filled.",
           {"1", "2", "3", "4"},
           "4",
           true},
          {"vector_io",
           "16-byte vectors",
           "Copy 16 bytes of neighbouring numbers at a time where they are aligned.",
           {"on", "off"},
           "on",
           true}};
}

// What both kernels are told of a product alike.
std::vector<Constant> constants_of(const Products& p, const Tiling& t) {
  return {{"has_bias", p.bias != Products::Bias::none},
          {"bias_of_rows", p.bias == Products::Bias::of_rows},
          {"tile_m", t.tile_m},
          {"tile_n", t.tile_n},
          {"stages", t.stages},
          {"a_k_contiguous", p.a.k_contiguous},
          {"b_k_contiguous", p.b.k_contiguous},
          {"vector_a", t.vector_io && aligned(p.a, p.in)},
          {"vector_b", t.vector_io && aligned(p.b, p.in)},
          {"vector_c", t.vector_io && aligned_c(p)},
          {"segmented", p.segment != 0}};
}

Launch launch_of(const Products& p, const Tiling& t, Kernel kernel, int threads, std::int64_t shared_bytes) {
  kernel.sizes = {{"m", p.m},
                  {"n", p.n},
                  {"k", p.k},
                  {"lda", p.a.ld},
                  {"ldb", p.b.ld},
                  {"ldc", p.c.ld},
                  {"segment", std::max<std::int64_t>(p.segment, 1)},
                  {"segment_step", p.segment_step}};
  return {
      .sentence = p.sentence,
      .kernel = std::move(kernel),
      .grid = {ceil_div(p.m, t.tile_m) * ceil_div(p.n, t.tile_n), p.outer * p.inner},
      .block = {threads},
      .shared_bytes = shared_bytes,
      .arguments = {p.a.first, p.b.first, bias(), p.c.first, number(p.inner), number(p.a.outer_step),
                    number(p.a.inner_step), number(p.b.outer_step), number(p.b.inner_step), number(p.c.outer_step),
                    number(p.c.inner_step)},
  };
}

Launch tensor_gemm(const Products& p, const Tiling& t, bool sizes_at_run_time) {
  const int threads = 2 * (t.tile_n / 32) * 32;
  std::vector<Constant> constants = constants_of(p, t);
  constants.insert(constants.end(), {{"dtype", p.in},
                                     {"result", p.out},
                                     {"tile_k", kTensorTileK},
                                     {"blocks_per_sm", t.tile_m == 128 ? 2 : 512 / threads}});
  const auto slice = [](std::int64_t tile, bool k_contiguous) {
    return k_contiguous ? tile * (kTensorTileK + kPad) : kTensorTileK * (tile + kPad);
  };
  const std::int64_t slices =
      t.stages * (slice(t.tile_m, p.a.k_contiguous) + slice(t.tile_n, p.b.k_contiguous)) * size_of(p.in);
  const std::int64_t staged = std::int64_t{t.tile_m} * (t.tile_n + kPad) * size_of(DType::f32);
  return launch_of(p, t, {"common/gemm_tc.cu", "gemm_tc", std::move(constants), {}, sizes_at_run_time}, threads,
                   std::max(slices, staged));
}

}  // namespace

std::vector<Option> tiling_options() {
  return options_of_tiling("What a block of the own GEMM computes, 8x8 or, of the large tile, 8x16 numbers a thread.");
}
std::vector<Option> tensor_tiling_options() {
  return options_of_tiling("What a block of the own GEMM computes; a warp takes half of its rows and 32 columns.");
}

// Larger tiles read less from shared memory for each product, smaller ones waste less at the edges and while a block
// begins and ends. Copies that transpose keep a thread from having the registers of 8x16. kernels/PERFORMANCE.md.
Tiling tiling(const OptionSet& options, const Products& p, std::string_view tile_option) {
  Tiling t{.stages = static_cast<int>(options.integer("stages")), .vector_io = options.is("vector_io", "on")};
  const bool large = p.m > 64 && p.n > 64 && p.k >= 256;
  std::string tile = options[tile_option];
  if (tile == "auto" && on_tensor_cores(p))
    tile = p.m > 64 && p.n > 64 ? "128x128" : p.n > 64 ? "64x128" : "64x64";
  else if (tile == "auto")
    tile = !large ? "64x64" : copies_vectors(p, t.vector_io) ? "128x128" : "64x128";
  if (tile != "64x64") t.tile_n = 128;
  if (tile == "128x128") t.tile_m = 128, t.thread_n = 16;
  return t;
}

Launch own_gemm(const Products& p, const Tiling& t, bool sizes_at_run_time) {
  if (on_tensor_cores(p)) return tensor_gemm(p, t, sizes_at_run_time);
  const int threads = t.tile_m * t.tile_n / (kThreadM * t.thread_n);
  // As many blocks as leave a thread the registers for its sums, fragments and, where copies are no vectors, addresses.
  const bool vectors = copies_vectors(p, t.vector_io);
  const int threads_of_sm = t.thread_n == 16 ? (vectors ? 384 : 256) : vectors || t.tile_n == 128 ? 512 : 384;
  std::vector<Constant> constants = constants_of(p, t);
  constants.insert(constants.end(), {{"tile_k", kTileK},
                                     {"thread_m", kThreadM},
                                     {"thread_n", t.thread_n},
                                     {"blocks_per_sm", threads_of_sm / threads}});
  return launch_of(p, t, {"common/gemm.cu", "gemm", std::move(constants), {}, sizes_at_run_time}, threads,
                   static_cast<std::int64_t>(t.stages) * kTileK * (t.tile_m + 4 + t.tile_n + 4) * 4);
}

ProductTile product_tile(const Products& p, const Tiling& t, const Dim3& block) {
  const std::int64_t tiles_m = ceil_div(p.m, t.tile_m), tiles_n = ceil_div(p.n, t.tile_n);
  const TileIndex tile = tile_of_block(block.x, static_cast<int>(std::min(tiles_m, tiles_n)), false);
  const std::int64_t i = std::int64_t{tiles_m <= tiles_n ? tile.column : tile.row} * t.tile_m;
  const std::int64_t j = std::int64_t{tiles_m <= tiles_n ? tile.row : tile.column} * t.tile_n;
  return {block.y / p.inner,
          block.y % p.inner,
          i,
          j,
          std::min<std::int64_t>(t.tile_m, p.m - i),
          std::min<std::int64_t>(t.tile_n, p.n - j)};
}

std::vector<Run> runs_of_range(std::int64_t first, std::int64_t count, std::int64_t down, std::int64_t across) {
  std::vector<Run> runs;
  for (const std::int64_t end = first + count; first < end;) {
    const std::int64_t line = first / across, next = std::min(end, (line + 1) * across);
    runs.push_back({line / down, line % down, first % across, next - first});
    first = next;
  }
  return runs;
}

// What NVIDIA recommends for Hopper (cuBLAS Library, cublasSetWorkspace), and what its alignment may take.
Buffer cublas_workspace() { return {.name = "cublas", .bytes = (std::int64_t{32} << 20) + 256}; }

std::vector<Step> cublas_gemm(const Products& p, const Buffer& workspace) {
  const bool segmented = p.segment != 0;
  std::vector<Step> steps;
  for (std::int64_t inner = 0; inner < p.inner; ++inner) {
    const auto first = [&](const Matrices& m, DType dtype) {
      return m.first.at(inner * m.inner_step * size_of(dtype));
    };
    steps.emplace_back(Gemm{.sentence = p.sentence,
                            .m = p.m,
                            .n = segmented ? p.segment : p.n,
                            .k = p.k,
                            .batch = segmented ? p.n / p.segment : p.outer,
                            .a = first(p.a, p.in),
                            .b = first(p.b, p.in),
                            .c = first(p.c, p.out),
                            .lda = p.a.ld,
                            .ldb = p.b.ld,
                            .ldc = p.c.ld,
                            .batch_a = p.a.outer_step,
                            .batch_b = segmented ? p.segment * (p.b.k_contiguous ? p.b.ld : 1) : p.b.outer_step,
                            .batch_c = segmented ? p.segment_step : p.c.outer_step,
                            .transpose_a = !p.a.k_contiguous,
                            .transpose_b = p.b.k_contiguous,
                            .accumulate = p.bias != Products::Bias::none,
                            .in = p.in,
                            .out = p.out,
                            .tf32 = p.tf32,
                            .workspace = workspace.name,
                            .workspace_bytes = workspace.bytes});
  }
  return steps;
}

}  // namespace convlens::gpu
