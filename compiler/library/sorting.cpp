// Sorting by the platform's library. KP_KEY is the type of the keys; KP_VALUE, if there is one, that of the values that go
// with them. Numbers ascend, zeros are equal, NaNs are at the end that their sign names.
#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#else
#include <algorithm>
#include <cmath>
#include <cstring>
#if defined(_OPENMP)
#include <parallel/algorithm>
namespace library = __gnu_parallel;
#else
namespace library = std;
#endif
#endif

struct kp_library_call {
  int32_t (*run)(const kp_library_call *, void *stream);
  void *arrays[2];  // keys, values
  int64_t count;
  void *memory;  // of as many bytes as kp_memory says
  int64_t bytes;
};

#define KP_EXPORT extern "C" __attribute__((visibility("default")))

#if defined(__CUDACC__)
static size_t padded(size_t bytes) { return (bytes + 255) / 256 * 256; }

// The library sorts from one pair of buffers into the other, back and forth.
static cudaError_t sorted(void *memory, size_t &bytes, const kp_library_call &call, cudaStream_t stream) {
  const auto n = static_cast<size_t>(call.count);
  char *const second = static_cast<char *>(call.memory);
  cub::DoubleBuffer<KP_KEY> keys(static_cast<KP_KEY *>(call.arrays[0]), reinterpret_cast<KP_KEY *>(second));
  constexpr int bits = 8 * sizeof(KP_KEY);
#if defined(KP_VALUE)
  cub::DoubleBuffer<KP_VALUE> values(static_cast<KP_VALUE *>(call.arrays[1]),
                                     reinterpret_cast<KP_VALUE *>(second + padded(n * sizeof(KP_KEY))));
  cudaError_t error = cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values, call.count, 0, bits, stream);
  if (memory && error == cudaSuccess && values.Current() != call.arrays[1])
    error = cudaMemcpyAsync(call.arrays[1], values.Current(), n * sizeof(KP_VALUE), cudaMemcpyDeviceToDevice, stream);
#else
  cudaError_t error = cub::DeviceRadixSort::SortKeys(memory, bytes, keys, call.count, 0, bits, stream);
#endif
  if (memory && error == cudaSuccess && keys.Current() != call.arrays[0])
    error = cudaMemcpyAsync(call.arrays[0], keys.Current(), n * sizeof(KP_KEY), cudaMemcpyDeviceToDevice, stream);
  return error;
}

static size_t buffers(int64_t count) {
  size_t bytes = padded(static_cast<size_t>(count) * sizeof(KP_KEY));
#if defined(KP_VALUE)
  bytes += padded(static_cast<size_t>(count) * sizeof(KP_VALUE));
#endif
  return bytes;
}

// Bytes that sorting takes beside the arrays; negative: the runtime's error.
KP_EXPORT int64_t kp_memory(int64_t count) {
  size_t bytes = 0;
  const kp_library_call call = {nullptr, {nullptr, nullptr}, count, nullptr, 0};
  const cudaError_t error = sorted(nullptr, bytes, call, nullptr);
  return error == cudaSuccess ? static_cast<int64_t>(buffers(count) + bytes) : -static_cast<int64_t>(error);
}

KP_EXPORT int32_t kp_run(const kp_library_call *call, void *stream) {
  if (call->count < 2) return 0;
  const size_t before = buffers(call->count);
  size_t bytes = static_cast<size_t>(call->bytes) - before;
  return sorted(static_cast<char *>(call->memory) + before, bytes, *call, static_cast<cudaStream_t>(stream));
}
#else
template <class T> static bool is_nan(T number) { return number != number; }

static bool less(KP_KEY a, KP_KEY b) { return a < b; }

// With NaNs among the keys `<` is no order.
static int side(KP_KEY key) { return !is_nan(key) ? 0 : std::signbit(static_cast<double>(key)) ? -1 : 1; }
static bool less_or_nan(KP_KEY a, KP_KEY b) { return side(a) != side(b) ? side(a) < side(b) : a < b; }

struct kp_pair {
  KP_KEY key;
#if defined(KP_VALUE)
  KP_VALUE value;
#endif
};

template <bool (*LESS)(KP_KEY, KP_KEY)> static void sorted(const kp_library_call &call) {
  auto *const keys = static_cast<KP_KEY *>(call.arrays[0]);
#if defined(KP_VALUE)
  auto *const values = static_cast<KP_VALUE *>(call.arrays[1]);
  auto *const pairs = static_cast<kp_pair *>(call.memory);
#pragma omp parallel for
  for (int64_t i = 0; i < call.count; ++i) pairs[i] = {keys[i], values[i]};
  library::sort(pairs, pairs + call.count, [](const kp_pair &a, const kp_pair &b) { return LESS(a.key, b.key); });
#pragma omp parallel for
  for (int64_t i = 0; i < call.count; ++i) keys[i] = pairs[i].key, values[i] = pairs[i].value;
#else
  library::sort(keys, keys + call.count, [](KP_KEY a, KP_KEY b) { return LESS(a, b); });
#endif
}

KP_EXPORT int64_t kp_memory(int64_t count) {
#if defined(KP_VALUE)
  return count * static_cast<int64_t>(sizeof(kp_pair));
#else
  return 0 * count;
#endif
}

KP_EXPORT int32_t kp_run(const kp_library_call *call, void *) {
  const auto *const keys = static_cast<const KP_KEY *>(call->arrays[0]);
  bool any = false;
#pragma omp parallel for reduction(|| : any)
  for (int64_t i = 0; i < call->count; ++i) any = any || is_nan(keys[i]);
  any ? sorted<less_or_nan>(*call) : sorted<less>(*call);
  return 0;
}
#endif

KP_EXPORT void kp_on_host(const kp_library_call *call) { (void)kp_run(call, nullptr); }
