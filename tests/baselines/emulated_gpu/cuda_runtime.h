// A GPU of one host thread: blocks run one after the other, a block's threads as fibers that take turns at barriers and
// shuffles. It is slow and knows nothing of memory order; it runs the very text that nvcc compiles, for tests without a GPU.
#pragma once

#include <cstdlib>
#include <ucontext.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(...)
#define __forceinline__ inline

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

static dim3 threadIdx, blockIdx, gridDim;
constexpr int warpSize = 32;

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidConfiguration = 9, cudaErrorNotReady = 600, cudaErrorLaunchFailure = 719 };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };
using cudaStream_t = void *;

namespace emulated {
constexpr int warp = 32, processors = 2, blocks_per_processor = 2;
constexpr size_t stack_bytes = 64 * 1024;

struct Fiber {
  ucontext_t context;
  std::vector<char> stack;
  dim3 index;
  bool finished = false;
  uint64_t offered = 0;  // to a shuffle
};
static std::vector<Fiber> fibers;
static ucontext_t scheduler;
static size_t running;
static std::function<void()> body;
static int launches = 0, lose_launch = -1;  // a lost launch runs, but is cut short: as after a fault on the device

static void enter() {
  body();
  fibers[running].finished = true;
  swapcontext(&fibers[running].context, &scheduler);
}

// Gives way to the other threads of the block: each of them comes to its own next turn before this returns.
static void turn() {
  const dim3 mine = threadIdx;
  swapcontext(&fibers[running].context, &scheduler);
  threadIdx = mine;
}

static void run_block(dim3 threads) {
  fibers.resize(threads.x * threads.y * threads.z);  // stacks are kept from block to block
  for (size_t i = 0; i < fibers.size(); ++i) {
    Fiber &fiber = fibers[i];
    fiber.finished = false;
    fiber.index = dim3(i % threads.x, i / threads.x % threads.y, i / (threads.x * threads.y));
    fiber.stack.resize(stack_bytes);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = stack_bytes;
    fiber.context.uc_link = &scheduler;
    makecontext(&fiber.context, enter, 0);
  }
  for (bool alive = true; alive;) {
    alive = false;
    for (running = 0; running < fibers.size(); ++running) {
      if (fibers[running].finished) continue;
      threadIdx = fibers[running].index;
      swapcontext(&scheduler, &fibers[running].context);
      alive = true;
    }
  }
}

template <class... P, size_t... I>
static void call(void (*kernel)(P...), void **arguments, std::index_sequence<I...>) {
  kernel(*static_cast<P *>(arguments[I])...);
}
}  // namespace emulated

static inline void __syncthreads() { emulated::turn(); }
static inline void __trap() { std::abort(); }
static inline void __threadfence() {}
static inline void __threadfence_system() {}
static inline long long __double_as_longlong(double value) {
  long long bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

template <class T> static T __shfl_down_sync(unsigned, T value, int distance) {
  using namespace emulated;
  std::memcpy(&fibers[running].offered, &value, sizeof value);
  turn();  // everyone has offered
  const size_t from = running % warp + distance < warp ? running + distance : running;
  std::memcpy(&value, &fibers[from].offered, sizeof value);
  turn();  // everyone has taken
  return value;
}

template <class T> static T atomicAdd(T *target, T value) {
  const T old = *target;
  *target = old + value;
  return old;
}
template <class T> static T atomicMin(T *target, T value) {
  const T old = *target;
  *target = value < old ? value : old;
  return old;
}
template <class T> static T atomicMax(T *target, T value) {
  const T old = *target;
  *target = value > old ? value : old;
  return old;
}
static int atomicCAS(int *target, int expected, int value) {
  const int old = *target;
  if (old == expected) *target = value;
  return old;
}
static int atomicExch(int *target, int value) {
  const int old = *target;
  *target = value;
  return old;
}
static unsigned atomicInc(unsigned *target, unsigned highest) {
  const unsigned old = *target;
  *target = old >= highest ? 0 : old + 1;
  return old;
}

template <class... P>
static cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 blocks, dim3 threads, void **arguments, size_t, cudaStream_t) {
  using namespace emulated;
  if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0) return cudaErrorInvalidConfiguration;
  if (blocks.y > 65535 || blocks.z > 65535) return cudaErrorInvalidConfiguration;
  if (launches++ == lose_launch) return cudaSuccess;
  body = [=] { call(kernel, arguments, std::index_sequence_for<P...>()); };
  gridDim = blocks;
  for (unsigned z = blocks.z; z-- > 0;)  // from the last to the first: nothing may rely on the order
    for (unsigned y = blocks.y; y-- > 0;)
      for (unsigned x = blocks.x; x-- > 0;) {
        blockIdx = dim3(x, y, z);
        run_block(threads);
      }
  return cudaSuccess;
}

static cudaError_t query_result = cudaSuccess;
static inline cudaError_t cudaStreamQuery(cudaStream_t) { return query_result; }
static inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static inline cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
static inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int) {
  return *value = emulated::processors, cudaSuccess;
}
template <class K> static cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, K, int, size_t) {
  return *blocks = emulated::blocks_per_processor, cudaSuccess;
}

// The device's memory is the host's.
enum cudaMemcpyKind { cudaMemcpyDeviceToDevice = 3 };
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}
static inline cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t) {
  return std::memset(to, byte, bytes), cudaSuccess;
}
static inline cudaError_t cudaMalloc(void **memory, size_t bytes) { return *memory = std::malloc(bytes), cudaSuccess; }
static inline cudaError_t cudaFree(void *memory) { return std::free(memory), cudaSuccess; }

extern "C" __attribute__((visibility("default"))) int emulated_launches() { return emulated::launches; }
extern "C" __attribute__((visibility("default"))) void emulated_fault(int launch, int query) {
  emulated::lose_launch = launch < 0 ? -1 : emulated::launches + launch;
  query_result = static_cast<cudaError_t>(query);
}
