// The library's interface, and what it computes: memory is asked for first, and then used; the result is in the second
// buffers, as after an odd number of passes.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "cuda_runtime.h"

namespace cub {
template <class T> struct DoubleBuffer {
  T *buffers[2];
  int selector = 0;

  DoubleBuffer(T *first, T *second) : buffers{first, second} {}
  T *Current() const { return buffers[selector]; }
};

struct DeviceRadixSort {
  template <class K>
  static cudaError_t SortKeys(void *memory, size_t &bytes, DoubleBuffer<K> &keys, int64_t n, int, int, cudaStream_t) {
    if (!memory) return bytes = 8, cudaSuccess;
    std::copy(keys.buffers[0], keys.buffers[0] + n, keys.buffers[1]);
    std::sort(keys.buffers[1], keys.buffers[1] + n);
    keys.selector = 1;
    return cudaSuccess;
  }

  template <class K, class V>
  static cudaError_t SortPairs(void *memory, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, int64_t n,
                               int, int, cudaStream_t) {
    if (!memory) return bytes = 8, cudaSuccess;
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return keys.buffers[0][a] < keys.buffers[0][b]; });
    for (int64_t i = 0; i < n; ++i) keys.buffers[1][i] = keys.buffers[0][order[i]];
    for (int64_t i = 0; i < n; ++i) values.buffers[1][i] = values.buffers[0][order[i]];
    keys.selector = values.selector = 1;
    return cudaSuccess;
  }
};
}  // namespace cub
