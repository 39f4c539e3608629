// kernels/common/copy_async.cuh on the host.
#pragma once

template <int bytes>
void copy_async_bytes(void* to, const void* from, int valid) {
  host_gpu::begin_copy(to, from, bytes, valid);
}
template <int floats>
void copy_async(float* to, const float* from, int valid) {
  host_gpu::begin_copy(to, from, 4 * floats, 4 * max(0, min(floats, valid)));
}
template <int floats>
void copy_async(float* to, const float* from, bool inside = true) {
  host_gpu::begin_copy(to, from, 4 * floats, inside ? 4 * floats : 0);
}
inline void copy_async_16(void* to, const void* from, int valid) { host_gpu::begin_copy(to, from, 16, valid); }

inline void close_batch() { host_gpu::close_batch(); }
template <int pending>
void wait_for_batches() {
  host_gpu::wait_for_batches(pending);
}
