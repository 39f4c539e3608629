// How many threads a library that asks OpenMP may use.
#pragma once

#include <omp.h>

namespace convlens {

// For as long as it lives. OpenMP's count belongs to the calling thread, so that plans run at once don't disturb each
// other.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  ~ThreadCount() { omp_set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;

 private:
  int before_;
};

}  // namespace convlens
