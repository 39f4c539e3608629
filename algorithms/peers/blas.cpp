#include "algorithms/peers/blas.h"

#include "algorithms/error.h"

#ifdef CONVLENS_WITH_BLAS
#include <cblas.h>

#include <limits>

#include "algorithms/peers/thread_count.h"
#endif

namespace convlens::blas {

#ifdef CONVLENS_WITH_BLAS

namespace {

int narrow(std::int64_t value) {
  if (value > std::numeric_limits<int>::max())
    throw Unsupported("gemm: a size of " + std::to_string(value) + ", BLAS takes at most 2147483647");
  return static_cast<int>(value);
}

template <class T, class Call>
void run(Call call, const Gemm<T>& g, int threads) {
  const ThreadCount limit(threads);
  call(CblasRowMajor, g.transpose_a ? CblasTrans : CblasNoTrans, g.transpose_b ? CblasTrans : CblasNoTrans, narrow(g.m),
       narrow(g.n), narrow(g.k), T{1}, g.a, narrow(g.lda), g.b, narrow(g.ldb), T{1}, g.c, narrow(g.ldc));
}

}  // namespace

std::string name() {
#ifdef OPENBLAS_CONFIG_H
  std::string config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH … "
  return config.substr(0, config.find(' ', 9)) + " " + openblas_get_corename();
#else
  return "BLAS";
#endif
}

void accumulate(const Gemm<float>& gemm, int threads) { run(cblas_sgemm, gemm, threads); }
void accumulate(const Gemm<double>& gemm, int threads) { run(cblas_dgemm, gemm, threads); }

#else

std::string name() { return ""; }
void accumulate(const Gemm<float>&, int) { throw Unsupported("gemm: built without BLAS"); }
void accumulate(const Gemm<double>&, int) { throw Unsupported("gemm: built without BLAS"); }

#endif

}  // namespace convlens::blas
