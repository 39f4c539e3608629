// Matrix products by cuBLAS.
//
// cuBLAS reads column by column. A row-major m×n matrix is, column by column, its transpose; so it is asked for
// Cᵀ = Bᵀ·Aᵀ, with the operands exchanged and every matrix as it lies in memory.
//
// f32 products, unless a row's option asks for TF32 by name, are computed in f32 from end to end: the pedantic mode
// knows neither TF32 nor an emulation by shorter types, whatever the environment says, nor three products in place of a
// complex one's four.
#include <array>
#include <map>
#include <mutex>

#include "algorithms/error.h"
#include "kernels/runtime/status.h"
#include "kernels/runtime/step.h"

namespace convlens::gpu {

namespace {

// Below this cuBLAS may fail to allocate (its manual, cublasSetWorkspace).
constexpr std::int64_t kLeastWorkspace = 16 << 10;

// Partial sums of short types are added up in f32, too.
constexpr auto kMathMode =
    static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);

struct Types {
  cudaDataType in, out;
  cublasComputeType_t compute;
};

cudaDataType cuda_type(DType dtype) {
  constexpr std::array types{CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F};
  return types[static_cast<std::size_t>(dtype)];
}

Types types_of(const Gemm& gemm) {
  if (gemm.complex) {
    if (gemm.in != DType::f32 || gemm.out != DType::f32)
      throw Unsupported("complex product of " + std::string(name(gemm.in)) + ", must be f32");
    return {CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F_PEDANTIC};
  }
  const auto compute = gemm.tf32               ? CUBLAS_COMPUTE_32F_FAST_TF32
                       : gemm.in == DType::f64 ? CUBLAS_COMPUTE_64F
                       : gemm.in == DType::f32 ? CUBLAS_COMPUTE_32F_PEDANTIC
                                               : CUBLAS_COMPUTE_32F;
  return {cuda_type(gemm.in), cuda_type(gemm.out), compute};
}

cublasOperation_t operation(bool transpose, bool conjugate) {
  if (conjugate && !transpose) throw Unsupported("cuBLAS conjugates a matrix only together with its transposition");
  return conjugate ? CUBLAS_OP_C : transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
}

// A handle a GPU, made when the first product is prepared and kept. Its stream and workspace are set anew for each
// product, under its lock.
struct Handle {
  std::mutex mutex;
  cublasHandle_t cublas = nullptr;
};

Handle& handle_of_current_device() {
  static std::mutex mutex;
  static std::map<int, Handle> handles;
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  const std::lock_guard lock(mutex);
  Handle& handle = handles[device];
  if (handle.cublas == nullptr) {
    check(cublasCreate(&handle.cublas), "starting it");
    check(cublasSetMathMode(handle.cublas, kMathMode), "choosing how it computes");
  }
  return handle;
}

class GemmStep final : public PreparedStep {
 public:
  explicit GemmStep(const Gemm& gemm)
      : gemm_(gemm),
        types_(types_of(gemm)),
        operation_a_(operation(gemm.transpose_a, gemm.conjugate_a)),
        operation_b_(operation(gemm.transpose_b, gemm.conjugate_b)),
        handle_(handle_of_current_device()) {
    if (gemm.workspace_bytes < kLeastWorkspace + kWorkAreaAlignment)
      throw Unsupported("workspace of a product: " + std::to_string(gemm.workspace_bytes) + " bytes, must be ≥ " +
                        std::to_string(kLeastWorkspace + kWorkAreaAlignment) + " for cuBLAS");
  }

  void run(const Call& call) override {
    // Large enough for f32, f64 and a pair of f32 alike; the bytes after a shorter type are not read.
    struct Pair {
      float real, imaginary;
    };
    const Pair one{1, 0}, same{gemm_.accumulate ? 1.0f : 0.0f, 0};
    const double one64 = 1, same64 = gemm_.accumulate ? 1 : 0;
    const bool wide = types_.compute == CUBLAS_COMPUTE_64F;
    const void* const alpha = wide ? static_cast<const void*>(&one64) : &one;
    const void* const beta = wide ? static_cast<const void*>(&same64) : &same;

    const Gemm& g = gemm_;
    const void *a = address(g.a, call), *b = address(g.b, call);
    void* c = address(g.c, call);
    const WorkArea work = work_area(g.workspace, g.workspace_bytes, call);
    const auto what = [&] {
      return "product of " + std::to_string(g.m) + "x" + std::to_string(g.k) + " by " + std::to_string(g.k) + "x" +
             std::to_string(g.n) + (g.batch > 1 ? ", " + std::to_string(g.batch) + " times" : "");
    };

    const std::lock_guard lock(handle_.mutex);
    check(cublasSetStream(handle_.cublas, call.stream), what);  // forgets the workspace, so it comes first
    check(cublasSetWorkspace(handle_.cublas, work.data, static_cast<std::size_t>(work.bytes)), what);
    if (g.batch == 1)
      check(cublasGemmEx_64(handle_.cublas, operation_b_, operation_a_, g.n, g.m, g.k, alpha, b, types_.in, g.ldb, a,
                            types_.in, g.lda, beta, c, types_.out, g.ldc, types_.compute, CUBLAS_GEMM_DEFAULT),
            what);
    else
      check(cublasGemmStridedBatchedEx_64(handle_.cublas, operation_b_, operation_a_, g.n, g.m, g.k, alpha, b,
                                          types_.in, g.ldb, g.batch_b, a, types_.in, g.lda, g.batch_a, beta, c,
                                          types_.out, g.ldc, g.batch_c, g.batch, types_.compute, CUBLAS_GEMM_DEFAULT),
            what);
  }

 private:
  Gemm gemm_;
  Types types_;
  cublasOperation_t operation_a_, operation_b_;
  Handle& handle_;
};

}  // namespace

std::unique_ptr<PreparedStep> prepare(const Gemm& gemm) { return std::make_unique<GemmStep>(gemm); }

}  // namespace convlens::gpu
