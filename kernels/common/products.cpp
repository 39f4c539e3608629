#include "kernels/common/products.h"

#include <initializer_list>

namespace convlens::gpu {

namespace {

constexpr int kThreadM = 8, kTileK = 8;

bool divides(std::int64_t divisor, std::initializer_list<std::int64_t> values) {
  for (const std::int64_t value : values)
    if (value % divisor != 0) return false;
  return true;
}

// Whether every vector of four at a multiple of four along the contiguous index is aligned to 16 bytes.
bool aligned(const Matrices& m) { return divides(4, {m.ld, m.outer_step, m.inner_step, m.first.offset / 4}); }

// Whether the kernel copies both operands by vectors.
bool copies_vectors(const Products& p, bool vector_io) {
  return vector_io && !p.a.k_contiguous && !p.b.k_contiguous && aligned(p.a) && aligned(p.b);
}

}  // namespace

std::vector<Option> tiling_options() {
  return {{"tile",
           "Tile of the GEMM",
           "What a block of the own GEMM computes, 8x8 or, of the large tile, 8x16 numbers a thread.",
           {"auto", "64x64", "64x128", "128x128"},
           "auto",
           true},
          {"stages",
           "Stages",
           "How many slices of its operands the own GEMM has in shared memory: one is multiplied, the others filled.",
           {"1", "2", "3", "4"},
           "4",
           true},
          {"vector_io",
           "16-byte vectors",
           "Copy four neighbouring numbers at a time where they are aligned.",
           {"on", "off"},
           "on",
           true}};
}

// Larger tiles read less from shared memory for each product, smaller ones waste less at the edges and while a block
// begins and ends. Copies that transpose keep a thread from having the registers of 8x16. kernels/PERFORMANCE.md.
Tiling tiling(const OptionSet& options, const Products& p) {
  Tiling t{.stages = static_cast<int>(options.integer("stages")), .vector_io = options.is("vector_io", "on")};
  const bool large = p.m > 64 && p.n > 64 && p.k >= 256;
  std::string tile = options["tile"];
  if (tile == "auto") tile = !large ? "64x64" : copies_vectors(p, t.vector_io) ? "128x128" : "64x128";
  if (tile != "64x64") t.tile_n = 128;
  if (tile == "128x128") t.tile_m = 128, t.thread_n = 16;
  return t;
}

Launch own_gemm(const Products& p, const Tiling& t, bool sizes_at_run_time) {
  const int threads = t.tile_m * t.tile_n / (kThreadM * t.thread_n);
  // As many blocks as leave a thread the registers for its sums, fragments and, where copies are no vectors, addresses.
  const bool vectors = copies_vectors(p, t.vector_io);
  const int threads_of_sm = t.thread_n == 16 ? (vectors ? 384 : 256) : vectors || t.tile_n == 128 ? 512 : 384;
  const bool bias_of_rows = p.bias == Products::Bias::of_rows, segmented = p.segment != 0;
  const std::vector<Constant> constants{
      {"has_bias", p.bias != Products::Bias::none},
      {"bias_of_rows", bias_of_rows},
      {"tile_m", t.tile_m},
      {"tile_n", t.tile_n},
      {"tile_k", kTileK},
      {"thread_m", kThreadM},
      {"thread_n", t.thread_n},
      {"stages", t.stages},
      {"blocks_per_sm", threads_of_sm / threads},
      {"a_k_contiguous", p.a.k_contiguous},
      {"b_k_contiguous", p.b.k_contiguous},
      {"vector_a", t.vector_io && aligned(p.a)},
      {"vector_b", t.vector_io && aligned(p.b)},
      {"vector_c", t.vector_io && aligned(p.c) && divides(4, {p.segment, p.segment_step})},
      {"segmented", segmented},
  };
  const std::vector<Size> sizes{{"m", p.m},
                                {"n", p.n},
                                {"k", p.k},
                                {"lda", p.a.ld},
                                {"ldb", p.b.ld},
                                {"ldc", p.c.ld},
                                {"segment", std::max<std::int64_t>(p.segment, 1)},
                                {"segment_step", p.segment_step}};
  return {
      .sentence = p.sentence,
      .kernel = {"common/gemm.cu", "gemm", constants, sizes, sizes_at_run_time},
      .grid = {ceil_div(p.m, t.tile_m) * ceil_div(p.n, t.tile_n), p.outer * p.inner},
      .block = {threads},
      .shared_bytes = static_cast<std::int64_t>(t.stages) * kTileK * (t.tile_m + 4 + t.tile_n + 4) * 4,
      .arguments = {p.a.first, p.b.first, bias(), p.c.first, number(p.inner), number(p.a.outer_step),
                    number(p.a.inner_step), number(p.b.outer_step), number(p.b.inner_step), number(p.c.outer_step),
                    number(p.c.inner_step)},
  };
}

// What NVIDIA recommends for Hopper (cuBLAS Library, cublasSetWorkspace), and what its alignment may take.
Buffer cublas_workspace() { return {.name = "cublas", .bytes = (std::int64_t{32} << 20) + 256}; }

std::vector<Step> cublas_gemm(const Products& p, const Buffer& workspace) {
  const bool segmented = p.segment != 0;
  std::vector<Step> steps;
  for (std::int64_t inner = 0; inner < p.inner; ++inner) {
    const auto first = [&](const Matrices& m) {
      return m.first.at(inner * m.inner_step * static_cast<std::int64_t>(sizeof(float)));
    };
    steps.emplace_back(Gemm{.sentence = p.sentence,
                            .m = p.m,
                            .n = segmented ? p.segment : p.n,
                            .k = p.k,
                            .batch = segmented ? p.n / p.segment : p.outer,
                            .a = first(p.a),
                            .b = first(p.b),
                            .c = first(p.c),
                            .lda = p.a.ld,
                            .ldb = p.b.ld,
                            .ldc = p.c.ld,
                            .batch_a = p.a.outer_step,
                            .batch_b = segmented ? p.segment * (p.b.k_contiguous ? p.b.ld : 1) : p.b.outer_step,
                            .batch_c = segmented ? p.segment_step : p.c.outer_step,
                            .transpose_a = !p.a.k_contiguous,
                            .transpose_b = p.b.k_contiguous,
                            .accumulate = p.bias != Products::Bias::none,
                            .workspace = workspace.name,
                            .workspace_bytes = workspace.bytes});
  }
  return steps;
}

}  // namespace convlens::gpu
