// The GPU side of kparity.h: a kernel's body is one thread's work. CUDA and HIP differ in the runtime's prefix, the
// shuffle, the fences, the width of a warp and the libraries. nvcc compiles the HIP side, too (hip_on_cuda/).
#pragma once

#if defined(__HIPCC__) || defined(__HIP_PLATFORM_NVIDIA__)
#define KP_HIP
#include <hip/hip_runtime.h>
#define KP_API(name) hip##name
#define KP_MULTIPROCESSORS hipDeviceAttributeMultiprocessorCount
#define KP_WARP warpSize
#define KP_SHUFFLE_DOWN(value, distance) __shfl_down(value, distance)
using kp_stream = hipStream_t;
#else
#include <cuda_runtime.h>
#define KP_API(name) cuda##name
#define KP_MULTIPROCESSORS cudaDevAttrMultiProcessorCount
#define KP_WARP 32
#define KP_SHUFFLE_DOWN(value, distance) __shfl_down_sync(0xffffffffu, value, distance)
using kp_stream = cudaStream_t;
#endif

#if defined(__CUDA_ARCH__) && !defined(KP_HIP)  // CUDA's __threadfence() is sequentially consistent: more than delivery needs, and slower
#define KP_FENCE_DEVICE() asm volatile("fence.acq_rel.gpu;" ::: "memory")
#define KP_FENCE_SYSTEM() asm volatile("fence.acq_rel.sys;" ::: "memory")
#else
#define KP_FENCE_DEVICE() __threadfence()
#define KP_FENCE_SYSTEM() __threadfence_system()
#endif

#if defined(__HIPCC__)  // HIP's own names have no signed 64-bit form, and some lead to what newer compilers no longer have
#define KP_CODE(kernel) reinterpret_cast<const void *>(kernel)
#define KP_TRAP() __builtin_trap()
#define KP_ATOMIC_INC(target, last) __builtin_amdgcn_atomic_inc32(target, last, __ATOMIC_RELAXED, "agent")
#define KP_ATOMIC_MIN(target, value) __hip_atomic_fetch_min(target, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define KP_ATOMIC_MAX(target, value) __hip_atomic_fetch_max(target, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#else
#define KP_CODE(kernel) kernel
#define KP_TRAP() __trap()
#define KP_ATOMIC_INC(target, last) atomicInc(target, last)
#define KP_ATOMIC_MIN(target, value) atomicMin(target, value)
#define KP_ATOMIC_MAX(target, value) atomicMax(target, value)
#endif

#define KP_TUNING KP_JOIN(block_, KP_BLOCK)
#define KP_TUNING_OCCUPANCY KP_JOIN(blkatm_occgs_, KP_BLOCK)
#define KP_TUNING_DIRECT KP_JOIN(blkatm_direct_, KP_BLOCK)
#define KP_BINNED_OCCUPANCY KP_JOIN(atomic_occgs_, KP_BLOCK)
#define KP_BINNED_DIRECT KP_JOIN(atomic_direct_, KP_BLOCK)
#define KP_BINNED_ENTRIES                                                                                            \
  KP_ENTRY(KP_BINNED_OCCUPANCY, kp_repetition<KP_OCCUPANCY>)                                                         \
  KP_ENTRY(KP_BINNED_DIRECT, kp_repetition<KP_DIRECT>)                                                               \
  KP_EXPORT const char *kp_tunings(void) { return KP_STRING(KP_BINNED_OCCUPANCY) " " KP_STRING(KP_BINNED_DIRECT); }
#define KP_REDUCTION_ENTRIES                                                                                         \
  KP_ENTRY(KP_TUNING_OCCUPANCY, kp_repetition<KP_OCCUPANCY>)                                                         \
  KP_ENTRY(KP_TUNING_DIRECT, kp_repetition<KP_DIRECT>)                                                               \
  KP_EXPORT const char *kp_tunings(void) { return KP_STRING(KP_TUNING_OCCUPANCY) " " KP_STRING(KP_TUNING_DIRECT); }
