// Products of tiles on Hopper's tensor cores (wgmma, PTX ISA "Asynchronous Warpgroup Level Matrix"): four warps
// together multiply 64×16 by 16×N numbers, in FP32, and go on while the hardware works.
//
//   D(i, j) += Σ_k A(i, k)·B(j, k)      i < 64, j < N, k < 16; A from shared memory or registers, B from shared memory
//
// Both operands lie in shared memory as rows of k, 128 bytes a row, as TMA writes them (tma.cuh). The tensor cores find
// them by a descriptor: where the tile begins, and that 8 rows lie 1024 bytes apart. 16 values of k are 32 bytes, and
// the permutation is that of the final address: the next step of k is 32 bytes on, the next row 128.
//
// Warp w of the four holds rows 16w … 16w + 15 of D. Of these thread t has, in d[4j + 2r + e],
//
//   D(16w + t/4 + 8r, 8j + 2·(t mod 4) + e)        r, e ∈ {0, 1}, j < N/8
//
// and of a 64×16 A in registers, in a[r + 2h] as a pair, A(16w + t/4 + 8r, 8h + 2·(t mod 4) + {0, 1}).
#pragma once

#include "common/element.cuh"
#include "common/mbarrier.cuh"

using Descriptor = unsigned long long;

// Of a tile of 128-byte rows, permuted by SWIZZLE_128B (layout type 1); `address` in shared memory, a multiple of 16.
__device__ __forceinline__ Descriptor describe(unsigned address) {
  constexpr Descriptor rows_of_8 = 1024 >> 4, swizzle_128 = 1;
  return (address & 0x3ffff) >> 4 | 1ull << 16 | rows_of_8 << 32 | swizzle_128 << 62;
}
// The descriptor of what lies `bytes` further on.
__device__ __forceinline__ constexpr Descriptor moved(Descriptor tile, int bytes) { return tile + (bytes >> 4); }

// Before the first product, and whenever threads have written registers of D or A since.
__device__ __forceinline__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void close_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until at most `pending` of the batches that were closed last are still in the making.
template <int pending>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// The instruction names its N/2 registers one by one. R16 … R256 are their names, D16 … D256 the variables.
#define R16 "%0, %1, %2, %3, %4, %5, %6, %7"
#define R32 R16 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define R48 R32 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define R64 R48 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define R80 R64 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define R96 R80 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define R112 R96 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define R128 R112 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define R144 R128 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define R160 R144 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define R176 R160 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define R192 R176 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define R208 R192 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define R224 R208 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define R240 R224 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define R256 R240 ", %120, %121, %122, %123, %124, %125, %126, %127"
#define DS(k)                                                                                                 \
  "+f"(d[k]), "+f"(d[k + 1]), "+f"(d[k + 2]), "+f"(d[k + 3]), "+f"(d[k + 4]), "+f"(d[k + 5]), "+f"(d[k + 6]), \
      "+f"(d[k + 7])
#define D16 DS(0)
#define D32 D16, DS(8)
#define D48 D32, DS(16)
#define D64 D48, DS(24)
#define D80 D64, DS(32)
#define D96 D80, DS(40)
#define D112 D96, DS(48)
#define D128 D112, DS(56)
#define D144 D128, DS(64)
#define D160 D144, DS(72)
#define D176 D160, DS(80)
#define D192 D176, DS(88)
#define D208 D192, DS(96)
#define D224 D208, DS(104)
#define D240 D224, DS(112)
#define D256 D240, DS(120)

// D = A·B where `add` is 0, D += A·B where it is 1.
template <int n>
struct Product;

#define SHARED(n, type, A, B, P)                                                                               \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, " P ", 0; wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type \
               " {" R##n "}, " A ", " B ", p, 1, 1, 0, 0; }"                                                   \
               : D##n                                                                                          \
               : "l"(a), "l"(b), "r"(add))
#define REGISTERS(n, type, A, B, P)                                                                            \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, " P ", 0; wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type \
               " {" R##n "}, " A ", " B ", p, 1, 1, 0; }"                                                      \
               : D##n                                                                                          \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add))
#define PRODUCT(n, i0, i1, i2, i3, i4, i5)                                                                            \
  template <>                                                                                                         \
  struct Product<n> {                                                                                                 \
    static __device__ __forceinline__ void add_up(float (&d)[n / 2], Descriptor a, Descriptor b, int add) {           \
      if constexpr (dtype == f16)                                                                                     \
        SHARED(n, "f16.f16", i0, i1, i2);                                                                             \
      else                                                                                                            \
        SHARED(n, "bf16.bf16", i0, i1, i2);                                                                           \
    }                                                                                                                 \
    static __device__ __forceinline__ void add_up(float (&d)[n / 2], const unsigned (&a)[4], Descriptor b, int add) { \
      if constexpr (dtype == f16)                                                                                     \
        REGISTERS(n, "f16.f16", "{" i0 ", " i1 ", " i2 ", " i3 "}", i4, i5);                                          \
      else                                                                                                            \
        REGISTERS(n, "bf16.bf16", "{" i0 ", " i1 ", " i2 ", " i3 "}", i4, i5);                                        \
    }                                                                                                                 \
  };
PRODUCT(16, "%8", "%9", "%10", "%11", "%12", "%13")
PRODUCT(32, "%16", "%17", "%18", "%19", "%20", "%21")
PRODUCT(48, "%24", "%25", "%26", "%27", "%28", "%29")
PRODUCT(64, "%32", "%33", "%34", "%35", "%36", "%37")
PRODUCT(80, "%40", "%41", "%42", "%43", "%44", "%45")
PRODUCT(96, "%48", "%49", "%50", "%51", "%52", "%53")
PRODUCT(112, "%56", "%57", "%58", "%59", "%60", "%61")
PRODUCT(128, "%64", "%65", "%66", "%67", "%68", "%69")
PRODUCT(144, "%72", "%73", "%74", "%75", "%76", "%77")
PRODUCT(160, "%80", "%81", "%82", "%83", "%84", "%85")
PRODUCT(176, "%88", "%89", "%90", "%91", "%92", "%93")
PRODUCT(192, "%96", "%97", "%98", "%99", "%100", "%101")
PRODUCT(208, "%104", "%105", "%106", "%107", "%108", "%109")
PRODUCT(224, "%112", "%113", "%114", "%115", "%116", "%117")
PRODUCT(240, "%120", "%121", "%122", "%123", "%124", "%125")
PRODUCT(256, "%128", "%129", "%130", "%131", "%132", "%133")

#undef SHARED
#undef REGISTERS
#undef PRODUCT
