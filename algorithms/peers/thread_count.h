// How many threads a library that asks OpenMP may use.
//
// OpenMP must then grant them all: OpenBLAS 0.3 waits for ever for threads that it asked for and that never start, be
// it for OMP_THREAD_LIMIT (Request::resolved_threads keeps to it) or because OMP_DYNAMIC lets OpenMP choose.
#pragma once

#include <omp.h>

namespace convlens {

// For as long as it lives. OpenMP's count belongs to the calling thread, so that plans run at once don't disturb each
// other.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : threads_(omp_get_max_threads()), dynamic_(omp_get_dynamic()) {
    omp_set_num_threads(threads);
    omp_set_dynamic(0);
  }
  ~ThreadCount() {
    omp_set_num_threads(threads_);
    omp_set_dynamic(dynamic_);
  }
  ThreadCount(const ThreadCount&) = delete;

 private:
  int threads_, dynamic_;  // before
};

}  // namespace convlens