#define KP_BOTH __host__ __device__
#ifdef KP_RESIDENT  // blocks that a multiprocessor shall hold at least
#define KP_BOUNDS __launch_bounds__(KP_BLOCK, KP_RESIDENT)
#else
#define KP_BOUNDS __launch_bounds__(KP_BLOCK)
#endif
#define KP_KERNEL static __global__ KP_BOUNDS void
#define KP_REDUCTION template <kp_mapping MAPPING> static __global__ __launch_bounds__(KP_BLOCK) void

#include "operations.h"

constexpr int kp_columns = 32;  // of a block in two and three dimensions
constexpr int kp_rows = KP_BLOCK / kp_columns;

// The thread's element, the last index the fastest; the blocks' shapes are those of `kp_grid`.
#define KP_IF(i, lower, upper, position) if (const int64_t i = (lower) + (position); i < (upper))
#define KP_FOR(i, lower, upper) KP_IF(i, lower, upper, kp_thread())
// The same for a small lower bound, with idle threads below it: a warp's elements begin where memory's blocks do.
#define KP_FOR_ALIGNED(i, lower, upper) if (const int64_t i = kp_thread(); i >= (lower) && i < (upper))
#define KP_FOR_2D(i, i_lower, i_upper, j, j_lower, j_upper)                                                          \
  KP_IF(i, i_lower, i_upper, kp_row()) KP_IF(j, j_lower, j_upper, kp_column())
#define KP_FOR_3D(k, k_lower, k_upper, j, j_lower, j_upper, i, i_lower, i_upper)                                     \
  KP_IF(k, k_lower, k_upper, static_cast<int64_t>(blockIdx.z)) KP_FOR_2D(j, j_lower, j_upper, i, i_lower, i_upper)

// The elements that are the thread's share. What follows the bounds is for the CPU.
#define KP_REDUCE(i, lower, upper, ...)                                                                              \
  for (int64_t i = (lower) + kp_thread(); i < (upper); i = kp_next<MAPPING>(i))

static __device__ __forceinline__ int64_t kp_thread() { return static_cast<int64_t>(blockIdx.x) * KP_BLOCK + threadIdx.x; }
static __device__ __forceinline__ int64_t kp_column() {
  return static_cast<int64_t>(blockIdx.x) * kp_columns + threadIdx.x;
}
static __device__ __forceinline__ int64_t kp_row() { return static_cast<int64_t>(blockIdx.y) * kp_rows + threadIdx.y; }
template <kp_mapping MAPPING> static __device__ __forceinline__ int64_t kp_next(int64_t i) {
  return MAPPING == KP_DIRECT ? INT64_MAX : i + static_cast<int64_t>(gridDim.x) * KP_BLOCK;
}
// The lowest bit that is set.
KP_BOTH static inline int kp_lowest_bit(unsigned bits) {
#if defined(__CUDA_ARCH__)
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return __builtin_ctz(bits);
#endif
}
static __device__ __forceinline__ double kp_real(int64_t index) { return static_cast<double>(index); }

// A relaxed update that no other thread's comes in between.
template <class T> static __device__ __forceinline__ void kp_atomic_add(T *target, T value) { atomicAdd(target, value); }
static __device__ __forceinline__ void kp_atomic_add(uint64_t *target, uint64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long *>(target), static_cast<unsigned long long>(value));
}

struct kp_grid {
  dim3 blocks, threads;

  kp_grid(dim3 blocks, dim3 threads) : blocks(blocks), threads(threads) {}
  explicit kp_grid(int64_t n) : blocks(cover(n, KP_BLOCK)), threads(KP_BLOCK) {}
  kp_grid(int64_t rows, int64_t columns)
      : blocks(cover(columns, kp_columns), cover(rows, kp_rows)), threads(kp_columns, kp_rows) {}
  kp_grid(int64_t planes, int64_t rows, int64_t columns)
      : blocks(cover(columns, kp_columns), cover(rows, kp_rows), cover(planes, 1)), threads(kp_columns, kp_rows) {}

  bool empty() const { return blocks.x == 0 || blocks.y == 0 || blocks.z == 0; }
  static unsigned cover(int64_t n, int64_t size) { return n > 0 ? static_cast<unsigned>((n + size - 1) / size) : 0; }
};

#include "bins.h"
#include "reduction.h"
#include "run.h"
