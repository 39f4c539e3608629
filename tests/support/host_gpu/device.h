// CUDA C++ on the host, as far as the kernels use it: what stands before a kernel's text when g++ compiles it.
//
// A block's threads are coroutines of one host thread. Each runs until it comes to a barrier, and then the next does;
// of every second block the last thread is the first. So a thread is as far ahead of its neighbours as barriers allow,
// and what a missing one permits happens: a word is read before it is there, or overwritten before it is read.
//
// A copy that runs beside the arithmetic happens at the last moment, when it is waited for. Every buffer is a piece of
// heap of exactly its size, full of NaN where nothing has been written, so that AddressSanitizer tells of every access
// beside one.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
extern dim3 threadIdx, blockIdx, blockDim, gridDim;

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(8) ushort4 {
  unsigned short x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }

template <class A, class B>
constexpr auto min(A a, B b) {
  return a < b ? a : b;
}
template <class A, class B>
constexpr auto max(A a, B b) {
  return a > b ? a : b;
}
template <class T>
T __ldg(const T* from) {
  return *from;
}
template <class T>
void __stwb(T* to, T value) {
  *to = value;
}
inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
inline float __double2float_rn(double value) { return static_cast<float>(value); }

namespace host_gpu {

inline constexpr unsigned kWarp = 32;

[[noreturn]] void fail(const char* why);  // says which thread it is

void* dynamic_shared();
template <class T>
T* shared_memory() {
  return static_cast<T*>(dynamic_shared());
}

inline void require_aligned(const void* address, unsigned bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0) fail("an address is no multiple of what it must be");
}

// Copies that this thread has begun; the rest of `bytes` behind the first `valid` becomes zeros.
void begin_copy(void* to, const void* from, int bytes, int valid);
void close_batch();
void wait_for_batches(unsigned pending);

// The lanes of a warp hand each other a value each.
unsigned lane();
void exchange(const void* value, std::size_t bytes, void* all);
template <class T>
struct Lanes {
  T of[kWarp];
  explicit Lanes(const T& value) { exchange(&value, sizeof value, of); }
};

// The kernel, called with the addresses of its parameters. Defined behind the kernel's text.
void call_kernel(void* const* parameters, std::size_t count);

template <class... P, std::size_t... I>
void call(void (*kernel)(P...), void* const* parameters, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_cv_t<P>*>(parameters[I])...);
}
template <class... P>
void call(void (*kernel)(P...), void* const* parameters, std::size_t count) {
  if (count != sizeof...(P)) fail("the kernel has another number of parameters");
  call(kernel, parameters, std::index_sequence_for<P...>{});
}

}  // namespace host_gpu

void __syncthreads();
void __syncwarp(unsigned lanes = ~0u);
template <class T>
T __shfl_sync(unsigned, T value, int lane) {
  return host_gpu::Lanes<T>(value).of[static_cast<unsigned>(lane) % host_gpu::kWarp];
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return host_gpu::Lanes<T>(value).of[host_gpu::lane() ^ static_cast<unsigned>(mask)];
}
